package graphtest

import (
	"time"

	"kith/graph"
)

// Write stores nodes and relationships for a user. All must be accepted.
func (e *Env) Write(user string, nodes []graph.NodeWrite, relationships ...graph.RelationshipWrite) graph.MemoryResult {
	e.Helper()
	result, err := e.Store.Write(e.Context(), e.As(user), &graph.MemoryWrite{Nodes: nodes, Relationships: relationships, Strict: true})
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// Try does the same as Write without Strict: refused items are in the result.
func (e *Env) Try(user string, nodes []graph.NodeWrite, relationships ...graph.RelationshipWrite) graph.MemoryResult {
	e.Helper()
	result, err := e.Store.Write(e.Context(), e.As(user), &graph.MemoryWrite{Nodes: nodes, Relationships: relationships})
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// Source stores a source of a user.
func (e *Env) Source(user string, w graph.SourceWrite) graph.SourceResult {
	e.Helper()
	result, err := e.Store.WriteSource(e.Context(), e.As(user), &w)
	if err != nil {
		e.Fatal(err)
	}
	return result
}

// Remove deletes a node of a kind, or a relationship.
func (e *Env) Remove(user, kind, key string) {
	e.Helper()
	var err error
	if k, ok := graph.KindOf(kind); ok {
		_, err = e.Store.DeleteNode(e.Context(), e.As(user), k, key, 0)
	} else {
		_, err = e.Store.DeleteRelationship(e.Context(), e.As(user), key, 0)
	}
	if err != nil {
		e.Fatal(err)
	}
}

// Stored counts the team's nodes and relationships, and the writes to them.
func (e *Env) Stored() []any {
	e.Helper()
	return e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE n.entity_key IS NOT NULL OPTIONAL MATCH (n)-[r]->()
		WITH n, count(r) AS out, sum(size(keys(r))) AS fields
		RETURN count(n), sum(out), sum(fields), sum(size(keys(n))), max(n.updated_at)`)[0]
}

// Node returns an active node of a kind, named by its key.
func Node(kind, key string, salience float64, change ...func(*graph.NodeWrite)) graph.NodeWrite {
	w := graph.NodeWrite{
		Kind: kind, EntityKey: key, Name: graph.Some("the " + key), State: graph.Some("active"), Salience: graph.Some(salience),
	}
	if kind == graph.ItemKind.Name {
		w.OwnFields = &graph.OwnFields{Namespace: graph.Some([]string{"namespace", "of " + key})}
	}
	for _, c := range change {
		c(&w)
	}
	return w
}

// Owner returns the owner node of a user.
func Owner(key string) graph.NodeWrite {
	return Node("person", key, 1, func(w *graph.NodeWrite) { w.IsOwner = graph.Some(true) })
}

// InState sets the state of a node.
func InState(state string) func(*graph.NodeWrite) {
	return func(w *graph.NodeWrite) { w.State = graph.Some(state) }
}

// Described sets the description of a node.
func Described(text string) func(*graph.NodeWrite) {
	return func(w *graph.NodeWrite) { w.Description = graph.Some(text) }
}

// Accessed sets when a node was last recalled.
func Accessed(at time.Time) func(*graph.NodeWrite) {
	return func(w *graph.NodeWrite) { w.LastAccessedAt = graph.Some(at) }
}

// Shared makes a node the team's.
func Shared(w *graph.NodeWrite) { w.UserID = graph.Null[string]() }

// Of makes a node private to a user.
func Of(user string) func(*graph.NodeWrite) {
	return func(w *graph.NodeWrite) { w.UserID = graph.Some(user) }
}

// Change returns a node that only has what c sets.
func Change(kind, key string, c ...func(*graph.NodeWrite)) graph.NodeWrite {
	w := graph.NodeWrite{Kind: kind, EntityKey: key}
	for _, f := range c {
		f(&w)
	}
	return w
}

// Link returns a relationship described by its ends.
func Link(from, relationship, to string, salience float64) graph.RelationshipWrite {
	return graph.RelationshipWrite{
		From: from, Type: relationship, To: to, Salience: graph.Some(salience), Description: graph.Some(from + " " + relationship + " " + to),
	}
}

// Closed ends a relationship.
func Closed(from, relationship, to string, at time.Time) graph.RelationshipWrite {
	return graph.RelationshipWrite{From: from, Type: relationship, To: to, ValidTo: graph.Some(at)}
}

// Said returns a message of the user.
func Said(key, text string) graph.MessageWrite {
	return graph.MessageWrite{EntityKey: key, Role: "user", Text: text}
}

// Statuses returns what happened to the items of a write.
func Statuses(result graph.MemoryResult) []graph.Status {
	var all []graph.Status
	for _, n := range result.Nodes {
		all = append(all, n.Status)
	}
	for _, r := range result.Relationships {
		all = append(all, r.Status)
	}
	return all
}
