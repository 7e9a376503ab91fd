package loader

import (
	"slices"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/graph/trust"
)

// ContextNode is a node of a context with its newest notes. Filled is set on goals and beliefs that the rules of their section
// omit, and that were added because the section had room.
type ContextNode struct {
	graph.Node
	trust.Told
	Notes  []graph.Note `json:"notes,omitempty" doc:"at most 3, the newest first, without expired ones"`
	Filled bool         `json:"filled,omitempty" doc:"goals and beliefs: added because the section had room, as an active goal that was not accessed for 7 days, an active concept that is kept for ever, or a candidate"`
}

// contextNotes is the most notes of a node in a context.
const contextNotes = 3

// Known counts a user's persons, concepts and entities, for what a context does not show.
type Known struct {
	Goals, Beliefs KnownCounts // including those that a context shows
	Others         KnownCounts // Present without those in the section of relationships
	AtLeast        bool        // not all were counted
}

// KnownCounts counts nodes by what keeps them out of a context: nothing (Present), their decay, or their state.
type KnownCounts struct{ Present, Faded, Archived int64 }

// contextNodeFrom reads a node and its notes from a list.
func (f *fixedLists) contextNodeFrom(v any, user *string, now time.Time) ContextNode {
	return contextNode(f.of(v, nodeFields+3), user, now)
}

// contextNode reads a node from a list: its fields, its notes, and how far it is believed.
func contextNode(l []any, user *string, now time.Time) ContextNode {
	n := ContextNode{Node: nodeFrom(l, user, now), Told: trustedFrom(l[nodeFields+1:])}
	if notes := l[nodeFields]; notes != nil {
		n.Notes = newestNotes(neo.Texts(notes), now)
	}
	return n
}

// newestNotes returns the notes that existed at a time.
func newestNotes(stored []string, now time.Time) []graph.Note {
	notes := slices.DeleteFunc(graph.NotesFrom(stored, now), func(n graph.Note) bool { return n.DateAdded.After(now) })
	return notes[:min(len(notes), contextNotes)]
}

// contextNodesFrom reads nodes, each with its notes and whether it is filled.
func (f *fixedLists) contextNodesFrom(v any, user *string, now time.Time) []ContextNode {
	l := neo.List(v)
	nodes := make([]ContextNode, len(l))
	for i := range l {
		node := f.of(l[i], nodeFields+4)
		nodes[i] = contextNode(node, user, now)
		nodes[i].Filled = neo.Bool(node[nodeFields+3])
	}
	return nodes
}

// knownFrom reads three counts for each of three kinds, and whether there are more; nil if nothing was counted. The counts of the
// user's other nodes exclude filled ones.
func (f *fixedLists) knownFrom(v any, shown []OwnerRelationship) *Known {
	if v == nil {
		return nil
	}
	l := f.of(v, 4)
	k := &Known{AtLeast: neo.Bool(l[3])}
	for i, counts := range []*KnownCounts{&k.Goals, &k.Beliefs, &k.Others} {
		three := f.of(l[i], 3)
		*counts = KnownCounts{Present: neo.Integer(three[0]), Faded: neo.Integer(three[1]), Archived: neo.Integer(three[2])}
	}
	for i := range shown {
		if shown[i].Filled && shown[i].Node.UserID != nil {
			k.Others.Present--
		}
	}
	return k
}
