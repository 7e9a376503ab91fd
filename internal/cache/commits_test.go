package cache_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"kith/tests/testenv"
)

// While a commit is in doubt, somebody may read what it writes at any time, and then everybody must. An entry from before must not stay.
func TestNothingIsKeptInDoubt(t *testing.T) {
	levels(t, func(t *testing.T, uri string) {
		p, other := startReady(t, uri), startReady(t, uri)
		for _, written := range []string{"u", ""} {
			team := testenv.Team(t) + written
			p.get(team, "u", "v", "old")
			ended := p.Committing(team, written)
			p.Changed(t.Context(), team, written)
			settled := p.InDoubt(team, written)
			ended()
			for _, value := range []string{"one", "two"} {
				if got, _ := p.get(team, "u", "v", value); got != value {
					t.Errorf("got %q in doubt, want %q", got, value)
				}
			}
			other.get(team, "u", "v", "before the commit")
			p.Changed(t.Context(), team, written)
			settled()
			for _, value := range []string{"after", "not loaded"} {
				if got, _ := p.get(team, "u", "v", value); got != "after" {
					t.Errorf("got %q", got)
				}
			}
		}
	})
}

// Loads that are under way when a commit gets in doubt keep nothing.
func TestLoadsUnderWayInDoubt(t *testing.T) {
	p, team := startReady(t, ""), testenv.Team(t)
	var settled func()
	got, err := p.Get(t.Context(), team, "u", "v", func(context.Context) ([]byte, bool, error) {
		settled = p.InDoubt(team, "u")
		return []byte("before the commit"), true, nil
	})
	if string(got) != "before the commit" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	settled()
	if got, _ := p.get(team, "u", "v", "after"); got != "after" {
		t.Errorf("got %q after the commit", got)
	}
}

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
