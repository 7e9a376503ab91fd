package graph

import (
	"context"
	"encoding/json"
	"slices"

	"kith/cypher"
	"kith/internal/fault"
)

// Labels of records outside the memory that a receipt counts separately.
const (
	deletedLabel             = "Deleted"
	deletedRelationshipLabel = "DeletedRelationship"
	preferenceLabel          = "Preference"
	apiKeyLabel              = "ApiKey"
)

// recordLabels returns the labels of all records outside the memory, whoever wrote them: API keys last.
func (s *Store) recordLabels(ctx context.Context) ([]string, error) {
	row, err := s.readOne(ctx, "label_list", nil)
	if err != nil {
		return nil, err
	}
	labels := slices.DeleteFunc(texts(row.Values[0]), func(l string) bool {
		return slices.Contains([]string{"Memory", "KithSchema", "Lease", apiKeyLabel}, l) || kindOfLabel(l).Name != ""
	})
	slices.Sort(labels)
	return append(labels, apiKeyLabel), nil
}

func (e *erasure) records(ctx context.Context) error {
	labels, err := e.store.recordLabels(ctx)
	if err != nil {
		return err
	}
	for _, label := range labels {
		if err := e.recordsOf(ctx, label); err != nil {
			return err
		}
	}
	return nil
}

// recordsOf reads before it writes: the database plans each statement for each label, which takes longer than a read.
func (e *erasure) recordsOf(ctx context.Context, label string) error {
	if left, err := e.recordsLeft(ctx, label); err != nil || left == 0 {
		return err
	}
	for _, step := range []struct {
		name  string
		count func([]any) int64
	}{
		{"erasure_record_unlink", func(c []any) int64 { e.receipt.Relationships += integer(c[1]); return integer(c[0]) }},
		{"erasure_record_delete", func(c []any) int64 { e.countRecords(label, integer(c[0]), integer(c[1])); return integer(c[0]) }},
		{"erasure_record_anonymise", e.countAnonymised},
		{"erasure_record_relationships", e.countAnonymised},
	} {
		if err := e.exhaust(ctx, cypher.ForLabel(e.store.queries[step.name], label), nil, step.count); err != nil {
			return err
		}
	}
	return nil
}

func (e *erasure) countRecords(label string, found, messages int64) {
	r := &e.receipt
	switch label {
	case deletedLabel:
		r.Nodes += found - messages
		r.Messages += messages
	case deletedRelationshipLabel:
		r.Relationships += found
	case preferenceLabel:
		r.Preferences += found
	case apiKeyLabel:
		r.Keys += found
	default:
		r.Records += found
	}
}

// left counts what still exists of what the erasure removes or makes anonymous.
func (e *erasure) left(ctx context.Context) (int64, error) {
	labels, err := e.store.recordLabels(ctx)
	if err != nil {
		return 0, err
	}
	var left int64
	for _, label := range labels {
		found, err := e.recordsLeft(ctx, label)
		if err != nil {
			return 0, err
		}
		left += found
	}
	err = e.walk(ctx, func(step erasureStep) error {
		left += int64(len(step.own) + len(step.authored))
		return nil
	})
	return left, err
}

func (e *erasure) recordsLeft(ctx context.Context, label string) (int64, error) {
	rows, err := e.store.read(ctx, cypher.ForLabel(e.store.queries["erasure_record_left"], label), e.params(nil))
	if err != nil {
		return 0, err
	}
	return integer(rows[0].Values[0]), nil
}

const answerPage = 100 // an answer may have ten thousand items

// answers removes stored answers to writes without a user that name private nodes of the user.
func (e *erasure) answers(ctx context.Context) error {
	if e.scope.UserID == "" { // all of them are removed
		return nil
	}
	for after := ""; ; {
		rows, err := e.store.read(ctx, e.store.queries["erasure_answers"], e.params(map[string]any{"after": after, "limit": answerPage}))
		if err != nil {
			return err
		}
		var naming []string
		for _, row := range rows {
			after = text(row.Values[0])
			names, err := e.names(ctx, text(row.Values[1]))
			if err != nil {
				return err
			}
			if names {
				naming = append(naming, after)
			}
		}
		if err := e.forget(ctx, naming); err != nil || len(rows) < answerPage {
			return err
		}
	}
}

func (e *erasure) forget(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	counts, err := e.write(ctx, e.store.queries["idempotency_forget"], map[string]any{"entity_keys": keys})
	if err == nil {
		e.receipt.Records += integer(counts[0])
	}
	return err
}

// names reports whether an answer names a node of the user.
func (e *erasure) names(ctx context.Context, answer string) (bool, error) {
	var parsed any
	if json.Unmarshal([]byte(answer), &parsed) != nil {
		return false, nil
	}
	keys := distinct(textsIn(parsed, nil))
	if len(keys) == 0 {
		return false, nil
	}
	row, err := e.store.readOne(ctx, "erasure_owned", e.params(map[string]any{"entity_keys": keys}))
	if err != nil {
		return false, err
	}
	return len(items(row.Values[0])) > 0, nil
}

// textsIn returns the texts in a JSON value that may be keys.
func textsIn(v any, found []string) []string {
	switch typed := v.(type) {
	case string:
		if fault.ValidKey(typed) {
			found = append(found, typed)
		}
	case []any:
		for _, item := range typed {
			found = textsIn(item, found)
		}
	case map[string]any:
		for _, item := range typed {
			found = textsIn(item, found)
		}
	}
	return found
}
