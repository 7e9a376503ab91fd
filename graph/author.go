package graph

import "slices"

// author is whom the caller names as the author of what it writes: any name, but for a caller that is bound to a user, who
// is the author of all that it writes.
func (s Scope) author(named string) string {
	if s.Bound || named == "" {
		return s.UserID
	}
	return named
}

// signNotes makes a bound user the author of all notes that are not stored as they are.
func (s Scope) signNotes(p properties, stored []string) {
	if p["notes"] == nil || slices.Equal(p.texts("notes"), stored) {
		return
	}
	notes := allNotes(p.texts("notes"))
	for i := range notes {
		if !slices.ContainsFunc(allNotes(stored), notes[i].isSaidBy) {
			notes[i].AddedBy = &s.UserID
		}
	}
	p.putNotes(notes)
}

// isSaidBy says whether another note says the same in the same name.
func (n *Note) isSaidBy(other Note) bool {
	return n.ID == other.ID && n.Content == other.Content && (n.AddedBy == nil) == (other.AddedBy == nil) &&
		(n.AddedBy == nil || *n.AddedBy == *other.AddedBy)
}

// signNode makes a bound user the author of a node as it will be stored. One that is stored already keeps its author.
func (j *memoryJob) signNode(n, old *stored) {
	switch {
	case !j.scope.Bound || j.write.author != "":
		return
	case old == nil:
		n.properties["created_by"] = j.scope.UserID
		j.scope.signNotes(n.properties, nil)
	default:
		n.putUnless(old.properties["created_by"] == nil, "created_by", old.properties["created_by"])
		j.scope.signNotes(n.properties, old.texts("notes"))
	}
}

// signRelationship makes a bound user the one who recorded a relationship, where a write says anything of that.
func (j *memoryJob) signRelationship(p, old properties) {
	if !j.scope.Bound || j.write.author != "" {
		return
	}
	if !same(p["recorded_by"], old["recorded_by"]) {
		p["recorded_by"] = j.scope.UserID
	}
	j.scope.signNotes(p, old.texts("notes"))
}

// signRecord returns the author of a record that an import brings: for a bound user that of the stored record, if there is one,
// and else the user.
func (s Scope) signRecord(named *string, isStored bool, stored func() *string) *string {
	switch {
	case !s.Bound:
		return named
	case isStored:
		return stored()
	}
	return &s.UserID
}
