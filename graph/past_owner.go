package graph

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"kith/cypher"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	findRecords             = neo.Load[versionedRecord]("version_records")
	findRelationshipRecords = neo.Load[versionedRecord]("version_relationships")
)

// versionedRecord is a record of which an import has former versions.
type versionedRecord struct {
	Key, Kind, User string
	Into            string // the node into which it was merged; empty: none
	Participants    []string
}

// unknownRecord is the answer for a version of a record that does not exist, and for one of somebody else's.
const unknownRecord = "must be the key of a record of the same user, stored before"

// placeSuffix ends the keys of the former places of records in their systems.
const placeSuffix = KeySeparator + PlaceRecord

// isRelationship reports whether the line is a version of a relationship.
func (l *VersionLine) isRelationship() bool {
	return l.Kind == RelationshipRecord || l.Kind == SystemRelationshipRecord
}

// checkOwner adds the faults of a line that its key and kind show. Those of systems are always shared, and the key of a preference has
// its user.
func (l *VersionLine) checkOwner(f *fault.List) {
	switch {
	case slices.Contains([]string{SystemRelationshipRecord, PlaceRecord, SystemEntityKind.Name}, l.Kind) && l.UserID.Value != "":
		f.Add(fault.At("user_id"), fault.NotAllowed, "must be null: the knowledge of systems is shared by the team")
	case l.Kind == PreferenceRecord && (l.UserID.Value == "" || !strings.HasPrefix(l.Of, l.UserID.Value+KeySeparator)):
		f.Add(fault.At("of"), fault.Missing, unknownRecord)
	}
	if l.Properties["participants"] != nil && l.Kind != SourceKind.Name {
		f.Add(fault.At("properties").Field("participants"), fault.NotAllowed, "is only of sources")
	}
}

// keys returns the keys of the records that decide whose a version is.
func (l *VersionLine) keys() []string {
	switch {
	case l.isRelationship():
		return []string{l.Of, l.From, l.To}
	case l.Kind == PlaceRecord:
		return []string{strings.TrimSuffix(l.Of, placeSuffix)}
	}
	return []string{l.Of}
}

// records finds the records to which versions of an import belong, by their keys.
func (t *Tx) records(team string, b *RestoreBatch, types []string) (map[string][]versionedRecord, error) {
	found := map[string][]versionedRecord{}
	var keys, relationships []string
	for i := range b.Versions {
		l := &b.Versions[i]
		keys = append(keys, l.keys()...)
		if l.isRelationship() || l.Kind == PlaceRecord {
			relationships = append(relationships, l.keys()[0])
		}
	}
	add := func(rows []versionedRecord) {
		for _, r := range rows {
			if kind := KindOfLabel(r.Kind); kind.Name != "" {
				r.Kind = kind.Name
			}
			found[r.Key] = append(found[r.Key], r)
		}
	}
	keys = Distinct(keys)
	for some := range slices.Chunk(keys, exportBatch) {
		rows, err := findRecords.Exec(t, map[string]any{"team_id": team, "keys": some})
		if err != nil {
			return nil, err
		}
		add(rows)
	}
	if err := b.Plan.records(keys, found); err != nil || len(relationships) == 0 {
		return found, err
	}
	for some := range slices.Chunk(types, typesAtOnce) {
		find := findRelationshipRecords
		find.Query = cypher.ForTypes(find.Query, some)
		rows, err := find.Exec(t, map[string]any{"team_id": team, "keys": Distinct(relationships)})
		if err != nil {
			return nil, err
		}
		add(rows)
	}
	return found, nil
}

// records adds what the pieces of a dry run before would have stored under some keys: nodes, relationships, and statements in messages.
func (p *RestorePlan) records(keys []string, found map[string][]versionedRecord) error {
	if p == nil {
		return nil
	}
	triples := map[string][3]string{}
	if err := p.relationships(keys, triples); err != nil {
		return err
	}
	for _, key := range keys {
		node, err := p.owner(key, found)
		if err != nil {
			return err
		}
		if node.Kind != "" {
			found[key] = append(found[key], node)
		}
		if message, _, ok := cutLast(key, "#"); ok {
			if node, err = p.owner(message, found); err != nil {
				return err
			}
			found[key] = append(found[key], versionedRecord{Key: key, Kind: StatementRecord, User: node.User})
		}
	}
	for key, triple := range triples {
		r := versionedRecord{Key: key, Kind: RelationshipRecord}
		for _, end := range []string{triple[0], triple[2]} {
			node, err := p.owner(end, found)
			if err != nil {
				return err
			}
			r.User = cmp.Or(r.User, node.User)
		}
		found[key] = append(found[key], r)
	}
	return nil
}

