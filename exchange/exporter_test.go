package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kith/graph"
	"kith/memory/feed"
)

// moving is a memory that changes between any two records that are read.
type moving struct {
	vast
	r             *rapid.T
	left          int // changes to come
	nodes, hidden map[string]string
	links         map[string]graph.ExportLink
	made          int // links
	log           []feed.Change
	states        map[string]bool // what the memory has been
	gone          bool            // the feed is too short
}

func newMoving(r *rapid.T, changes int) *moving {
	m := &moving{r: r, left: changes, nodes: map[string]string{}, hidden: map[string]string{}, links: map[string]graph.ExportLink{}, states: map[string]bool{}}
	for n := range 8 {
		m.nodes[fmt.Sprint("n", n)] = "0"
	}
	for n := range 7 {
		m.link(fmt.Sprint("n", n), fmt.Sprint("n", n+1))
	}
	m.log = nil
	m.states[m.state()] = true
	return m
}

// state lists the nodes with their texts, and the links between them.
func (m *moving) state() string {
	var all []string
	for key, text := range m.nodes {
		all = append(all, key+"="+text)
	}
	for _, l := range m.links {
		if m.isStored(l) {
			all = append(all, l.Key+":"+l.From+">"+l.To)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func (m *moving) isStored(l graph.ExportLink) bool {
	_, from := m.nodes[l.From]
	_, to := m.nodes[l.To]
	return from && to
}

func (m *moving) record(op graph.Op, key string) {
	m.log = append(m.log, feed.Change{Op: string(op), Kind: "concept", Key: key})
}

func (m *moving) recordLink(op graph.Op, l graph.ExportLink) {
	m.log = append(m.log, feed.Change{Op: string(op), Kind: graph.RelationshipRecord, Key: l.Key, From: l.From, To: l.To})
}

func (m *moving) link(from, to string) {
	m.made++
	l := graph.ExportLink{Key: fmt.Sprint("r", m.made), From: from, To: to}
	m.links[l.Key] = l
	m.recordLink(graph.CreatedOp, l)
}

// move may change something.
func (m *moving) move() {
	if m.left == 0 || rapid.IntRange(0, 2).Draw(m.r, "quiet") > 0 {
		return
	}
	m.left--
	keys, hidden, links := slices.Sorted(maps.Keys(m.nodes)), slices.Sorted(maps.Keys(m.hidden)), slices.Sorted(maps.Keys(m.links))
	key, other := rapid.SampledFrom(keys).Draw(m.r, "node"), rapid.SampledFrom(keys).Draw(m.r, "other")
	switch rapid.SampledFrom([]string{"create", "update", "link", "unlink", "delete", "restore", "merge"}).Draw(m.r, "change") {
	case "create":
		added := fmt.Sprint(rapid.SampledFrom([]string{"a", "z"}).Draw(m.r, "place"), m.left)
		m.nodes[added] = "0"
		m.record(graph.CreatedOp, added)
		m.link(added, key)
	case "update":
		m.nodes[key] += "+"
		m.record(graph.UpdatedOp, key)
	case "link":
		m.link(key, other)
	case "unlink":
		if l := m.links[rapid.SampledFrom(append(links, "none")).Draw(m.r, "link")]; m.isStored(l) {
			delete(m.links, l.Key)
			m.recordLink(graph.DeletedOp, l)
		}
	case "delete":
		if len(keys) > 2 {
			m.hide(key)
		}
	case "restore":
		if len(hidden) > 0 {
			m.nodes[hidden[0]] = m.hidden[hidden[0]]
			delete(m.hidden, hidden[0])
			m.record(graph.RestoredOp, hidden[0])
		}
	case "merge":
		if key == other || len(keys) < 3 {
			break
		}
		m.hide(other)
		for _, k := range links {
			l := m.links[k]
			if l.From == other {
				l.From = key
			}
			if l.To == other {
				l.To = key
			}
			if l != m.links[k] {
				m.links[k] = l
				m.recordLink(graph.UpdatedOp, l)
			}
		}
	}
	m.states[m.state()] = true
}

func (m *moving) hide(key string) {
	m.hidden[key] = m.nodes[key]
	delete(m.nodes, key)
	m.record(graph.DeletedOp, key)
}

func (m *moving) Start(context.Context, string, string) (feed.Position, error) {
	return feed.Position{Seq: int64(len(m.log)) + 1}, nil
}

func (m *moving) Read(_ context.Context, _ graph.Scope, r feed.Range, _ feed.Filter, limit int) (feed.Batch, error) {
	if m.gone {
		return feed.Batch{}, &feed.GoneError{}
	}
	m.move()
	rest := m.log[r.From.Seq-1:]
	some := rest[:min(len(rest), limit, 3)]
	return feed.Batch{Changes: slices.Clone(some), Next: feed.Position{Seq: r.From.Seq + int64(len(some))}, More: len(some) < len(rest)}, nil
}

func (m *moving) ExportNodes(ctx context.Context, team string, visit func(*graph.NodeWrite) error) error {
	for after := ""; ; {
		m.move()
		keys := slices.Sorted(maps.Keys(m.nodes))
		next := slices.IndexFunc(keys, func(key string) bool { return key > after })
		if next < 0 {
			return nil
		}
		after = keys[next]
		if err := m.ExportSomeNodes(ctx, team, []string{after}, visit); err != nil {
			return err
		}
	}
}

func (m *moving) ExportSomeNodes(_ context.Context, _ string, keys []string, visit func(*graph.NodeWrite) error) error {
	for _, key := range keys {
		m.move()
		if text, ok := m.nodes[key]; ok {
			if err := visit(&graph.NodeWrite{Kind: "concept", EntityKey: key, Description: graph.Some(text)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *moving) ExportRelationships(ctx context.Context, team string, visit func(*graph.RelationshipWrite) error) error {
	for after := ""; ; {
		m.move()
		keys := slices.Sorted(maps.Keys(m.links))
		next := slices.IndexFunc(keys, func(key string) bool { return key > after })
		if next < 0 {
			return nil
		}
		after = keys[next]
		if err := m.ExportSomeRelationships(ctx, team, []graph.ExportLink{m.links[after]}, visit); err != nil {
			return err
		}
	}
}

func (m *moving) ExportSomeRelationships(_ context.Context, _ string, links []graph.ExportLink, visit func(*graph.RelationshipWrite) error) error {
	for _, l := range links {
		m.move()
		if m.links[l.Key] == l && m.isStored(l) {
			if err := visit(&graph.RelationshipWrite{Key: l.Key, From: l.From, To: l.To, Type: "relates_to"}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *moving) ExportLinks(_ context.Context, _ string, keys []string, _ int) (around []graph.ExportLink, err error) {
	m.move()
	for _, key := range slices.Sorted(maps.Keys(m.links)) {
		if l := m.links[key]; slices.Contains(keys, l.From) || slices.Contains(keys, l.To) {
			around = append(around, l)
		}
	}
	return around, nil
}

// export returns what the lines of an export say, as state does, and its last line.
func (m *moving) export(t rapid.TB) (state string, end End) {
	t.Helper()
	var out bytes.Buffer
	if err := Export(context.Background(), ExportStores{m, m, m, m, m, m, m}, "team", &out); err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(out.String()) {
		var l struct {
			Node         *graph.NodeWrite
			Relationship *graph.RelationshipWrite
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		switch {
		case l.Node != nil:
			all = append(all, l.Node.EntityKey+"="+l.Node.Description.Value)
		case l.Relationship != nil:
			all = append(all, l.Relationship.Key+":"+l.Relationship.From+">"+l.Relationship.To)
		}
		end, _ = ParseEnd([]byte(line))
	}
	slices.Sort(all)
	return strings.Join(all, " "), end
}

// An export is what the memory was at one moment, whatever is written while it is read.
func TestAnExportIsOfOneMoment(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := newMoving(r, rapid.IntRange(0, 25).Draw(r, "changes"))
		got, end := m.export(r)
		if end.Consistent == nil || !*end.Consistent || !m.states[got] {
			r.Errorf("after %d changes, consistent: %v\n%s\nis none of the states, the last of which is\n%s", len(m.log), !end.IsTorn(), got, m.state())
		}
	})
}

// An export says so if the feed no longer tells what changed. An import warns then.
func TestATornExportSaysSo(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := newMoving(r, 5)
		m.gone = true
		if _, end := m.export(r); !end.IsTorn() {
			r.Error("without a feed it says that it is of one moment")
		}
	})
	file := `{"end":{"nodes":0,"relationships":0,"preferences":0,"consistent":%t}}` + "\n"
	for _, consistent := range []bool{true, false} {
		s := &scripted{vast: vast{TB: t}}
		report, err := s.runImport(t, fmt.Sprintf(file, consistent), ImportOptions{})
		if err != nil || len(report.Refused) > 0 || (len(report.Warnings) == 0) != consistent {
			t.Errorf("consistent %v: %v, %+v", consistent, err, report)
		}
	}
}
