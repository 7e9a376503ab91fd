package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"kith/internal/fault"
)

// EdgesWrite links nodes of projects, all of them or none.
type EdgesWrite struct {
	UserID string      `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"the user; default: the user of the API key, or shared"`
	Edges  []EdgeWrite `json:"edges" minItems:"1" maxItems:"1000"`
}

// EdgeWrite is an edge between two nodes of one project.
type EdgeWrite struct {
	SrcKind string          `json:"src_kind" oneof:"project task plan goal milestone document output risk decision requirement signal insight" maxLength:"64" doc:"project, or a kind of node in a project"`
	SrcID   string          `json:"src_id" minLength:"1" maxLength:"256" doc:"entity_key"`
	DstKind string          `json:"dst_kind" oneof:"project task plan goal milestone document output risk decision requirement signal insight" maxLength:"64"`
	DstID   string          `json:"dst_id" minLength:"1" maxLength:"256" doc:"entity_key; must differ from src_id"`
	Rel     string          `json:"rel" matches:"^[a-z][a-z0-9_]{0,63}$" doc:"^[a-z][a-z0-9_]{0,63}$; usual types: has_plan, has_task, supports_goal, depends_on, references, produces, targets_milestone, …"`
	Props   json.RawMessage `json:"props,omitempty" doc:"an object that the caller defines; at most 16,384 bytes, 8 levels"`
}

// EdgeResult is the result for one edge. ID is the key of its relationship. Unless Created is set, the relationship existed
// before.
type EdgeResult struct {
	ID      string `json:"id"`
	Created bool   `json:"created"`
}

// EdgesResult has one entry for each edge of the write, in its order. An edge that exists is skipped and not changed.
type EdgesResult struct {
	Created  int          `json:"created"`
	Skipped  int          `json:"skipped"`
	Edges    []EdgeResult `json:"edges"`
	Warnings []string     `json:"warnings"`
}

// maxEdges is the most edges of one write.
const maxEdges = 1000

// Link adds edges between nodes of one project each. It returns an InvalidError, a MissingError for unknown or foreign ends, or
// ErrUnavailable.
func (s *Store) Link(ctx context.Context, scope Scope, w *EdgesWrite) (EdgesResult, error) {
	if err := w.validate(); err != nil {
		return EdgesResult{}, err
	}
	write, places := w.relationships()
	done, err := s.writeBatch(ctx, scope, write)
	if err != nil {
		return EdgesResult{}, write.edgeFaults(err)
	}
	result := EdgesResult{Edges: make([]EdgeResult, len(w.Edges)), Warnings: []string{}}
	counted := map[int]bool{}
	for i, place := range places {
		r := &done.Relationships[place]
		isNew := r.Status == Created && !counted[place]
		counted[place] = true
		result.Edges[i] = EdgeResult{r.Key, isNew}
		if isNew {
			result.Created++
		}
	}
	result.Skipped = len(w.Edges) - result.Created
	result.Warnings = append(result.Warnings, done.Warnings...)
	return result, nil
}

// validate checks what a write of relationships does not check.
func (w *EdgesWrite) validate() error {
	f := &Faults{}
	if !f.SomeItems(fault.At("edges"), len(w.Edges), maxEdges) {
		return f.Err()
	}
	for i := range w.Edges {
		e := &w.Edges[i]
		for _, end := range []struct{ field, kind string }{{"src_kind", e.SrcKind}, {"dst_kind", e.DstKind}} {
			if kind, ok := KindOf(end.kind); !ok || kind.group != projectGroup {
				f.Add(fault.At("edges").Index(i).Field(end.field), fault.NotOneOf, "must be project or one of %s", strings.Join(WorkspaceKinds, ", "))
			}
		}
	}
	return f.Err()
}

// relationships returns the write of the edges, each pair once for a type, and the position in it of each edge.
func (w *EdgesWrite) relationships() (*batch, []int) {
	write := &batch{additive: true, MemoryWrite: MemoryWrite{UserID: w.UserID, Strict: true}}
	places, seen := make([]int, len(w.Edges)), map[[3]string]int{}
	for i := range w.Edges {
		e := &w.Edges[i]
		r := RelationshipWrite{From: e.SrcID, To: e.DstID, Type: e.Rel, Properties: e.Props}
		from, kind, to, _ := r.direction()
		place, again := seen[[3]string{from, kind, to}]
		if !again {
			place = len(write.edges)
			seen[[3]string{from, kind, to}] = place
			write.edges = append(write.edges, edge{EdgeWrite: *e, place: i})
			write.Relationships = append(write.Relationships, r)
		}
		places[i] = place
	}
	return write, places
}

// edge is an edge of the request and its position there.
type edge struct {
	EdgeWrite
	place int
}

// refusal returns the field of an edge that does not fit its nodes. The nodes exist and may be seen.
func (e *edge) refusal(from, to *stored) refusal {
	if _, _, _, swap := (&RelationshipWrite{Type: e.Rel}).direction(); swap {
		from, to = to, from
	}
	switch {
	case from.kind.Name != e.SrcKind:
		return refusal{"from", fault.Missing, noSuchNode}
	case to.kind.Name != e.DstKind:
		return refusal{"to", fault.Missing, noSuchNode}
	case from.project() == "" || from.project() != to.project():
		return refusal{"to", fault.Conflict, "must belong to the same project as src_id"}
	}
	return refusal{}
}

// project returns the key of the project that a node is or belongs to; empty: none.
func (s *stored) project() string {
	if s.kind == ProjectKind {
		return s.key()
	}
	return s.Text("project_id")
}

// edgeFields maps field names of relationships to field names of edges.
var edgeFields = map[string]string{"from": "src_id", "to": "dst_id", "type": "rel", "properties": "props"}

// requested returns the place, in the request, of a warning about an item of the write.
func (w *batch) requested(at fault.Path) fault.Path {
	i, within, ok := at.Item("relationships")
	if !ok || i >= len(w.edges) {
		return at
	}
	return within.Rename(edgeFields).Under(fault.At("edges").Index(w.edges[i].place))
}

// edgeFaults turns the faults of relationships into faults of edges.
func (w *batch) edgeFaults(err error) error {
	var invalid *fault.InvalidError
	if !errors.As(err, &invalid) {
		return fmt.Errorf("link: %w", err)
	}
	missing := true
	for i := range invalid.Fields {
		f := &invalid.Fields[i]
		f.Path = w.requested(f.Path)
		missing = missing && f.Code == fault.Missing
	}
	if missing {
		return &fault.MissingError{Fields: invalid.Fields}
	}
	return invalid
}
