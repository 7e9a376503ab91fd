package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"kith/graph/neo"
	"kith/graph/trust"
	"kith/internal/bounds"
	"kith/internal/fault"
)

var (
	appendMessages = neo.Load[neo.None]("message_append")
	listMessages   = neo.Load[[]Message]("message_list")
	lastMessages   = neo.Load[[]Message]("message_last")
)

// Message is one message of a source. Seq counts from 0 in the order of arrival. Statements return its fields in this order.
type Message struct {
	EntityKey string    `json:"entity_key"`
	Seq       int64     `json:"seq"`
	Role      string    `json:"role"`
	Name      string    `json:"name,omitempty"`
	Text      string    `json:"text"`
	At        time.Time `json:"at"`
	Parts     JSONText  `json:"parts,omitempty" contract:"any" doc:"as they were given"`
	Trust     *float64  `json:"trust,omitempty" doc:"0 to 1; absent: it is believed like its source"`
}

// MessageWrite is a message to append. If the source already has a message with the key, the stored one stays; a
// warning reports a difference.
type MessageWrite struct {
	EntityKey string              `json:"entity_key,omitempty" maxLength:"256" doc:"default: a generated UUIDv7; each key once"`
	Role      string              `json:"role" minLength:"1" maxLength:"64" max:"64" word:"true" doc:"user, assistant or another word"`
	Name      string              `json:"name,omitempty" maxLength:"512" doc:"name of the speaker"`
	Text      string              `json:"text,omitempty" maxLength:"65536" doc:"default: the texts of parts"`
	Parts     json.RawMessage     `json:"parts,omitempty" contract:"any" doc:"the message as its program has it, such as tool calls and images by reference: a list of objects, kept as given; without texts, their types and names are the text; at most 262,144 bytes, 32 levels. Searches and contexts use the text"`
	At        Optional[time.Time] `json:"at,omitzero" doc:"default: now"`
}

// Said are new messages of a user's own in a source of the user.
type Said struct {
	Scope     Scope
	SourceKey string
	Messages  []SaidMessage
	Now       time.Time
}

// SaidMessage is a message of a user, with what Listener.Hear returned for its text.
type SaidMessage struct {
	Message

	Heard any
}

// IsUserRole reports whether messages of a role are what the user wrote.
func IsUserRole(role string) bool {
	return trust.RoleOf(role) == "user"
}

// sourceMessages are rows of new messages of a source.
type sourceMessages struct {
	scope     Scope // of the source's user
	sourceKey string
	source    *stored
	rows      []map[string]any
}

// tell calls Listener.Keep with the messages that the source's user wrote.
func (t *Tx) tell(s sourceMessages, now time.Time) error {
	listener := t.store.options.Said
	if listener == nil || s.scope.UserID == "" {
		return nil
	}
	said := Said{Scope: s.scope, SourceKey: s.sourceKey, Now: now}
	for _, row := range s.rows {
		p, _ := row["properties"].(map[string]any)
		m := Properties(p)
		if role := m.Text("role"); IsUserRole(role) && TrustIn(m) >= trust.Plain { // what others wrote is no instruction
			message := Message{EntityKey: Properties(row).Text("entity_key"), Role: role, Text: m.Text("text"), At: *m.Moment("at")}
			said.Messages = append(said.Messages, SaidMessage{message, t.hear(message.Text)})
		}
	}
	if err := t.missed(); err != nil || len(said.Messages) == 0 {
		return err
	}
	return listener.Keep(t, said)
}

// MessageResult is the outcome of writing a message.
type MessageResult struct {
	EntityKey string `json:"entity_key"`
	Status    Status `json:"status" enum:"created,unchanged"`
}

