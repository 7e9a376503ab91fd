package cache_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"kith/internal/testenv"
)

// Whoever may have read from the database what a commit wrote does not get an older entry.
func TestGetWaitsForCommits(t *testing.T) {
	levels(t, func(t *testing.T, uri string) {
		p, team := startReady(t, uri), testenv.Team(t)
		for _, written := range []string{"u", ""} {
			for _, user := range []string{"u", "other"} {
				p.get(team, user, "v", "old")
			}
			first, second := p.Committing(team, written), p.Committing(team, written, "third")
			if got, _ := p.get(team+"2", "u", "v", "of another team"); got != "of another team" {
				t.Errorf("another team got %q", got)
			}
			if written == "u" {
				if got, _ := p.get(team, "other", "v", "old"); got != "old" {
					t.Errorf("another user got %q", got)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			if _, err := p.Get(ctx, team, "u", "v", nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("answered during a commit: %v", err)
			}
			cancel()
			got := make(chan string, 1)
			go func() {
				value, _ := p.get(team, "u", "v", "new")
				got <- value
			}()
			second()
			select {
			case value := <-got:
				t.Errorf("got %q during a commit", value)
			case <-time.After(20 * time.Millisecond):
			}
			p.Changed(t.Context(), team, written)
			first()
			if value := <-got; value != "new" {
				t.Errorf("got %q after a commit", value)
			}
		}
	})
}
