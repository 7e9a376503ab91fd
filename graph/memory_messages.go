package graph

import (
	"github.com/google/uuid"

	"kith/internal/fault"
)

// newMessage is a message to append and its index in the write.
type newMessage struct {
	place int
	MessageWrite
}

// writeMessages appends the nodes of kind message to their sources, in the order of the write.
func (j *memoryJob) writeMessages() error {
	bySource, order := map[string][]newMessage{}, []string{}
	for i := range j.write.Nodes {
		w := &j.write.Nodes[i]
		if w.Kind != MessageKind.Name {
			continue
		}
		key := w.SourceKey.Value
		source := j.found.byKey[key]
		if refused := j.messageRefusal(i, source); refused != (refusal{}) {
			status, text := j.refuse(fault.At("nodes").Index(i), refused)
			j.result.Nodes[i] = NodeResult{EntityKey: w.EntityKey, Status: status, Error: text}
			continue
		}
		m := newMessage{i, w.message()}
		if j.write.restoring && !j.restores(m, source) {
			continue
		}
		if bySource[key] == nil {
			order = append(order, key)
		}
		bySource[key] = append(bySource[key], m)
	}
	if j.write.restoring {
		return j.restoreMessages(order, bySource)
	}
	var all []sourceMessages
	for _, key := range order {
		added, err := j.missingMessages(j.found.byKey[key], bySource[key])
		if err != nil {
			return err
		}
		all = append(all, added)
	}
	return j.tx.appendAll(j.scope.TeamID, all, j.now)
}

// missingMessages returns the messages that the source does not have yet.
func (j *memoryJob) missingMessages(source *stored, messages []newMessage) (sourceMessages, error) {
	writes := make([]MessageWrite, len(messages))
	for n, m := range messages {
		writes[n] = m.MessageWrite
	}
	scope := Scope{TeamID: j.scope.TeamID, UserID: source.user()}
	results, _, added, err := j.tx.missingMessages(scope, source.key(), writes, j.found, j.now)
	for n, r := range results {
		j.result.Nodes[messages[n].place] = NodeResult{EntityKey: r.EntityKey, Status: r.Status, Version: max(1, j.found.byKey[r.EntityKey].version())}
		if r.Status == Created {
			j.users = append(j.users, source.user())
		}
	}
	return added, err
}

// messageRefusal returns the field of a message that does not fit the stored data, and the reason.
func (j *memoryJob) messageRefusal(i int, source *stored) refusal {
	w := &j.write.Nodes[i]
	old := j.found.byKey[w.EntityKey]
	switch {
	case source == nil || source.kind != SourceKind || !j.speaksFor(w, source.user()):
		return refusal{"source_key", fault.Missing, "source not found"}
	case w.EntityKey != "" && old != nil && old.Text("source_key") != source.key():
		return refusal{"entity_key", fault.Conflict, takenKey}
	case old == nil && j.found.isKept(w.EntityKey, source.user()):
		return refusal{"entity_key", fault.Conflict, takenKey}
	case old == nil && j.write.existing:
		return refusal{"entity_key", fault.Missing, noSuchNode}
	case old == nil && (!w.Role.Given || w.Role.Null):
		return refusal{"role", fault.Required, "is required for a new message"}
	}
	if old != nil && old.Properties["text"] != nil { // otherwise a dry run only assumes that it exists
		if field := otherMessage(old, w.Role, w.Name, w.Text, w.Parts.Value, w.At); field != "" {
			return refusal{field, fault.Conflict, "cannot be changed: append another message"}
		}
	}
	j.ifVersion(fault.At("nodes").Index(i), w.IfVersion, old.version())
	return refusal{}
}

// speaksFor reports whether a write may append to a user's source.
func (j *memoryJob) speaksFor(w *NodeWrite, user string) bool {
	named := owner(w, j.scope)
	return (named == "" || named == user) && (j.scope.UserID == "" || j.scope.UserID == user)
}

// message converts a node of kind message to a message to append.
func (w *NodeWrite) message() MessageWrite {
	m := MessageWrite{EntityKey: w.EntityKey, Role: w.Role.Value, Name: w.Name.Value, Text: w.Text.Value, Parts: w.Parts.Value, At: w.At}
	if m.EntityKey == "" {
		m.EntityKey = uuid.Must(uuid.NewV7()).String()
	}
	return m
}
