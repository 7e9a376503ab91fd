package exchange

import (
	"context"
	"strings"
	"testing"

	"kith/graph"
	"kith/internal/fault"
)

func (s *scripted) CheckReview(l *graph.ReviewLine, _ graph.Scope) (fields []fault.FieldError) {
	if l.Key == "" {
		fields = fault.Fields(fault.Invalid(fault.At("key"), fault.Required, "is required"))
	}
	return fields
}

func (s *scripted) CheckTrustRule(*graph.TrustRuleLine, graph.Scope) []fault.FieldError { return nil }

// RestoreReviews has no room for those with the key full.
func (s *scripted) RestoreReviews(_ context.Context, _ graph.Scope, lines []graph.ReviewLine, dryRun bool) (created int64, refused map[int]fault.FieldError, err error) {
	refused = map[int]fault.FieldError{}
	for i, l := range lines {
		if l.Key == "full" {
			refused[i] = fault.FieldError{Path: fault.At("state"), Message: "too many"}
			continue
		}
		created++
		if !dryRun {
			s.reviewed = append(s.reviewed, l.Write.Nodes[0].EntityKey)
		}
	}
	return created, refused, nil
}

func (s *scripted) RestoreTrustRules(_ context.Context, _ graph.Scope, lines []graph.TrustRuleLine, _ bool) (int64, error) {
	return int64(len(lines)), nil
}

// Reviews and rules are stored after the nodes before them. Those that decide need an admin.
func TestReviewsAreImported(t *testing.T) {
	line := func(key, state string) string {
		return `{"review":{"user_id":"u1","key":"` + key + `","state":"` + state + `","trust":0.1,"write":{"nodes":[{"kind":"concept","entity_key":"w","name":"W"}]},"created_at":"2026-03-04T12:00:00Z"}}` + "\n"
	}
	file := ownHeader + aNode + line("k", "waiting") + line("d", "confirmed") + line("full", "waiting") + line("", "waiting") +
		`{"review":{"key":7}}` + "\n" + `{"review":{"write":{"nodes":[{"nonsense":1}]}}}` + "\n" + `{"trust_rule":{"user_id":"u1","origin":"external","decision":"refused","created_at":"2026-03-04T12:00:00Z"}}` + "\n" +
		`{"trust_rule":{"decision":[]}}` + "\n"
	for _, test := range []struct {
		options        ImportOptions
		reviews, rules Counts
		stored         int
	}{
		{ImportOptions{Admin: true}, Counts{Created: 2, Refused: 4}, Counts{Created: 1, Refused: 1}, 2},
		{ImportOptions{Admin: true, DryRun: true}, Counts{Created: 2, Refused: 4}, Counts{Created: 1, Refused: 1}, 0},
		{ImportOptions{}, Counts{Created: 1, Refused: 5}, Counts{Refused: 2}, 1},
	} {
		s := &scripted{vast: vast{TB: t}}
		got, err := s.runImport(t, file, test.options)
		if err != nil || got.Reviews != test.reviews || got.TrustRules != test.rules || len(s.reviewed) != test.stored || got.Nodes.Refused > 0 {
			t.Errorf("%+v: %v, reviews %+v, rules %+v, stored %q", test.options, err, got.Reviews, got.TrustRules, s.reviewed)
		}
		for _, r := range got.Refused {
			if r.Line == 0 || r.Location == "" || r.Message == "" || strings.Contains(r.Location, "Line") {
				t.Errorf("not located: %+v", r)
			}
		}
	}
}
