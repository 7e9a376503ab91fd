package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"kith/access/auth"
	"kith/graph"
	"kith/graph/trust"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/text/markup"
	"kith/text/tokens"
)

// relationshipsEach is how many come of each direction, and relationshipsTokens how long an answer is unless the caller says.
const (
	relationshipsEach   = 50
	relationshipsTokens = 2000
)

type relationshipsInput struct {
	Caller
	EntityID   string `json:"entity_id" minLength:"1" maxLength:"256" doc:"entity key or name"`
	EntityKind string `json:"entity_kind" enum:"person,concept,entity,project,task,plan,goal,milestone,document,output,risk,decision,requirement"`
	Direction  string `json:"direction,omitempty" enum:"outgoing,incoming,both" doc:"default: both"`
	MaxTokens  int    `json:"max_tokens,omitempty" minimum:"100" maximum:"100000" doc:"default 2,000"`
}

type relationshipsOutput struct {
	Outgoing  []edge `json:"outgoing"`
	Incoming  []edge `json:"incoming"`
	Truncated bool   `json:"truncated" doc:"there are more than are shown"`
}

// edge is a relationship with its key, by which it can be forgotten, and what is at its other end.
type edge struct {
	Key         string        `json:"key"`
	Type        string        `json:"type"`
	Description string        `json:"description"`
	Node        graph.NodeRef `json:"node" doc:"the other end"`
	trust.Told
}

func (s *Server) addRelationships() {
	add(s, tool{"get_entity_relationships", "The relationships of one thing", reads, guide("get_entity_relationships")},
		contract.Input[relationshipsInput](), s.relationships)
}

func (s *Server) relationships(ctx context.Context, in *relationshipsInput) (answer, error) {
	scope, err := scope(ctx, auth.Read, in.Caller)
	if err != nil {
		return answer{}, err
	}
	kind, _ := graph.KindOf(in.EntityKind)
	out := relationshipsOutput{Outgoing: []edge{}, Incoming: []edge{}}
	where := []place{{fault.At("entity_id"), &in.EntityID, in.EntityKind}}
	for direction, list := range map[string]*[]edge{"outgoing": &out.Outgoing, "incoming": &out.Incoming} {
		if in.Direction != "" && in.Direction != "both" && in.Direction != direction {
			continue
		}
		page, err := byName(ctx, s, scope, where, func() (graph.RelationshipPage, error) {
			return s.Store.Relationships(ctx, scope, graph.RelationshipList{Kind: kind, Key: in.EntityID, Direction: direction, Limit: relationshipsEach})
		})
		if err != nil {
			return answer{}, err
		}
		for i := range page.Relationships {
			r := &page.Relationships[i]
			*list = append(*list, edge{r.Key, r.Type, r.Description, *r.Node, r.Told()})
		}
		out.Truncated = out.Truncated || page.Next != ""
	}
	render := func(n int) string { return out.first(n).text() }
	n, _, err := tokens.Fitting(cmp.Or(in.MaxTokens, relationshipsTokens), max(len(out.Outgoing), len(out.Incoming)), render)
	if err != nil {
		return answer{}, err
	}
	return answer{text: render(n), object: out.first(n)}, nil
}

// first is the answer without further relationships of each direction.
func (o relationshipsOutput) first(n int) relationshipsOutput {
	cut := max(len(o.Outgoing), len(o.Incoming)) > n
	return relationshipsOutput{o.Outgoing[:min(n, len(o.Outgoing))], o.Incoming[:min(n, len(o.Incoming))], o.Truncated || cut}
}

func (o relationshipsOutput) text() string {
	text := edges("Outgoing", o.Outgoing) + edges("Incoming", o.Incoming)
	if o.Truncated {
		text += "\n_There are more: traverse with mode neighbors goes on, page by page._\n"
	}
	return text
}

func edges(title string, list []edge) string {
	var t strings.Builder
	fmt.Fprintf(&t, "## %s (%d)\n", title, len(list))
	for _, e := range list {
		line := fmt.Sprintf("%s [%s]: %s %s [%s]", markup.Item(e.Type), markup.Inline(e.Key), e.Node.Kind, markup.Name(e.Node.Name), markup.Inline(e.Node.EntityKey))
		if e.Description != "" {
			line += ": " + markup.Inline(e.Description)
		}
		t.WriteString("- " + e.Least(e.Node.Told).Line(line) + "\n")
	}
	return t.String()
}
