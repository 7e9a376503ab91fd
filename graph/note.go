package graph

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Note is a remark on a node or relationship. ExpiresAt is null for one that stays.
type Note struct {
	ID              string     `json:"id"`
	Content         string     `json:"content"`
	AddedBy         *string    `json:"added_by"`
	DateAdded       time.Time  `json:"date_added"`
	SourceEntityKey *string    `json:"source_entity_key"`
	ExpiresAt       *time.Time `json:"expires_at"`
}

// NoteWrite is a note to add. One whose content is there already, and has not expired, changes nothing.
type NoteWrite struct {
	Content         string              `json:"content" max:"4096" word:"true" doc:"at most 4,096 characters"`
	Lifetime        string              `json:"lifetime,omitempty" oneof:"week month year forever" doc:"week, month (default), year or forever"`
	AddedBy         Optional[string]    `json:"added_by,omitzero" max:"256" word:"true" doc:"default: the request's user; always that user where the key is bound to one"`
	DateAdded       Optional[time.Time] `json:"date_added,omitzero" doc:"default: now; its lifetime begins here"`
	SourceEntityKey Optional[string]    `json:"source_entity_key,omitzero" max:"256" word:"true" doc:"where it comes from"`
}

const (
	maxNotes      = 100 // of a node or relationship; the oldest make room
	maxNoteLength = 4096
)

// noteLives are the lifetimes of notes; zero is for ever.
var noteLives = map[string]time.Duration{"week": 7 * day, "": 30 * day, "month": 30 * day, "year": 365 * day, "forever": 0}

func checkNotes(f *faults, at string, notes []NoteWrite, now time.Time) {
	if len(notes) > maxNotes {
		f.add(at, "must have at most %d items", maxNotes)
		return
	}
	for i, n := range notes {
		at := index(at, i)
		f.text(at+".content", n.Content, maxNoteLength)
		if n.Content == "" {
			f.add(at+".content", "must not be empty")
		}
		if _, ok := noteLives[n.Lifetime]; !ok {
			f.add(at+".lifetime", "must be one of week, month, year, forever")
		}
		f.optionalWord(at+".added_by", n.AddedBy, MaxKeyLength)
		f.optionalWord(at+".source_entity_key", n.SourceEntityKey, MaxKeyLength)
		f.optionalPast(at+".date_added", n.DateAdded, now)
	}
}

// notesFrom reads stored notes, without those that have expired, the newest first.
func notesFrom(stored []string, now time.Time) []Note {
	return slices.DeleteFunc(allNotes(stored), func(n Note) bool { return !n.alive(now) })
}

// allNotes reads stored notes, the newest first.
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

// addNotes puts notes into properties, but for those that have expired already; the description is to be renewed after that.
func (p properties) addNotes(writes []NoteWrite, scope Scope, now time.Time) {
	notes := notesFrom(p.texts("notes"), now)
	before := len(notes)
	for _, w := range writes {
		n := w.note(scope, now)
		if n.alive(now) && !slices.ContainsFunc(notes, func(other Note) bool { return other.Content == n.Content }) {
			notes = append(notes, n)
		}
	}
	if len(notes) == before {
		return
	}
	slices.SortStableFunc(notes, func(a, b Note) int { return b.DateAdded.Compare(a.DateAdded) })
	p.putNotes(notes[:min(len(notes), maxNotes)])
	p["is_dirty"] = true
}

func (p properties) putNotes(notes []Note) {
	stored := make([]string, len(notes))
	for i := range notes {
		raw, _ := json.Marshal(notes[i]) //nolint:errchkjson // a Note always can
		stored[i] = string(raw)
	}
	p.putUnless(len(stored) == 0, "notes", stored)
	p.putNoteExpiry(notes)
}

// putNoteExpiry keeps when the next of the notes expires, which tells maintenance where to look.
func (p properties) putNoteExpiry(notes []Note) {
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
	n := Note{ID: uuid.Must(uuid.NewV7()).String(), Content: w.Content, DateAdded: w.DateAdded.or(now).UTC().Truncate(precision)}
	if life := noteLives[w.Lifetime]; life > 0 {
		expires := n.DateAdded.Add(life)
		n.ExpiresAt = &expires
	}
	if by := scope.author(w.AddedBy.or(scope.UserID)); by != "" {
		n.AddedBy = &by
	}
	if source := w.SourceEntityKey.or(""); source != "" {
		n.SourceEntityKey = &source
	}
	return n
}
