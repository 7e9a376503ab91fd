package migrate

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"strconv"
)

// letta reads the API of a Letta server.
type letta struct {
	*api
	doc    *document
	blocks map[string]bool // blocks that were written; agents may share them
}

type lettaAgent struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description *string         `json:"description"`
	AgentType   string          `json:"agent_type"`
	Tags        []string        `json:"tags"`
	CreatedAt   json.RawMessage `json:"created_at"`
	Metadata    json.RawMessage `json:"metadata"`

	blocks []json.RawMessage
}

// Letta writes the agents of a Letta server with all their messages, their core memory and their archival memory. An
// agent file has the latest messages and no archival memory. If Options.Agent is given, it writes that agent alone.
func Letta(ctx context.Context, o *Options, out io.Writer) error {
	calls, err := newAPI(o, "Authorization", "Bearer ")
	if err != nil {
		return err
	}
	l := &letta{calls, newDocument(out, o.Progress), map[string]bool{}}
	agents, err := l.agents(ctx, o.Agent)
	if err != nil {
		return err
	}
	l.doc.begin("agents")
	for _, agent := range agents {
		if err := l.readAgent(ctx, agent); err != nil {
			return err
		}
	}
	l.doc.begin("blocks")
	for _, agent := range agents {
		if err := l.addBlocks(agent.blocks); err != nil {
			return err
		}
	}
	l.doc.begin("passages")
	for _, agent := range agents {
		query := url.Values{"ascending": {"true"}}
		if err := l.listOf(ctx, agent, "archival-memory", query, l.addPassage); err != nil {
			return err
		}
	}
	return l.doc.end()
}

// agents returns the agents with their blocks.
func (l *letta) agents(ctx context.Context, only string) (agents []*lettaAgent, err error) {
	add := func(raw json.RawMessage) error {
		agent := &lettaAgent{}
		agents = append(agents, agent)
		return json.Unmarshal(raw, agent)
	}
	if only != "" {
		var raw json.RawMessage
		if err = l.get(ctx, "/v1/agents/"+url.PathEscape(only), nil, &raw); err == nil {
			err = add(raw)
		}
	} else {
		err = l.list(ctx, "/v1/agents/", url.Values{"order": {"asc"}, "order_by": {"created_at"}}, add)
	}
	for _, agent := range agents {
		if err == nil {
			err = l.listOf(ctx, agent, "core-memory/blocks", url.Values{"order": {"asc"}}, func(raw json.RawMessage) error {
				agent.blocks = append(agent.blocks, raw)
				return nil
			})
		}
	}
	return agents, err
}

// readAgent writes an agent with its messages.
func (l *letta) readAgent(ctx context.Context, agent *lettaAgent) error {
	ids := []string{}
	for _, raw := range agent.blocks {
		ids = append(ids, idOf(raw))
	}
	element := map[string]any{
		"id": agent.ID, "name": agent.Name, "description": agent.Description, "agent_type": agent.AgentType,
		"tags": agent.Tags, "created_at": agent.CreatedAt, "metadata": agent.Metadata, "block_ids": ids,
	}
	return l.doc.addWithList(element, "messages", func(add func(json.RawMessage) error) error {
		return l.listOf(ctx, agent, "messages", url.Values{"order": {"asc"}}, add)
	})
}

func (l *letta) addBlocks(blocks []json.RawMessage) error {
	for _, raw := range blocks {
		if id := idOf(raw); !l.blocks[id] {
			l.blocks[id] = true
			if err := l.doc.add(raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// addPassage writes a passage without its vector.
func (l *letta) addPassage(raw json.RawMessage) error {
	var passage map[string]json.RawMessage
	if err := json.Unmarshal(raw, &passage); err != nil {
		return err
	}
	delete(passage, "embedding")
	delete(passage, "embedding_config")
	return l.doc.add(passage)
}

func idOf(raw json.RawMessage) string {
	var of struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(raw, &of)
	return of.ID
}

// listOf calls add with each item of a list of an agent.
func (l *letta) listOf(ctx context.Context, agent *lettaAgent, name string, query url.Values, add func(json.RawMessage) error) error {
	return l.skipDeleted(l.list(ctx, "/v1/agents/"+url.PathEscape(agent.ID)+"/"+name, query, add), "agent "+agent.ID)
}

// list calls add with each item of a list, page by page.
func (l *letta) list(ctx context.Context, path string, query url.Values, add func(json.RawMessage) error) error {
	query.Set("limit", strconv.Itoa(pageSize))
	for {
		var page []json.RawMessage
		if err := l.get(ctx, path, query, &page); err != nil {
			return err
		}
		for _, item := range page {
			if err := add(item); err != nil {
				return err
			}
		}
		if len(page) == 0 {
			return nil
		}
		after := idOf(page[len(page)-1])
		if after == "" || after == query.Get("after") {
			return nil
		}
		query.Set("after", after)
	}
}
