package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"kith/graph/neo"
	"kith/internal/bounds"
	"kith/internal/fault"
)

var (
	exportFormer  = neo.Load[formerRecord]("former_export")
	restoreFormer = neo.Load[restoredFormer]("former_restore")
)

// formerRecord is a former version as it is stored.
type formerRecord struct {
	Kind, Of, Type, From, To string
	Until                    int64
	Properties               Properties
}

// restoredFormer is whether the row at a position was stored; false if it existed.
type restoredFormer struct {
	Position int
	Fresh    bool
}

// VersionLine is a former version of a record in an export. The properties are as they are stored: texts, whole numbers, truth values
// and lists of texts as in JSON, {"number": 0.5} and {"time": "2026-03-04T12:00:00Z"}.
type VersionLine struct {
	UserID     Optional[string]           `json:"user_id,omitzero"`
	Kind       string                     `json:"kind"`
	Of         string                     `json:"of"` // key of the record
	Type       string                     `json:"type,omitempty"`
	From       string                     `json:"from,omitempty"`
	To         string                     `json:"to,omitempty"`
	Until      time.Time                  `json:"until"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// ExportVersions reads all former versions of a team in the form in which they are imported, by record and end.
func (s *Store) ExportVersions(ctx context.Context, teamID string, visit func(*VersionLine) error) error {
	of, until, number := "", int64(0), int64(0)
	for {
		rows, err := exportFormer.Read(ctx, s.db, map[string]any{"team_id": teamID, "of": of, "until": until, "version": number, "limit": exportBatch})
		if err != nil {
			return err
		}
		for i := range rows {
			of, until, number = rows[i].Of, rows[i].Until, version(rows[i].Properties)
			line, err := rows[i].line()
			if err == nil {
				err = visit(line)
			}
			if err != nil {
				return err
			}
		}
		if len(rows) < exportBatch {
			return nil
		}
	}
}

func (r *formerRecord) line() (*VersionLine, error) {
	l := &VersionLine{
		UserID: Null[string](), Kind: r.Kind, Of: r.Of, Type: r.Type, From: r.From, To: r.To, Until: time.UnixMilli(r.Until).UTC(),
		Properties: map[string]json.RawMessage{},
	}
	for name, value := range r.Properties {
		if name == "user_id" {
			l.UserID = Some(neo.Text(value))
			continue
		}
		if text, isText := value.(string); isText && (name == "description" || name == "text") {
			value = withoutNUL(text)
		}
		raw, err := storedJSON(value)
		if err != nil {
			return nil, fmt.Errorf("version of %s: %w", r.Kind, err)
		}
		l.Properties[name] = raw
	}
	return l, nil
}

// Bounds of an imported version.
const (
	maxVersionFields = 100
	maxVersionText   = 2 << 20 // an item's value of 256 KiB, as JSON in JSON
)

var propertyName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// ownedFields are the properties of a former version that its line has as fields of its own.
var ownedFields = map[string]bool{ //nolint:gochecknoglobals // a constant table
	"team_id": true, "user_id": true, "former_of": true, "former_kind": true, "former_type": true, "from_key": true, "to_key": true, "until": true, "thin_at": true,
}

// CheckVersion returns the faults of an imported version. A caller who is bound to a user has no history of shared records to give.
func (s *Store) CheckVersion(l *VersionLine, scope Scope) []fault.FieldError {
	f := fault.List{}
	if _, isNode := KindOf(l.Kind); !isNode {
		f.OneOf(fault.At("kind"), l.Kind, RelationshipRecord, SystemRelationshipRecord, PlaceRecord, StatementRecord, PreferenceRecord)
	}
	if l.Of == "" || len(l.Of) > 3*bounds.KeyLength {
		f.Add(fault.At("of"), fault.Malformed, "must be the key of a record")
	}
	if l.Until.IsZero() || l.Until.After(s.Now()) {
		f.Add(fault.At("until"), fault.Malformed, "must be a time of the past")
	}
	switch {
	case l.UserID.Given && !l.UserID.Null:
		f.Word(fault.At("user_id"), l.UserID.Value, bounds.KeyLength)
		scope.CheckImported(&f, l.UserID.Value)
	case scope.Bound:
		f.Add(fault.At("user_id"), fault.NotAllowed, "must be the user that the import is for")
	}
	l.checkOwner(&f)
	if len(l.Properties) > maxVersionFields {
		f.Add(fault.At("properties"), fault.WrongCount, "must be at most %d", maxVersionFields)
	}
	if _, err := l.stored(); err != nil {
		f.Add(fault.At("properties"), fault.Malformed, "%s", err)
	}
	return f.Fields()
}

// stored returns the properties in their stored form.
func (l *VersionLine) stored() (Properties, error) {
	p, size := Properties{}, 0
	for name, raw := range l.Properties {
		size += len(raw)
		if !propertyName.MatchString(name) || ownedFields[name] || size > maxVersionText {
			return nil, fmt.Errorf("must have names of letters, digits and underscores, and at most %d bytes", maxVersionText)
		}
		value, ok := storedValue(raw)
		if text, isText := value.(string); isText && (name == "description" || name == "text") {
			value = withoutNUL(text)
		}
		if !ok || hasNUL(value) {
			return nil, fmt.Errorf("must have texts without NUL, whole numbers, truth values, lists of such texts, or objects with number or time")
		}
		p[name] = value
	}
	p.putUnless(!l.UserID.Given || l.UserID.Null, "user_id", l.UserID.Value)
	return p, nil
}

// hasNUL reports whether a property has a text with a NUL character.
func hasNUL(value any) bool {
	list, _ := value.([]string)
	return slices.ContainsFunc(append(list, neo.Text(value)), func(text string) bool { return strings.Contains(text, "\x00") })
}

// storedJSON returns a property as JSON from which storedValue reads it.
func storedJSON(value any) (json.RawMessage, error) {
	switch v := value.(type) {
	case float64:
		value = map[string]float64{"number": v}
	case time.Time:
		value = map[string]time.Time{"time": v}
	}
	return json.Marshal(value)
}

func storedValue(raw json.RawMessage) (any, bool) {
	var (
		text   string
		list   []string
		yes    bool
		whole  int64
		object struct {
			Number *float64   `json:"number"`
			Time   *time.Time `json:"time"`
		}
	)
	switch c := strings.TrimSpace(string(raw)); {
	case c == "":
		return nil, false
	case c[0] == '"':
		return orFalse(&text, json.Unmarshal(raw, &text))
	case c[0] == '[':
		return orFalse(&list, json.Unmarshal(raw, &list))
	case c == "true" || c == "false":
		return orFalse(&yes, json.Unmarshal(raw, &yes))
	case c[0] == '{':
		err := json.Unmarshal(raw, &object)
		switch {
		case err == nil && object.Number != nil && object.Time == nil:
			return *object.Number, true
		case err == nil && object.Time != nil && object.Number == nil:
			return object.Time.UTC().Truncate(precision), true
		}
		return nil, false
	}
	return orFalse(&whole, json.Unmarshal(raw, &whole))
}

func orFalse[T any](value *T, err error) (any, bool) { return *value, err == nil }

// restoreVersions stores the former versions of a piece of an import in its transaction, except those that exist, and those that are not
// of a stored record of the same user. It returns their statuses, and why some are refused.
func (t *Tx) restoreVersions(scope Scope, b *RestoreBatch, types []string) ([]Status, []fault.FieldError, error) {
	lines := b.Versions
	if len(lines) == 0 {
		return nil, nil, nil
	}
	records, err := t.records(scope.TeamID, b, types)
	if err != nil {
		return nil, nil, err
	}
	statuses := make([]Status, len(lines))
	var refused []fault.FieldError
	var rows []map[string]any
	var places []int
	seen := map[string]bool{}
	for i := range lines {
		l := &lines[i]
		p, err := l.stored()
		if err != nil {
			return nil, nil, fault.Invalid(fault.At("properties"), fault.Malformed, "%s", err)
		}
		if r := versionRefusal(l, scope, records); r != (refusal{}) {
			statuses[i], refused = Refused, append(refused, refuseVersion(i, r))
			continue
		}
		t.signVersion(scope, p)
		id := fmt.Sprintf("%s\x1f%s\x1f%d\x1f%d", l.Kind, l.Of, l.Until.UnixMilli(), version(p))
		if statuses[i] = Unchanged; seen[id] {
			continue
		}
		seen[id] = true
		places = append(places, i)
		rows = append(rows, map[string]any{
			"kind": l.Kind, "of": l.Of, "type": OrNil(l.Type), "from": OrNil(l.From), "to": OrNil(l.To), "until": l.Until.UnixMilli(),
			"thin_at": ThinAt(l.Until), "version": version(p), "properties": map[string]any(p),
		})
	}
	if len(rows) == 0 {
		return statuses, refused, nil
	}
	if err := lockImports.Run(t, map[string]any{"team_id": scope.TeamID, "now": t.store.Now()}); err != nil { // no constraint keeps two imports from storing one version twice
		return nil, nil, err
	}
	stored, err := restoreFormer.Exec(t, map[string]any{"team_id": scope.TeamID, "rows": rows})
	for _, row := range stored {
		if row.Fresh {
			statuses[places[row.Position]] = Created
		}
	}
	return statuses, refused, err
}
