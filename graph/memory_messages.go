package graph

import "github.com/google/uuid"

// writeMessages appends the nodes of kind message to their sources, in the order of the write.
func (j *memoryJob) writeMessages() error {
	bySource, order := map[string][]int{}, []string{}
	for i := range j.write.Nodes {
		if w := &j.write.Nodes[i]; w.Kind == messageKind.Name {
			key := w.SourceKey.Value
			if bySource[key] == nil {
				order = append(order, key)
			}
			bySource[key] = append(bySource[key], i)
		}
	}
	for _, key := range order {
		if err := j.appendTo(key, bySource[key]); err != nil {
			return err
		}
	}
	return nil
}

// appendTo appends the messages at some places of the write to one source.
func (j *memoryJob) appendTo(sourceKey string, places []int) error {
	source := j.found.byKey[sourceKey]
	var messages []MessageWrite
	var accepted []int
	var restored []restoredMessage
	for _, i := range places {
		field, message := j.messageRefusal(i, source)
		if field != "" {
			status, text := j.refuse(index("nodes", i)+"."+field, "%s", message)
			j.result.Nodes[i] = NodeResult{EntityKey: j.write.Nodes[i].EntityKey, Status: status, Error: text}
			continue
		}
		m := j.write.Nodes[i].message()
		if j.write.restoring && j.restores(i, m, source, &restored) {
			continue
		}
		accepted = append(accepted, i)
		messages = append(messages, m)
	}
	if err := j.restoreMessages(source, restored); err != nil || len(messages) == 0 {
		return err
	}
	scope := Scope{TeamID: j.scope.TeamID, UserID: source.user()}
	results, _, err := j.tx.append(scope, sourceKey, messages, j.found, j.now)
	for at, i := range accepted[:len(results)] {
		j.result.Nodes[i] = NodeResult{EntityKey: results[at].EntityKey, Status: results[at].Status, Version: max(1, j.found.byKey[results[at].EntityKey].version())}
		if results[at].Status == Created {
			j.users = append(j.users, source.user())
		}
	}
	return err
}

// messageRefusal says which field of a message does not fit what is stored, and why; an empty field: none.
func (j *memoryJob) messageRefusal(i int, source *stored) (field, message string) {
	w := &j.write.Nodes[i]
	old := j.found.byKey[w.EntityKey]
	switch {
	case source == nil || source.kind != sourceKind || !j.speaksFor(w, source.user()):
		return "source_key", "there is no such source"
	case w.EntityKey != "" && old != nil && old.text("source_key") != source.key():
		return "entity_key", takenKey
	case old == nil && j.write.existing:
		return "entity_key", noSuchNode
	case old == nil && (!w.Role.Given || w.Role.Null):
		return "role", "is needed for a new message"
	}
	if old != nil {
		if field = otherMessage(old, w.Role, w.Name, w.Text, w.At); field != "" {
			return field, "never changes: append another message"
		}
	}
	j.ifVersion(index("nodes", i), w.IfVersion, old.version())
	return "", ""
}

// speaksFor says whether a write may add to a user's source.
func (j *memoryJob) speaksFor(w *NodeWrite, user string) bool {
	named := owner(w, j.scope)
	return (named == "" || named == user) && (j.scope.UserID == "" || j.scope.UserID == user)
}

// message is a node of kind message as one to append.
func (w *NodeWrite) message() MessageWrite {
	m := MessageWrite{EntityKey: w.EntityKey, Role: w.Role.Value, Name: w.Name.Value, Text: w.Text.Value, At: w.At}
	if m.EntityKey == "" {
		m.EntityKey = uuid.Must(uuid.NewV7()).String()
	}
	return m
}
