package erasure

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	listLabels                   = neo.Load[[]string]("label_list")
	unlinkRecords                = neo.Load[unlinked]("erasure_record_unlink")
	eraseRecords                 = neo.Load[erased]("erasure_record_delete")
	anonymiseRecords             = neo.Load[anonymised]("erasure_record_anonymise")
	anonymiseRecordRelationships = neo.Load[anonymised]("erasure_record_relationships")
	countRecordsLeft             = neo.Load[int64]("erasure_record_left")
	listAnswers                  = neo.Load[storedAnswer]("erasure_answers")
	forgetAnswers                = neo.Load[int64]("idempotency_forget")
	findOwned                    = neo.Load[[]string]("erasure_owned")
	listReviews                  = neo.Load[storedReview]("erasure_reviews")
	emptyQuota                   = neo.Load[neo.None]("quota_empty")
	deleteReviews                = neo.Load[int64]("review_delete")
)

// storedReview is a write that waits for a decision, or about which one was made.
type storedReview struct {
	Key, UserID string
	Sources     []string
	Body        string
}

// storedAnswer is the answer to the request of an idempotency key.
type storedAnswer struct{ Key, Answer string }

// Labels of records outside the memory that a receipt counts separately.
const (
	preferenceLabel = "Preference"
	apiKeyLabel     = "ApiKey"
)

// recordLabels returns the labels of all records outside the memory, whoever wrote them: API keys last. Quotas belong to the operator.
func (s *Store) recordLabels(ctx context.Context) ([]string, error) {
	labels, err := listLabels.ReadOne(ctx, s.db, nil)
	if err != nil {
		return nil, err
	}
	labels = slices.DeleteFunc(labels, func(l string) bool {
		return slices.Contains([]string{"Memory", "KithSchema", "Lease", "Quota", apiKeyLabel}, l) || graph.KindOfLabel(l).Name != ""
	})
	slices.Sort(labels)
	return append(labels, apiKeyLabel), nil
}

func (e *job) records(ctx context.Context) error {
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
func (e *job) recordsOf(ctx context.Context, label string) error {
	if left, err := e.recordsLeft(ctx, label); err != nil || left == 0 {
		return err
	}
	if err := eraseBatches(ctx, e, unlinkRecords.ForLabel(label), nil, e.countUnlinked); err != nil {
		return err
	}
	countErased := func(c erased) int64 {
		e.countRecords(label, c.Nodes, c.Messages)
		return c.Nodes
	}
	if err := eraseBatches(ctx, e, eraseRecords.ForLabel(label), nil, countErased); err != nil {
		return err
	}
	for _, anonymise := range []neo.Query[anonymised]{anonymiseRecords, anonymiseRecordRelationships} {
		if err := eraseBatches(ctx, e, anonymise.ForLabel(label), nil, e.countAnonymised); err != nil {
			return err
		}
	}
	return nil
}

func (e *job) countRecords(label string, found, messages int64) {
	r := &e.receipt
	switch label {
	case "Duplicate", "DuplicateBlocks", "DuplicateLook": // made of nodes, which are counted
	case graph.DeletedLabel:
		r.Nodes += found - messages
		r.Messages += messages
	case graph.DeletedRelationshipLabel:
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
func (e *job) left(ctx context.Context) (int64, error) {
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
		left += int64(len(step.Own) + len(step.Authored))
		return nil
	})
	return left, err
}

func (e *job) recordsLeft(ctx context.Context, label string) (int64, error) {
	return countRecordsLeft.ForLabel(label).ReadOne(ctx, e.store.db, e.params(nil))
}

const (
	answerPage = 100 // an answer may have ten thousand items
	reviewPage = 20  // a review may have a megabyte
)

// answers removes stored answers to writes without a user that name private nodes of the user.
func (e *job) answers(ctx context.Context) error {
	if e.scope.UserID == "" { // all of them are removed
		return nil
	}
	for after := ""; ; {
		answers, err := listAnswers.Read(ctx, e.store.db, e.params(map[string]any{"after": after, "limit": answerPage}))
		if err != nil {
			return err
		}
		var naming []string
		for _, answer := range answers {
			after = answer.Key
			names, err := e.names(ctx, answer.Answer)
			if err != nil {
				return err
			}
			if names {
				naming = append(naming, after)
			}
		}
		if err := e.forget(ctx, naming); err != nil || len(answers) < answerPage {
			return err
		}
	}
}

func (e *job) forget(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	forgotten, err := eraseBatch(ctx, e, forgetAnswers, map[string]any{"entity_keys": keys})
	e.receipt.Records += forgotten
	return err
}

// reviews removes the reviews of the team and of other users with a node for the user, and those of the team that rest on the user's
// sources or link the user's nodes.
func (e *job) reviews(ctx context.Context) error {
	if e.scope.UserID == "" { // all of them are removed
		return nil
	}
	user, _ := json.Marshal(e.scope.UserID) // a text always can be encoded
	field := `"user_id":` + string(user)
	for after := ""; ; {
		reviews, err := listReviews.Read(ctx, e.store.db, e.params(map[string]any{"user_field": field, "after": after, "limit": reviewPage}))
		if err != nil {
			return err
		}
		var naming []string
		for i := range reviews {
			r := &reviews[i]
			after = r.Key
			names := strings.Contains(r.Body, field)
			if !names {
				if names, err = e.names(ctx, r.Body, r.Sources...); err != nil {
					return err
				}
			}
			if names {
				naming = append(naming, r.Key)
			}
		}
		if len(naming) > 0 {
			deleted, err := eraseBatch(ctx, e, deleteReviews, map[string]any{"keys": naming})
			e.receipt.Records += deleted
			if err != nil {
				return err
			}
		}
		if len(reviews) < reviewPage {
			return nil
		}
	}
}

// names reports whether a JSON text or one of the keys names a node of the user.
func (e *job) names(ctx context.Context, text string, keys ...string) (bool, error) {
	var parsed any
	if json.Unmarshal([]byte(text), &parsed) != nil {
		return false, nil
	}
	keys = graph.Distinct(textsIn(parsed, keys))
	if len(keys) == 0 {
		return false, nil
	}
	owned, err := findOwned.ReadOne(ctx, e.store.db, e.params(map[string]any{"entity_keys": keys}))
	return len(owned) > 0, err
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