func checkMessages(f *Faults, messages []MessageWrite, now time.Time) {
	if !f.Items(fault.At("messages"), len(messages), bounds.Messages) {
		return
	}
	keys := map[string]int{}
	for i, m := range messages {
		at := fault.At("messages").Index(i)
		f.Word(at.Field("role"), m.Role, 64)
		f.Text(at.Field("name"), m.Name, bounds.NameLength)
		f.Text(at.Field("text"), m.Text, bounds.MessageLength)
		f.checkParts(at.Field("parts"), m.Parts)
		f.optionalPast(at.Field("at"), m.At, now)
		if m.EntityKey == "" {
			continue
		}
		f.Word(at.Field("entity_key"), m.EntityKey, bounds.KeyLength)
		if first, again := keys[m.EntityKey]; again {
			f.Same(at.Field("entity_key"), fault.At("messages").Index(first).Field("entity_key"))
		}
		keys[m.EntityKey] = i
	}
}

// withKeys gives every message a key and returns the keys that callers gave.
func withKeys(messages []MessageWrite) (all []MessageWrite, given []string) {
	all = make([]MessageWrite, len(messages))
	for i, m := range messages {
		if m.EntityKey != "" {
			given = append(given, m.EntityKey)
		} else {
			m.EntityKey = uuid.Must(uuid.NewV7()).String()
		}
		all[i] = m
	}
	return all, given
}

// append appends the messages that a locked source does not have. Warnings name those that it has with different
// content.
func (t *Tx) append(scope Scope, sourceKey string, messages []MessageWrite, found known, now time.Time) (
	results []MessageResult, warnings []string, err error,
) {
	results, warnings, added, err := t.missingMessages(scope, sourceKey, messages, found, now)
	if err == nil {
		err = t.appendAll(scope.TeamID, []sourceMessages{added}, now)
	}
	return results, warnings, err
}

// missingMessages returns the messages that a locked source does not have; see append.
func (t *Tx) missingMessages(scope Scope, sourceKey string, messages []MessageWrite, found known, now time.Time) (
	results []MessageResult, warnings []string, added sourceMessages, err error,
) {
	results, warnings = make([]MessageResult, len(messages)), []string{}
	added = sourceMessages{scope: scope, sourceKey: sourceKey, source: found.byKey[sourceKey]}
	for i, m := range messages {
		results[i] = MessageResult{EntityKey: m.EntityKey, Status: Created}
		if old := found.byKey[m.EntityKey]; old != nil {
			if old.Text("source_key") != sourceKey {
				return nil, nil, added, fmt.Errorf("append: the entity_key of messages[%d] belongs to another node: %w", i, fault.ErrConflict)
			}
			results[i].Status = Unchanged
			name := Optional[string]{Value: m.Name, Given: m.Name != ""}
			if field := otherMessage(old, Some(m.Role), name, Some(m.spoken()), m.Parts, m.At); field != "" && len(warnings) < fault.MaxFaults {
				warnings = append(warnings, fault.At("messages").Index(i).Field(field).String()+": cannot be changed: the stored value differs")
			}
			continue
		}
		if found.isKept(m.EntityKey, scope.UserID) {
			return nil, nil, added, fmt.Errorf("append: the entity_key of messages[%d] belongs to another node: %w", i, fault.ErrConflict)
		}
		p := m.properties(scope, sourceKey, now)
		p.putTrust(t, found.byKey[sourceKey].properties(), scope.TeamID)
		t.embedLater(nil, &stored{MessageKind, p})
		added.rows = append(added.rows, map[string]any{"entity_key": m.EntityKey, "properties": map[string]any(p)})
	}
	putNear(added.rows)
	return results, warnings, added, t.missed()
}

// appendAll appends messages to locked sources.
func (t *Tx) appendAll(teamID string, added []sourceMessages, now time.Time) error {
	var sources, rows []map[string]any
	for _, s := range added {
		if len(s.rows) == 0 {
			continue
		}
		sources = append(sources, map[string]any{"source_key": s.sourceKey, "from": len(rows), "count": len(s.rows), "least": leastTrust(s.rows)})
		rows = append(rows, s.rows...)
	}
	if len(rows) == 0 {
		return nil
	}
	t.Sign(rows)
	if err := appendMessages.Run(t, map[string]any{"team_id": teamID, "sources": sources, "rows": rows, "now": now}); err != nil {
		return err
	}
	for _, s := range added {
		if err := t.doubt(s); err != nil {
			return err
		}
		if err := t.tell(s, now); err != nil {
			return err
		}
	}
	return nil
}

