// Package feed reads what was committed in a team, in the order of the commits: each change once, none omitted. It writes nothing;
// package graph records the commits.
//
// The commits of a team have numbers without gaps. They are written under the lock of the team's feed, so a number that a reader
// does not find belongs to a commit that is being stored, or was erased. A reader that misses one takes the lock and looks again:
// what is missing then never comes.
package feed

import (
	"context"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

// Change is one change of one record.
type Change struct {
	Cursor  string    `json:"cursor" doc:"after continues behind this change"`
	At      time.Time `json:"at" doc:"when it was committed"`
	UserID  *string   `json:"user_id" doc:"whose memory it is; null: shared by the team"`
	Op      string    `json:"op" enum:"created,updated,deleted,restored"`
	Kind    string    `json:"kind" doc:"a kind of node, relationship, system, system_relationship, preference or statement"`
	Key     string    `json:"key"`
	Version int64     `json:"version,omitempty" doc:"of the record after the change"`
	Type    string    `json:"type,omitempty" doc:"of a relationship"`
	From    string    `json:"from,omitempty" doc:"key of the node where a relationship begins"`
	To      string    `json:"to,omitempty" doc:"key of the node where a relationship ends"`
	By      string    `json:"by,omitempty" doc:"id of the API key; token: the caller had a token"`
	Through string    `json:"through,omitempty" doc:"an operation of the API, mcp: and a tool, or import: and a format"`
	Source  string    `json:"source,omitempty" doc:"entity_key of the source from which a language model derived it"`

	Behind Position `json:"-"` // of Cursor
}

// Filter selects changes; an empty list selects all.
type Filter struct{ Kinds, Ops []string }

// otherKinds are the kinds of records that are not kinds of nodes.
var otherKinds = []string{
	graph.RelationshipRecord, graph.SystemRecord, graph.SystemRelationshipRecord, graph.PreferenceRecord, graph.StatementRecord,
}

// Ops are all operations.
var Ops = []string{"created", "updated", "deleted", "restored"}

// Kinds returns the kinds of all records that change.
func Kinds() []string {
	kinds := make([]string, 0, len(graph.Kinds)+len(otherKinds))
	for _, k := range graph.Kinds {
		kinds = append(kinds, k.Name)
	}
	return append(kinds, otherKinds...)
}

// Check adds the faults of the filter, whose fields are at a place.
func (q Filter) Check(f *fault.List, at func(name string) fault.Path) {
	for i, kind := range q.Kinds {
		f.OneOf(at("kinds").Index(i), kind, Kinds()...)
	}
	for i, op := range q.Ops {
		f.OneOf(at("ops").Index(i), op, Ops...)
	}
}

// ChangePage is a part of a feed. Next is the cursor behind it, also behind commits without a selected change. More reports whether more
// was committed.
type ChangePage struct {
	Changes []Change `json:"changes"`
	Next    string   `json:"next" doc:"after of the next call, also later"`
	More    bool     `json:"more" doc:"more was committed: call again now. A page may have fewer changes than limit, even none, while more is true"`
}

// Store reads feeds. Run it, so that it notices the commits of other processes. It is safe for concurrent use.
type Store struct {
	*watcher

	db *neo.DB
}

// NewStore returns the store of the feeds in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{newWatcher(g.DB()), g.DB()} }

// Changes returns the page behind a cursor; see Start for which cursors there are.
func (s *Store) Changes(ctx context.Context, scope graph.Scope, after string, filter Filter, limit int) (ChangePage, error) {
	from, err := s.Start(ctx, scope.TeamID, after)
	if err != nil {
		return ChangePage{}, err
	}
	batch, err := s.Read(ctx, scope, Range{From: from}, filter, limit)
	if err != nil {
		return ChangePage{}, err
	}
	return ChangePage{Changes: batch.Changes, Next: batch.Next.Cursor(scope.TeamID), More: batch.More}, nil
}
