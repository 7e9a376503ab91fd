package graph

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"kith/graph/trust"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// Note is a remark on a node or relationship. ExpiresAt is null if it never expires.
type Note struct {
	ID              string     `json:"id"`
	Content         string     `json:"content"`
	AddedBy         *string    `json:"added_by"`
	DateAdded       time.Time  `json:"date_added"`
	SourceEntityKey *string    `json:"source_entity_key"`
	ExpiresAt       *time.Time `json:"expires_at"`
	trust.Told
}

// NoteWrite is a note to add. If an unexpired note with the same content exists, nothing changes.
type NoteWrite struct {
	Content         string              `json:"content" max:"4096" word:"true" doc:"at most 4,096 characters"`
	Lifetime        string              `json:"lifetime,omitempty" oneof:"week month year forever" doc:"week, month (default), year or forever"`
	AddedBy         Optional[string]    `json:"added_by,omitzero" max:"256" word:"true" doc:"default: the request's user; always that user if the API key is bound to one"`
	DateAdded       Optional[time.Time] `json:"date_added,omitzero" doc:"default: now; the lifetime begins at this time"`
	SourceEntityKey Optional[string]    `json:"source_entity_key,omitzero" max:"256" word:"true" doc:"the source it comes from"`
	Told            trust.Told          `json:"-"` // of a note that an import adds
}

const (
	maxNotes      = 100 // per node or relationship; new notes replace the oldest
	maxNoteLength = 4096
)

// noteLives holds the lifetimes of notes; zero means for ever.
var noteLives = map[string]time.Duration{"week": 7 * day, "": 30 * day, "month": 30 * day, "year": 365 * day, "forever": 0}

func checkNotes(f *Faults, at fault.Path, notes []NoteWrite, now time.Time) {
	if !f.Items(at, len(notes), maxNotes) {
		return
	}
	for i, n := range notes {
		at := at.Index(i)
		f.Text(at.Field("content"), n.Content, maxNoteLength)
		if n.Content == "" {
			f.Add(at.Field("content"), fault.Required, "must not be empty")
		}
		if _, ok := noteLives[n.Lifetime]; !ok {
			f.NotOneOf(at.Field("lifetime"), "week", "month", "year", "forever")
		}
		f.OptionalWord(at.Field("added_by"), n.AddedBy, bounds.KeyLength)
		f.OptionalWord(at.Field("source_entity_key"), n.SourceEntityKey, bounds.KeyLength)
		f.optionalPast(at.Field("date_added"), n.DateAdded, now)
	}
}

// NotesFrom reads stored notes without expired ones, newest first.
func NotesFrom(stored []string, now time.Time) []Note {
	return slices.DeleteFunc(allNotes(stored), func(n Note) bool { return !n.alive(now) })
}

// allNotes reads stored notes, newest first.
func allNotes(stored []string) []Note {
	notes := []Note{}
	for _, raw := range stored {
		var n Note
		if json.Unmarshal([]byte(raw), &n) == nil {
			notes = append(notes, n)
		}
	}
	return notes
}

func (n *Note) alive(now time.Time) bool { return n.ExpiresAt == nil || now.Before(*n.ExpiresAt) }

// addNotes adds the unexpired notes, which are believed as far as their writer, whatever becomes of the record. A note that is given
// again by somebody who is believed more is believed more. The caller renews the description text afterwards.
func (p Properties) addNotes(writes []NoteWrite, told trust.Told, scope Scope, now time.Time) {
	notes := NotesFrom(p.Texts("notes"), now)
	changed := false
	for _, w := range writes {
		n := w.note(scope, now)
		n.Told = told.Least(w.Told)
		i := slices.IndexFunc(notes, func(other Note) bool { return other.Content == n.Content })
		switch {
		case i >= 0 && notes[i].Believed() < n.Believed():
			notes[i].Told, changed = n.Told, true
		case i < 0 && n.alive(now):
			notes, changed = append(notes, n), true
		}
	}
	if !changed {
		return
	}
	slices.SortStableFunc(notes, func(a, b Note) int { return b.DateAdded.Compare(a.DateAdded) })
	p.putNotes(notes[:min(len(notes), maxNotes)])
	p["is_dirty"] = true
}

func (p Properties) putNotes(notes []Note) {
	stored := make([]string, len(notes))
	for i := range notes {
		raw, _ := json.Marshal(notes[i]) //nolint:errchkjson // a Note always encodes
		stored[i] = string(raw)
	}
	p.putUnless(len(stored) == 0, "notes", stored)
	p.putNoteExpiry(notes)
}

// putNoteExpiry stores when the next note expires, so that maintenance finds it.
func (p Properties) putNoteExpiry(notes []Note) {
	delete(p, "notes_expire_at")
	for _, n := range notes {
		if n.ExpiresAt == nil {
			continue
		}
		if ms := n.ExpiresAt.UnixMilli(); p["notes_expire_at"] == nil || ms < p.integer("notes_expire_at") {
			p["notes_expire_at"] = ms
		}
	}
}

func (w NoteWrite) note(scope Scope, now time.Time) Note {
	n := Note{ID: uuid.Must(uuid.NewV7()).String(), Content: w.Content, DateAdded: w.DateAdded.Or(now).UTC().Truncate(precision)}
	if life := noteLives[w.Lifetime]; life > 0 {
		expires := n.DateAdded.Add(life)
		n.ExpiresAt = &expires
	}
	if by := scope.author(w.AddedBy.Or(scope.UserID)); by != "" {
		n.AddedBy = &by
	}
	if source := w.SourceEntityKey.Or(""); source != "" {
		n.SourceEntityKey = &source
	}
	return n
}
