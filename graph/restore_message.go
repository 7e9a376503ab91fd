package graph

// restores adds a message of an import with all its exported fields. It returns false if the message exists; it then
// stays unchanged.
func (j *memoryJob) restores(m newMessage, source *stored) bool {
	if old := j.found.byKey[m.EntityKey]; old != nil {
		j.result.Nodes[m.place] = NodeResult{EntityKey: m.EntityKey, Status: Unchanged, Version: old.version()}
		return false
	}
	w := &j.write.Nodes[m.place]
	p := m.properties(Scope{TeamID: j.scope.TeamID, UserID: source.user()}, source.key(), j.now)
	p["entity_key"] = m.EntityKey
	w.CreatedAt.set(p, "created_at", nil)
	w.UpdatedAt.set(p, "updated_at", nil)
	w.History.overlay(p)
	w.Seq.set(p, "seq", nil)
	j.found.byKey[m.EntityKey] = &stored{kind: MessageKind, Properties: p}
	return true
}

// restoreMessages adds messages of an import to their source.
func (j *memoryJob) restoreMessages(source *stored, messages []newMessage) error {
	added, rows := make([]Properties, len(messages)), make([]map[string]any, len(messages))
	for n, m := range messages {
		next := j.found.byKey[m.EntityKey]
		j.tx.embedLater(nil, next)
		added[n] = next.Properties
		rows[n] = map[string]any{"source_key": source.key(), "entity_key": m.EntityKey, "properties": map[string]any(added[n])}
		j.result.Nodes[m.place] = NodeResult{EntityKey: m.EntityKey, Status: Created, Version: next.version()}
		j.users = append(j.users, source.user())
	}
	if err := j.numberMessages(source, added); err != nil {
		return err
	}
	if err := j.tx.writeRows(storeMessages, j.scope.TeamID, rows); err != nil {
		return err
	}
	if err := j.tx.bringNear(j.scope.TeamID, source.key(), numbersOf(added)); err != nil {
		return err
	}
	if j.write.searched {
		return nil
	}
	return j.tx.tell(Scope{TeamID: j.scope.TeamID, UserID: source.user()}, source.key(), rows, j.now)
}

// countAnew sets the message count of a restored source to the stored messages: the import may or may not bring more,
// and the source may have others.
func (s *stored) countAnew(old *stored) {
	s.Properties["message_count"] = int64(0)
	if old != nil {
		s.Properties["message_count"] = old.integer("message_count")
	}
}

// numberOn keeps the next message number of a restored source above all used ones.
func (s *stored) numberOn(w *NodeWrite, old *stored) {
	delete(s.Properties, "next_seq")
	next := int64(0)
	if w.History != nil && w.History.NextSeq.Given {
		next = w.History.NextSeq.Value
	}
	if old != nil {
		next = max(next, old.integer("next_seq"))
	}
	s.putUnless(next == 0, "next_seq", next)
}
