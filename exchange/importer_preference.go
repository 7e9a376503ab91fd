package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/preference"
)

// addPreference adds a preference to the batch. A batch has preferences of only one user.
func (i *importer) addPreference(ctx context.Context, item Item) error {
	var p struct {
		UserID *string         `json:"user_id"`
		Key    string          `json:"key"`
		Value  json.RawMessage `json:"value"`
		inTeam
	}
	if err := decodeItem(item.Raw, &p, &p.inTeam, i.scope.TeamID); err != nil {
		return i.recordFaults(ctx, item, fault.Fields(err)...)
	}
	user := i.scope.UserID
	if p.UserID != nil {
		user = *p.UserID
	}
	f := &fault.List{}
	if !fault.ValidKey(user) {
		f.Add(fault.At("user_id"), fault.Required, "is required for a preference")
	} else {
		i.scope.CheckImported(f, user)
	}
	one := preference.Preference{Key: p.Key, Value: p.Value}
	if f.Len() == 0 {
		err := preference.Validate([]preference.Preference{one})
		f.Append(fault.Fields(fault.Within(err, fault.At("preferences").Index(0)))...)
	}
	if f.Len() > 0 {
		return i.recordFaults(ctx, item, f.Fields()...)
	}
	if len(i.batch.preferences) > 0 && user != i.batch.user {
		if err := i.flush(ctx); err != nil {
			return err
		}
	}
	i.batch.user = user
	i.batch.preferences = append(i.batch.preferences, one)
	i.batch.preferenceLines = append(i.batch.preferenceLines, item.Line)
	i.batch.bytes += len(item.Raw)
	return nil
}

// storePreferences adds the preferences of a batch to those of the user.
func (i *importer) storePreferences(ctx context.Context, b *batch) error {
	if len(b.preferences) == 0 {
		return nil
	}
	if err := i.checkProgress(ctx); err != nil {
		return err
	}
	scope := graph.Scope{TeamID: i.scope.TeamID, UserID: b.user}
	all, err := i.Preferences.Preferences(ctx, scope)
	if err != nil {
		return err
	}
	var counts Counts
	for _, p := range b.preferences {
		all = setPreference(all, p, &counts)
	}
	if err = preference.Validate(all); err == nil && counts.Created+counts.Updated > 0 && !i.options.DryRun {
		err = i.Preferences.SetPreferences(ctx, scope, lastOfEach(b.preferences)) // others may be set meanwhile
	}
	var invalid *fault.InvalidError
	if errors.As(err, &invalid) {
		first := Refusal{b.preferenceLines[0], "", invalid.Fields[0].Message}
		b.findings = append(b.findings, finding{first, false, PreferenceItem}) // for all of them
		i.report.Preferences.Refused += int64(len(b.preferences) - 1)
		return nil
	}
	if err != nil {
		return err
	}
	i.report.Preferences.Created += counts.Created
	i.report.Preferences.Updated += counts.Updated
	i.report.Preferences.Unchanged += counts.Unchanged
	return nil
}

// checkProgress returns fault.ErrConflict if another request continues the import. Preferences may be in another
// database than the mark, so no transaction can guarantee it.
func (i *importer) checkProgress(ctx context.Context) error {
	if !i.resumable() {
		return nil
	}
	mark, err := i.Memory.ImportProgress(ctx, i.scope, i.options.ID)
	if err == nil && mark.Seq != i.stored {
		err = fmt.Errorf("another request continues the same import: %w", fault.ErrConflict)
	}
	return err
}

// lastOfEach returns the last preference with each key.
func lastOfEach(preferences []preference.Preference) []preference.Preference {
	var last []preference.Preference
	for _, p := range preferences {
		last = append(slices.DeleteFunc(last, func(l preference.Preference) bool { return l.Key == p.Key }), p)
	}
	return last
}

// setPreference sets one preference among all, and counts the result.
func setPreference(all []preference.Preference, p preference.Preference, counts *Counts) []preference.Preference {
	var value bytes.Buffer
	if json.Compact(&value, p.Value) == nil {
		p.Value = value.Bytes()
	}
	for n := range all {
		switch {
		case all[n].Key != p.Key:
		case bytes.Equal(all[n].Value, p.Value):
			counts.Unchanged++
			return all
		default:
			all[n].Value = p.Value
			counts.Updated++
			return all
		}
	}
	counts.Created++
	return append(all, p)
}

// inTeam is an optional field of any line. It must name the team of the import.
type inTeam struct {
	TeamID *string `json:"team_id"`
}

// embedded drops the names of embedded structs from a decoder's path.
var embeddedNames = strings.NewReplacer( //nolint:gochecknoglobals // a constant
	"NodeWrite.", "", "TreeRecord.", "", "TurnRecord.", "", "RelationshipWrite.", "", "OwnFields.", "", "PauseLine.", "", "ReviewLine.", "", "TrustRuleLine.", "",
	"Line.", "", "Pair.", "",
)

// decodeItem decodes an item of Kith's own format. An unknown field is a fault, because its meaning would be lost.
func decodeItem(raw json.RawMessage, into any, in *inTeam, team string) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	switch {
	case in.TeamID != nil && *in.TeamID != team:
		return fault.Invalid(fault.At("team_id"), fault.NotAllowed, "must be the team of the key")
	case err == nil:
		return checkNUL(raw, into)
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fault.Invalid(fault.Parse(embeddedNames.Replace(wrong.Field)), fault.WrongType, "must be %s", wireType(wrong))
	}
	if field := unknownField(raw, reflect.TypeOf(into)); fault.ValidKey(field) {
		return fault.Invalid(fault.At(field), fault.UnknownField, "is an unknown field")
	}
	return fault.Invalid(fault.Path{}, fault.WrongType, "has a field of the wrong type")
}
