package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"kith/graph"
)

// addPreference adds a preference to the batch. A batch has preferences of only one user.
func (i *importer) addPreference(ctx context.Context, item Item) error {
	var p struct {
		UserID *string         `json:"user_id"`
		Key    string          `json:"key"`
		Value  json.RawMessage `json:"value"`
		inTeam
	}
	if fault := decodeItem(item.Raw, &p, &p.inTeam, i.scope.TeamID); fault != nil {
		return i.recordFaults(ctx, item, *fault)
	}
	user := i.scope.UserID
	if p.UserID != nil {
		user = *p.UserID
	}
	switch {
	case !graph.ValidKey(user):
		return i.recordFaults(ctx, item, graph.FieldError{Location: "user_id", Message: "is required for a preference"})
	case i.scope.UserID != "" && user != i.scope.UserID:
		return i.recordFaults(ctx, item, graph.FieldError{Location: "user_id", Message: otherUser})
	}
	one := graph.Preference{Key: p.Key, Value: p.Value}
	var invalid *graph.InvalidError
	if err := graph.ValidatePreferences([]graph.Preference{one}); errors.As(err, &invalid) {
		return i.recordFaults(ctx, item, trimLocations(invalid.Fields, "preferences[0].")...)
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
	all, err := i.prefs.Preferences(ctx, scope)
	if err != nil {
		return err
	}
	var counts Counts
	for _, p := range b.preferences {
		all = setPreference(all, p, &counts)
	}
	changed := counts.Created+counts.Updated > 0
	if err = graph.ValidatePreferences(all); err == nil && changed && !i.options.DryRun {
		err = i.prefs.ReplacePreferences(ctx, scope, all)
	}
	var invalid *graph.InvalidError
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
	if changed {
	}
	return nil
}

// checkProgress returns graph.ErrConflict if another request continues the import. Preferences may be in another
// database than the mark, so no transaction can guarantee it.
func (i *importer) checkProgress(ctx context.Context) error {
	if !i.resumable() {
		return nil
	}
	mark, err := i.store.ImportProgress(ctx, i.scope, i.options.ID)
	if err == nil && mark.Seq != i.stored {
		err = fmt.Errorf("another request continues the same import: %w", graph.ErrConflict)
	}
	return err
}

// setPreference sets one preference among all, and counts the result.
func setPreference(all []graph.Preference, p graph.Preference, counts *Counts) []graph.Preference {
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
	"NodeWrite.", "", "ChatTreeRecord.", "", "ChatTurnRecord.", "", "RelationshipWrite.", "", "OwnFields.", "",
)

// decodeItem decodes an item of Kith's own format. An unknown field is a fault, because its meaning would be lost.
func decodeItem(raw json.RawMessage, into any, in *inTeam, team string) *graph.FieldError {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	switch {
	case in.TeamID != nil && *in.TeamID != team:
		return &graph.FieldError{Location: "team_id", Message: "must be the team of the key"}
	case err == nil:
		return nil
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return &graph.FieldError{Location: embeddedNames.Replace(wrong.Field), Message: "must be " + wireType(wrong)}
	}
	var field string
	if n, _ := fmt.Sscanf(err.Error(), "json: unknown field %q", &field); n == 1 && graph.ValidKey(field) {
		return &graph.FieldError{Location: field, Message: "is an unknown field"}
	}
	return &graph.FieldError{Message: "has a field of the wrong type"}
}
