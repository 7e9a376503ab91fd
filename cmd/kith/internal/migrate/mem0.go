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
	known := map[mem0Entity]bool{}
	for query := url.Values(nil); ; {
		var page mem0Page[mem0Entity]
		if err := m.get(ctx, "/v1/entities/", query, &page); err != nil {
			return nil, err
		}
		before := len(all)
		for _, e := range page.Results {
			e = mem0Entity{Type: e.Type, ID: e.Name}
			if !known[e] {
				known[e] = true
				all = append(all, e)
			}
		}
		next, err := url.Parse(page.Next)
		if page.Next == "" || err != nil || len(all) == before { // the last page, or the same one again
			m.warnMissing(len(all), page.Count, "users, agents, apps and runs")
			return all, nil
		}
		query = next.Query()
	}
}

// mem0Page is a page of the platform.
type mem0Page[T any] struct {
	Count   int    `json:"count"` // on all pages
	Next    string `json:"next"`  // an address
	Results []T    `json:"results"`
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
	if m.read >= max(e.Total, mem0Most) {
		m.progress.Line(fmt.Sprintf("warning: the server lists at most %d %s", m.read, e.memories()))
	}
	m.warnMissing(m.read, e.Total, e.memories())
	return nil
}

// memories names the memories of an entity in a warning.
func (e *mem0Entity) memories() string { return "memories of " + e.Type + " " + e.ID }

// readPages reads an entity's memories from the platform.
func (m *mem0) readPages(ctx context.Context, e mem0Entity) error {
	body := map[string]any{"filters": map[string]any{e.Type + "_id": e.ID}}
	for number := 1; ; number++ {
		query := url.Values{"page": {strconv.Itoa(number)}, "page_size": {strconv.Itoa(pageSize)}}
		var page mem0Page[json.RawMessage]
		if err := m.call(ctx, http.MethodPost, "/v3/memories/", query, body, &page); err != nil {
			return err
		}
		if err := m.addAll(page.Results); err != nil {
			return err
		}
		if page.Next == "" || len(page.Results) == 0 {
			m.warnMissing(m.read, page.Count, e.memories())
			return nil
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
