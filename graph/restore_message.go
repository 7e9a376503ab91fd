package graph

// restores adds a message of an import with all its exported fields. It returns false if the message exists; it then
// stays unchanged.
func (j *memoryJob) restores(m newMessage, source *stored) bool {
	if old := j.found.byKey[m.EntityKey]; old != nil {
		j.result.Nodes[m.place] = NodeResult{EntityKey: m.EntityKey, Status: Unchanged, Version: old.version()}
		return false
	}
	w := j.bounded(&j.write.Nodes[m.place], source.user(), nil)
	p := m.properties(Scope{TeamID: j.scope.TeamID, UserID: source.user()}, source.key(), j.now)
	p["entity_key"] = m.EntityKey
	p.putTrust(j.tx, source.Properties, j.scope.TeamID)
	p.set("created_at", w.CreatedAt, nil)
	p.set("updated_at", w.UpdatedAt, nil)
	w.History.overlay(p)
	p.set("seq", w.Seq, nil)
	j.found.byKey[m.EntityKey] = &stored{kind: MessageKind, Properties: p}
	return true
}

// restoreMessages adds messages of an import to their sources.
func (j *memoryJob) restoreMessages(sources []string, messages map[string][]newMessage) error {
	if err := j.tx.missed(); err != nil || len(sources) == 0 {
		return err
	}
	added := map[string][]Properties{}
	for _, key := range sources {
		for _, m := range messages[key] {
			next := j.found.byKey[m.EntityKey]
			j.tx.embedLater(nil, next)
			added[key] = append(added[key], next.Properties)
			j.result.Nodes[m.place] = NodeResult{EntityKey: m.EntityKey, Status: Created, Version: next.version()}
			j.users = append(j.users, j.found.byKey[key].user())
		}
	}
	if err := j.numberMessages(added); err != nil {
		return err
	}
	var all, near []map[string]any
	restored := make([]sourceMessages, len(sources))
	for i, key := range sources {
		s := sourceMessages{scope: Scope{TeamID: j.scope.TeamID, UserID: j.found.byKey[key].user()}, sourceKey: key}
		for n, m := range messages[key] {
			s.rows = append(s.rows, map[string]any{"source_key": key, "entity_key": m.EntityKey, "properties": map[string]any(added[key][n])})
		}
		all, near = append(all, s.rows...), append(near, numbered(key, around(numbersOf(added[key]))))
		restored[i] = s
	}
	if err := j.tx.writeRows(storeMessages, j.scope.TeamID, all); err != nil {
		return err
	}
	if err := j.tx.renewNear(j.scope.TeamID, near...); err != nil || j.write.searched {
		return err
	}
	for _, s := range restored {
		if err := j.tx.tell(s, j.now); err != nil {
			return err
		}
	}
	return nil
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