// leastTrust returns the least trust of new messages; nil if none has less than an assistant's.
func leastTrust(rows []map[string]any) any {
	least := any(nil)
	for _, row := range rows {
		p, _ := row["properties"].(map[string]any)
		if t, ok := p["trust"].(float64); ok && (least == nil || t < least.(float64)) { //nolint:forcetypeassert // set here
			least = t
		}
	}
	return least
}

// otherMessage returns the first field in which a stored message differs from the written one; empty if none does.
func otherMessage(old *stored, role, name, text Optional[string], parts json.RawMessage, at Optional[time.Time]) string {
	other := func(field string, given Optional[string]) bool {
		return given.Given && given.Value != withoutNUL(old.Text(field))
	}
	stored := old.Moment("at")
	switch {
	case other("text", text):
		return "text"
	case role.Given && trust.RoleOf(role.Value) != trust.RoleOf(withoutNUL(old.Text("role"))):
		return "role"
	case other("name", name):
		return "name"
	case parts != nil && compact(parts) != old.Text("parts"):
		return "parts"
	case at.Given && !at.Null && stored != nil && !at.Value.Truncate(precision).Equal(*stored):
		return "at"
	}
	return ""
}

// Properties returns the properties of a new message.
func (m *MessageWrite) properties(scope Scope, sourceKey string, now time.Time) Properties {
	n := &stored{MessageKind, Properties{
		"user_id": scope.User(), "source_key": sourceKey, "role": trust.RoleOf(m.Role), "name": m.Name, "text": m.spoken(),
		"at": m.At.Or(now).UTC().Truncate(precision), "created_at": now, "updated_at": now,
	}}
	if m.Parts != nil {
		n.Properties["parts"] = compact(m.Parts)
	}
	n.putSearchScope(scope.TeamID)
	return n.Properties
}

// spoken returns the text of the message, or else that of its parts.
func (m *MessageWrite) spoken() string {
	if m.Text == "" && m.Parts != nil {
		return textOfParts(m.Parts)
	}
	return m.Text
}

// JSONText is JSON that is stored as a text.
type JSONText json.RawMessage

// MarshalJSON writes the JSON.
func (j JSONText) MarshalJSON() ([]byte, error) { return json.RawMessage(j).MarshalJSON() }

// DecodeNeo reads a text, or null.
func (j *JSONText) DecodeNeo(v any) error {
	*j = nil
	if text := neo.Text(v); text != "" {
		*j = JSONText(text)
	}
	return nil
}

// PageSize is the size of the values of items or of the parts of messages, in bytes, at which a page of them ends.
const PageSize = 8 << 20

// Messages returns at most limit messages of a source from number from on, oldest first; fewer if their parts exceed PageSize.
// The caller has checked that the scope may read them; see Source.IsReadBy.
func (s *Store) Messages(ctx context.Context, scope Scope, sourceKey string, from, limit int64) ([]Message, error) {
	return listMessages.ReadOne(ctx, s.db, map[string]any{"team_id": scope.TeamID, "source_key": sourceKey, "from": from, "limit": limit, "size": PageSize})
}

// LastMessages returns the last messages of a source, without their parts, oldest first, at most limit. The caller has checked
// that the scope may read them; see Source.IsReadBy.
func (s *Store) LastMessages(ctx context.Context, scope Scope, sourceKey string, limit int64) ([]Message, error) {
	messages, err := lastMessages.ReadOne(ctx, s.db, map[string]any{"team_id": scope.TeamID, "source_key": sourceKey, "limit": limit})
	slices.Reverse(messages)
	return messages, err
}