// owner returns the node with a key that a dry run would have stored, or that is stored; a zero one if there is none.
func (p *RestorePlan) owner(key string, found map[string][]versionedRecord) (versionedRecord, error) {
	kind, user, known, err := p.Planned(key)
	if err != nil || known {
		return versionedRecord{Key: key, Kind: kind.Name, User: user}, err
	}
	if all := found[key]; len(all) > 0 {
		return all[0], nil
	}
	return versionedRecord{}, nil
}

// cutLast splits a text at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}

// versionRefusal returns why a version of an import is not stored: its record does not exist, or is another user's.
func versionRefusal(l *VersionLine, scope Scope, found map[string][]versionedRecord) refusal {
	unknown := refusal{"of", fault.Missing, unknownRecord}
	user := l.UserID.Value
	owned := func(r versionedRecord) bool { return r.User == user && (r.Kind == l.Kind || r.Kind == "") }
	switch own := found[l.keys()[0]]; {
	case l.Kind == PreferenceRecord:
		return refusal{}
	case l.Kind == PlaceRecord:
		if slices.ContainsFunc(own, func(r versionedRecord) bool { return r.User != "" }) {
			return unknown
		}
		return refusal{}
	case l.isRelationship() && !slices.ContainsFunc(own, func(r versionedRecord) bool { return r.Kind == RelationshipRecord }):
		if !l.isLeft(found) {
			return unknown
		}
	case l.isRelationship():
		if !slices.ContainsFunc(own, func(r versionedRecord) bool { return r.Kind == RelationshipRecord && r.User == user }) {
			return unknown
		}
	case !slices.ContainsFunc(own, owned):
		return unknown
	case scope.Bound && l.Kind == SourceKind.Name && !slices.ContainsFunc(own, func(r versionedRecord) bool { return owned(r) && l.isAmong(r.Participants) }):
		return refusal{"properties.participants", fault.NotAllowed, "must be participants of the source"}
	}
	return refusal{}
}

// isLeft reports whether a version is of a relationship that a merge has left with the merged node, or that is within a system: its ends
// are the user's or shared, and one is the user's.
func (l *VersionLine) isLeft(found map[string][]versionedRecord) bool {
	user, merged := "", l.Kind == SystemRelationshipRecord
	for _, key := range []string{l.From, l.To} {
		of, known := "", false
		for _, r := range found[key] {
			if r.User == "" || r.User == l.UserID.Value {
				of, known = r.User, true
			}
			merged = merged || r.Into != ""
		}
		if !known {
			return false
		}
		if of != "" {
			user = of
		}
	}
	return merged && user == l.UserID.Value
}

// isAmong reports whether all participants of a version are among some.
func (l *VersionLine) isAmong(participants []string) bool {
	raw, given := l.Properties["participants"]
	var own []string
	if given && json.Unmarshal(raw, &own) != nil {
		return false
	}
	return !slices.ContainsFunc(own, func(user string) bool { return !slices.Contains(participants, user) })
}

// signVersion makes the key of a bound user the writer of a version, and the user its author: it says who wrote what the user's memory
// has been, and the user cannot speak for others.
func (t *Tx) signVersion(scope Scope, p Properties) {
	if !scope.Bound {
		return
	}
	p.putUnless(p["written"] == nil || t.writer.Text() == "", "written", t.writer.Text())
	for _, name := range []string{"created_by", "recorded_by"} {
		if p[name] != nil {
			p[name] = scope.UserID
		}
	}
}

// refuseVersion records why the version at a place of a batch is not stored.
func refuseVersion(i int, r refusal) fault.FieldError {
	return fault.FieldError{Path: fault.Parse(r.field).Under(fault.At("versions").Index(i)), Code: r.code, Message: r.message}
}
