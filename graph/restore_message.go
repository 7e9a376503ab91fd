package graph

// restoredMessage is a message of an export, at a place of the write.
type restoredMessage struct {
	place int
	row   map[string]any
}

// restores takes a message of an import that is there already, or that has a number; others are appended.
func (j *memoryJob) restores(i int, m MessageWrite, source *stored, restored *[]restoredMessage) bool {
	w := &j.write.Nodes[i]
	if j.found.byKey[m.EntityKey] != nil {
		j.result.Nodes[i] = NodeResult{EntityKey: m.EntityKey, Status: Unchanged, Version: 1}
		return true
	}
	if !w.Seq.Given || w.Seq.Null {
		return j.repeats(i, m)
	}
	p := m.properties(Scope{TeamID: j.scope.TeamID, UserID: source.user()}, source.key(), j.now)
	w.OwnFields.overlay(p)
	w.CreatedAt.set(p, "created_at", nil)
	w.UpdatedAt.set(p, "updated_at", nil)
	*restored = append(*restored, restoredMessage{i, map[string]any{
		"source_key": source.key(), "entity_key": m.EntityKey, "properties": map[string]any(p),
	}})
	p["entity_key"] = m.EntityKey
	j.found.byKey[m.EntityKey] = &stored{kind: messageKind, properties: p}
	return true
}

// repeats says whether a message without a number stands twice in a piece of an import; the second changes nothing.
func (j *memoryJob) repeats(i int, m MessageWrite) bool {
	for n := range j.write.Nodes[:i] {
		earlier := &j.write.Nodes[n]
		if earlier.Kind == messageKind.Name && earlier.EntityKey == m.EntityKey && j.result.Nodes[n].Status != Refused {
			j.result.Nodes[i] = NodeResult{EntityKey: m.EntityKey, Status: Unchanged, Version: 1}
			return true
		}
	}
	return false
}

func (j *memoryJob) restoreMessages(source *stored, restored []restoredMessage) error {
	if len(restored) == 0 {
		return nil
	}
	if err := j.numberMessages(source, restored); err != nil {
		return err
	}
	rows := make([]map[string]any, len(restored))
	for n, m := range restored {
		rows[n] = m.row
		j.result.Nodes[m.place] = NodeResult{EntityKey: text(m.row["entity_key"]), Status: Created, Version: 1}
		j.users = append(j.users, source.user())
	}
	return j.tx.rows("message_restore", j.scope.TeamID, rows)
}

// countAnew lets a restored source count the messages that it really has: those of the file are yet to come, or not, and
// it may have others.
func (s *stored) countAnew(old *stored) {
	s.properties["message_count"] = int64(0)
	if old != nil {
		s.properties["message_count"] = old.integer("message_count")
	}
}

// numberOn lets a restored source give no number twice.
func (s *stored) numberOn(w *NodeWrite, old *stored) {
	delete(s.properties, "next_seq")
	next := int64(0)
	if w.History != nil && w.History.NextSeq.Given {
		next = w.History.NextSeq.Value
	}
	if old != nil {
		next = max(next, old.integer("next_seq"))
	}
	s.putUnless(next == 0, "next_seq", next)
}
