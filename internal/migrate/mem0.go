package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// mem0Most is how many memories of an entity the open-source server is asked for. It has no pages.
const mem0Most = 10_000

// mem0 reads memories of mem0, by the users, agents, apps and runs that they belong to.
type mem0 struct {
	*api
	hosted bool
	doc    *document
	seen   map[[16]byte]struct{} // memories; one may belong to a user and an agent
	read   int                   // memories of the current entity, also those that were seen before
}

// mem0Entity is a user, agent, app or run.
type mem0Entity struct {
	Type  string `json:"type"`
	ID    string `json:"id"`
	Name  string `json:"name"` // the id, on the platform
	Total int    `json:"total_memories"`
}

// Mem0 writes the memories of mem0's platform or of its open-source server.
func Mem0(ctx context.Context, o *Options, out io.Writer) error {
	header, prefix := "X-API-Key", ""
	if o.Hosted {
		header, prefix = "Authorization", "Token "
	}
	calls, err := newAPI(o, header, prefix)
	if err != nil {
		return err
	}
	m := &mem0{api: calls, hosted: o.Hosted, doc: newDocument(out, o.Progress), seen: map[[16]byte]struct{}{}}
	entities := []mem0Entity{{Type: "user", ID: o.User}}
	if o.User == "" {
		if entities, err = m.entities(ctx); err != nil {
			return err
		}
	}
	m.doc.begin("results")
	for _, e := range entities {
		if err := m.readEntity(ctx, e); err != nil {
			return err
		}
	}
	return m.doc.end()
}

// entities returns what memories can belong to.
func (m *mem0) entities(ctx context.Context) (all []mem0Entity, err error) {
	if !m.hosted {
		err = m.get(ctx, "/entities", nil, &all)
		var status *StatusError
		if errors.As(err, &status) && status.Code == http.StatusNotFound {
			return nil, errors.New("this server does not list its users: name one with --from-user")
		}
		return all, err
	}
	var page struct {
		Results []mem0Entity `json:"results"`
	}
	err = m.get(ctx, "/v1/entities/", nil, &page)
	for i := range page.Results {
		page.Results[i].ID = page.Results[i].Name
	}
	return page.Results, err
}

func (m *mem0) readEntity(ctx context.Context, e mem0Entity) error {
	m.read = 0
	if m.hosted {
		return m.readPages(ctx, e)
	}
	query := url.Values{e.Type + "_id": {e.ID}, "top_k": {strconv.Itoa(mem0Most)}, "limit": {strconv.Itoa(mem0Most)}}
	var page struct {
		Results []json.RawMessage `json:"results"`
	}
	if err := m.get(ctx, "/memories", query, &page); err != nil {
		return err
	}
	if err := m.addAll(page.Results); err != nil {
		return err
	}
	if m.read < e.Total || m.read >= mem0Most {
		m.progress.Line(fmt.Sprintf("warning: the server lists only %d of %d memories of %s %s", m.read, max(e.Total, m.read), e.Type, e.ID))
	}
	return nil
}

// readPages reads an entity's memories from the platform.
func (m *mem0) readPages(ctx context.Context, e mem0Entity) error {
	body := map[string]any{"filters": map[string]any{e.Type + "_id": e.ID}}
	for number := 1; ; number++ {
		query := url.Values{"page": {strconv.Itoa(number)}, "page_size": {strconv.Itoa(pageSize)}}
		var page struct {
			Next    *string           `json:"next"`
			Results []json.RawMessage `json:"results"`
		}
		if err := m.call(ctx, http.MethodPost, "/v3/memories/", query, body, &page); err != nil {
			return err
		}
		if err := m.addAll(page.Results); err != nil || page.Next == nil || len(page.Results) == 0 {
			return err
		}
	}
}

// addAll adds the memories that were not added before.
func (m *mem0) addAll(memories []json.RawMessage) error {
	m.read += len(memories)
	for _, memory := range memories {
		hash := sha256.Sum256(memory)
		id := [16]byte(hash[:16])
		if _, again := m.seen[id]; again {
			continue
		}
		m.seen[id] = struct{}{}
		if err := m.doc.add(memory); err != nil {
			return err
		}
	}
	return nil
}
