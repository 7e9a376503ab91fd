package loader

import (
	"fmt"
	"strings"
	"time"

	"kith/memory/preference"
	"kith/memory/statement"
)

// Item says what a line of a context shows, and why.
type Item struct {
	Section    string       `json:"section,omitempty" enum:"preferences,standing,core_beliefs,primary_goals,facts,relationships,sources,focus,notes,workspace,linked_entities,highlights,graph_snapshot,summary"`
	Rank       int          `json:"rank,omitempty" doc:"in the section, from 1"`
	Of         int          `json:"of,omitempty" doc:"how many the section has, with those left out"`
	Kind       string       `json:"kind,omitempty" doc:"of a node, or preference, statement or note"`
	Key        string       `json:"key,omitempty" doc:"of the node, statement, source or preference; of a note, that of its node"`
	Version    int64        `json:"version,omitempty" doc:"of the node"`
	Related    string       `json:"relationship_type,omitempty" doc:"of the user's or the focus's relationship to the node"`
	Value      *float64     `json:"value,omitempty" doc:"by which the section is ranked"`
	By         string       `json:"by,omitempty" doc:"what the value is" enum:"salience,relationship_salience,confidence,score"`
	Rule       string       `json:"rule,omitempty" doc:"why it is in the section"`
	At         *time.Time   `json:"at,omitempty" doc:"when it was last accessed, said, begun or added"`
	Beat       *Beaten      `json:"beat,omitempty" doc:"the next of the section"`
	Provenance []Provenance `json:"provenance,omitempty" doc:"the sources that it comes from, the newest first: all that hold it, up to 100, else at most 3"`
}

// Beaten is the item after another one.
type Beaten struct {
	Key   string   `json:"key"`
	Value *float64 `json:"value,omitempty"`
}

// Provenance is a source, and where in it the item was said.
type Provenance struct {
	Source  string `json:"source"`
	Message string `json:"message,omitempty"`
	From    int64  `json:"from,omitempty" doc:"in the message, in code points"`
	To      int64  `json:"to,omitempty"`
	Holds   bool   `json:"holds,omitempty" doc:"the part rests on this source: without it, it would be another or not there. Otherwise the source only mentions the node"`
}

const (
	bySalience     = "salience"
	byRelationship = "relationship_salience"
	byConfidence   = "confidence"
)

// PreferenceItems returns what the lines of preferences show.
func PreferenceItems(all []preference.Preference) func(int) Item {
	return func(i int) Item { return Item{Kind: "preference", Key: all[i].Key, Rule: "a preference that was set"} }
}

// statementItems describes the same statements as statementLines.
func statementItems(all []statement.Statement, standing bool) func(int) Item {
	return func(place int) Item {
		for i := range all {
			s := &all[i]
			if s.Stands() != standing {
				continue
			}
			if place--; place < 0 {
				return statementItem(s)
			}
		}
		return Item{}
	}
}

func statementItem(s *statement.Statement) Item {
	rule := s.State + " " + s.Kind + " said by the user"
	if s.Renewals > 0 {
		rule += fmt.Sprintf(", and again %d×", s.Renewals)
	}
	return Item{
		Kind: "statement", Key: s.Key, Value: &s.Confidence, By: byConfidence, Rule: rule, At: &s.At,
		Provenance: []Provenance{{Source: s.Source, Message: s.Message, From: s.From, To: s.To, Holds: true}},
	}
}

// nodeItems describes concepts. rule is why they are in their section, and filled what those are that only fill its room.
func nodeItems(all []ContextNode, rule, filled string) func(int) Item {
	return func(i int) Item {
		n := &all[i]
		item := nodeItem("concept", n, rule)
		if n.Filled {
			item.Rule = fills(n.State, filled)
		}
		return item
	}
}

// fills is the rule of what only fills the room of a section.
func fills(state, otherwise string) string {
	if state == "candidate" {
		otherwise = "a candidate"
	}
	return otherwise + ", as the section had room"
}

func nodeItem(kind string, n *ContextNode, rule string) Item {
	item := Item{Kind: kind, Key: n.EntityKey, Value: &n.Salience, By: bySalience, Rule: rule, At: &n.UpdatedAt}
	if n.LastAccessedAt != nil {
		item.At = n.LastAccessedAt
	}
	return item
}

func relationshipItems(all []OwnerRelationship) func(int) Item {
	return func(i int) Item {
		r := &all[i]
		rule := "one of the user's ten strongest relationships"
		switch {
		case r.Filled && r.RelationshipType == "":
			rule = fills(r.Node.State, "no relationship to the user")
		case r.Filled:
			rule = fills(r.Node.State, "a relationship of another type")
		}
		if r.RecentMentions > 0 {
			rule += fmt.Sprintf("; %d mentions in the last 7 days", r.RecentMentions)
		}
		item := nodeItem(strings.ToLower(r.NodeType), &r.Node, rule)
		item.Related = r.RelationshipType
		if !r.Filled {
			item.Value, item.By = &r.Salience, byRelationship
		}
		return item
	}
}

func sourceItems(all []RecentSource) func(int) Item {
	return func(i int) Item {
		s := &all[i]
		return Item{
			Kind: "source", Key: s.EntityKey, Rule: "a conversation of the last 7 days, the newest first", At: &s.StartedAt,
			Provenance: []Provenance{{Source: s.EntityKey, Holds: true}},
		}
	}
}

func focusItems(kind string, f *Focus) func(int) Item {
	return func(i int) Item {
		if i == 0 {
			return nodeItem(kind, &f.Node, "the node in focus")
		}
		l := &f.Links[i-1]
		return Item{
			Kind: strings.ToLower(l.NodeType), Key: l.EntityKey, Related: l.RelationshipType, Value: &l.Salience, By: byRelationship,
			Rule: "one of the focus's ten strongest relationships",
		}
	}
}

func noteItems(noted []notedNode) func(int) Item {
	return func(i int) Item {
		n := noted[i]
		note := &n.node.Notes[n.note]
		item := Item{Kind: "note", Key: n.node.EntityKey, Rule: fmt.Sprintf("a note of a node in the context, one of its newest %d", contextNotes), At: &note.DateAdded}
		if note.SourceEntityKey != nil {
			item.Provenance = []Provenance{{Source: *note.SourceEntityKey}}
		}
		return item
	}
}
