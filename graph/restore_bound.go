package graph

import (
	"slices"
	"time"

	"kith/graph/trust"
	"kith/internal/fault"
)

// An import of a key that is bound to a user does what the key could do by writes. What an export has besides the fields of writes
// counts for the user's own records only: of what the team shares, a line is a write.

// bounded returns the line of a node as a bound key may store it; the line itself for any other caller. The record belongs to a user, or
// to the team; old has its stored properties, if there are any.
func (j *memoryJob) bounded(w *NodeWrite, user string, old Properties) *NodeWrite {
	if !j.write.restoring || !j.scope.Bound {
		return w
	}
	b := *w
	b.History = j.boundHistory(w.History, user, old)
	if user != "" {
		return &b
	}
	if w.Kind != MessageKind.Name {
		b.Notes = w.History.addedNotes(w.Notes, j.now)
	}
	if w.OwnFields != nil {
		own := *w.OwnFields
		own.dropReadOnly()
		b.OwnFields = &own
	}
	if w.Kind == MessageKind.Name {
		b.CreatedAt, b.UpdatedAt = Optional[time.Time]{}, Optional[time.Time]{}
	}
	return &b
}

// boundedRelationship is bounded for a relationship.
func (j *memoryJob) boundedRelationship(w *RelationshipWrite, user string, old Properties) *RelationshipWrite {
	if !j.write.restoring || !j.scope.Bound {
		return w
	}
	b := *w
	b.History = j.boundHistory(w.History, user, old)
	if user != "" {
		return &b
	}
	b.Notes = w.History.addedNotes(w.Notes, j.now)
	b.RecordedAt, b.UpdatedAt, b.LastAccessedAt = Optional[time.Time]{}, Optional[time.Time]{}, Optional[time.Time]{}
	if w.Type == SystemRelationshipType && w.History != nil { // its place in its system
		b.History = &History{System: w.History.System, Seq: w.History.Seq}
	}
	return &b
}

// boundHistory returns what a bound key may say of the history of a record: nothing of a shared one, and of the user's own all but who
// wrote it, and that it rests on sources of others.
func (j *memoryJob) boundHistory(h *History, user string, old Properties) *History {
	if h == nil || user == "" {
		return nil
	}
	own := *h
	own.CreatedBy, own.Written = Optional[string]{}, Optional[string]{}
	if written := old.Text("written"); written != "" { // a change is signed by the key
		own.Written = Some(written)
	}
	own.Evidence.Value = slices.DeleteFunc(slices.Clone(h.Evidence.Value), func(text string) bool {
		return slices.ContainsFunc(trust.Parse([]string{text}), func(e trust.Evidence) bool { return slices.ContainsFunc(e.Sources, j.isHidden) })
	})
	return &own
}

// addedNotes returns the notes of a history as ones to add, after some others.
func (h *History) addedNotes(notes []NoteWrite, now time.Time) []NoteWrite {
	if h == nil {
		return notes
	}
	added := slices.Clone(notes)
	for _, n := range NotesFrom(h.Notes.Value, now) {
		w := NoteWrite{Content: n.Content, Lifetime: n.lifetime(), DateAdded: Some(n.DateAdded), Told: n.Told}
		f := &Faults{}
		if checkNotes(f, fault.At("notes"), []NoteWrite{w}, now); f.Len() == 0 && len(added) < maxNotes {
			added = append(added, w)
		}
	}
	return added
}

// lifetime returns the name of the shortest lifetime that reaches the end of the note.
func (n *Note) lifetime() string {
	if n.ExpiresAt == nil {
		return "forever"
	}
	for _, name := range []string{"week", "month"} {
		if n.ExpiresAt.Sub(n.DateAdded) <= noteLives[name] {
			return name
		}
	}
	return "year"
}

// isHidden reports whether a key is that of a node that the caller may not see.
func (j *memoryJob) isHidden(key string) bool {
	n := j.found.byKey[key]
	return n != nil && !j.visible(n)
}

// evidenceKeys returns the sources on which the items of a bound key's import rest.
func (j *memoryJob) evidenceKeys() (keys []string) {
	if !j.write.restoring || !j.scope.Bound {
		return nil
	}
	add := func(h *History) {
		if h == nil {
			return
		}
		for _, e := range trust.Parse(h.Evidence.Value) {
			keys = append(keys, e.Sources...)
		}
	}
	for i := range j.write.Nodes {
		add(j.write.Nodes[i].History)
	}
	for i := range j.write.Relationships {
		add(j.write.Relationships[i].History)
	}
	return keys
}
