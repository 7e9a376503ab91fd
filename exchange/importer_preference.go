package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"kith/graph"
)

// preference collects a user's preferences; those of another one come next.
func (i *importer) preference(ctx context.Context, item Item) error {
	var p struct {
		UserID string          `json:"user_id"`
		Key    string          `json:"key"`
		Value  json.RawMessage `json:"value"`
		TeamID *string         `json:"team_id"`
	}
	if fault := decodeItem(item.Raw, &p, i.scope.TeamID); fault != nil {
		return i.refuse(item.Line, []graph.FieldError{*fault}, &i.report.Preferences)
	}
	if p.UserID == "" {
		p.UserID = i.scope.UserID
	}
	switch {
	case !graph.ValidKey(p.UserID):
		return i.fault(item.Line, "user_id", "is needed: a preference is one user's", false, &i.report.Preferences)
	case i.scope.UserID != "" && p.UserID != i.scope.UserID:
		return i.fault(item.Line, "user_id", "is another user than the one the import is for", false, &i.report.Preferences)
	}
	one := graph.Preference{Key: p.Key, Value: p.Value}
	var invalid *graph.InvalidError
	if err := graph.ValidatePreferences([]graph.Preference{one}); errors.As(err, &invalid) {
		return i.refuse(item.Line, within(invalid.Fields, "preferences[0]."), &i.report.Preferences)
	}
	if p.UserID != i.batch.user || len(i.batch.Nodes)+len(i.batch.Relationships) > 0 {
		if err := i.flush(ctx); err != nil {
			return err
		}
	}
	i.batch.user = p.UserID
	i.batch.preferences = append(i.batch.preferences, one)
	i.batch.preferenceLines = append(i.batch.preferenceLines, item.Line)
	return nil
}

// flushPreferences puts the collected preferences over those that the user has.
func (i *importer) flushPreferences(ctx context.Context) error {
	if len(i.batch.preferences) == 0 {
		return nil
	}
	scope := graph.Scope{TeamID: i.scope.TeamID, UserID: i.batch.user}
	all, err := i.prefs.Preferences(ctx, scope)
	if err != nil {
		return err
	}
	counts := i.report.Preferences
	for _, p := range i.batch.preferences {
		all = put(all, p, &counts)
	}
	if !i.options.DryRun && counts != i.report.Preferences {
		err = i.prefs.ReplacePreferences(ctx, scope, all)
	}
	var invalid *graph.InvalidError
	switch {
	case errors.As(err, &invalid):
		i.report.Preferences.Refused += int64(len(i.batch.preferences))
		err = i.fault(i.batch.preferenceLines[0], "", invalid.Fields[0].Message, false, nil)
	case err == nil:
		i.report.Preferences = counts
		if i.options.Changed != nil {
			i.options.Changed([]string{scope.UserID})
		}
	}
	i.batch.preferences, i.batch.preferenceLines = nil, nil
	return err
}

// put sets one preference among all, and counts what that is.
func put(all []graph.Preference, p graph.Preference, counts *Counts) []graph.Preference {
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

// faultyField is the field that a decoder could not read.
func faultyField(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return wrong.Field
	}
	return ""
}
