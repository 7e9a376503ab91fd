package graph

import "slices"

// author returns the author of what the caller writes. A caller that is bound to a user always writes as that user; any other
// caller may give a name.
func (s Scope) author(named string) string {
	if s.Bound || named == "" {
		return s.UserID
	}
	return named
}

// signNotes makes a bound user the author of all notes that are new or changed.
func (s Scope) signNotes(p Properties, stored []string) {
	if p["notes"] == nil || slices.Equal(p.Texts("notes"), stored) {
		return
	}
	notes := allNotes(p.Texts("notes"))
	for i := range notes {
		if !slices.ContainsFunc(allNotes(stored), notes[i].isSaidBy) {
			notes[i].AddedBy = &s.UserID
		}
	}
	p.putNotes(notes)
}

// isSaidBy reports whether another note has the same id, content and author.
func (n *Note) isSaidBy(other Note) bool {
	return n.ID == other.ID && n.Content == other.Content && (n.AddedBy == nil) == (other.AddedBy == nil) &&
		(n.AddedBy == nil || *n.AddedBy == *other.AddedBy)
}

// signNode makes a bound user the author of a node to be stored. A stored node keeps its author.
func (j *memoryJob) signNode(n, old *stored) {
	switch {
	case !j.scope.Bound || j.write.author != "":
		return
	case old == nil:
		n.Properties["created_by"] = j.scope.UserID
		j.scope.signNotes(n.Properties, nil)
	default:
		n.putUnless(old.Properties["created_by"] == nil, "created_by", old.Properties["created_by"])
		j.scope.signNotes(n.Properties, old.Texts("notes"))
	}
}

// signRelationship makes a bound user the recorder of a relationship if a write changes its recorder.
func (j *memoryJob) signRelationship(p, old Properties) {
	if !j.scope.Bound || j.write.author != "" {
		return
	}
	if !Same(p["recorded_by"], old["recorded_by"]) {
		p["recorded_by"] = j.scope.UserID
	}
	j.scope.signNotes(p, old.Texts("notes"))
}

// SignRecord returns the author of an imported record. For a bound user it is the author of the stored record, if there is one,
// or else the user.
func (s Scope) SignRecord(named *string, isStored bool, stored func() *string) *string {
	switch {
	case !s.Bound:
		return named
	case isStored:
		return stored()
	}
	return &s.UserID
}
