package feed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"kith/memory/feed"
	"kith/tests/graphtest"
)

var errEnough = errors.New("enough")

// watch collects the keys of a number of changes of the team.
func watch(e *graphtest.Env, s *feed.Store, begun func(), count int) (got []string, err error) {
	err = s.Watch(e.Context(), e.As(""), feed.Position{Seq: 1}, feed.Filter{}, func(s feed.Step) error {
		begun()
		if got = append(got, keys(s.Changes)...); len(got) >= count {
			return errEnough
		}
		return nil
	})
	return got, err
}

// TestWatchSeesConcurrentCommits writes with several writers while two watches read: one that is woken, and one that must find the
// commits itself, as if another process wrote them.
func TestWatchSeesConcurrentCommits(t *testing.T) {
	e := graphtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	var running, watching, writing sync.WaitGroup
	woken, looking := feed.NewStore(e.Store), feed.NewStore(e.Store)
	running.Go(func() { _ = looking.Run(ctx) })
	const writers, each = 4, 15
	results := make([][]string, 2)
	for i, s := range []*feed.Store{woken, looking} {
		begun, begin := context.WithCancel(ctx)
		watching.Go(func() {
			got, err := watch(e, s, begin, writers*each)
			if !errors.Is(err, errEnough) {
				t.Errorf("watch %d ended: %v", i, err)
			}
			results[i] = got
		})
		<-begun.Done()
	}
	for n := range writers {
		writing.Go(func() {
			for i := range each {
				e.Commit([]string{"", "u"}[i%2], created(fmt.Sprintf("%d-%02d", n, i)))
				woken.Changed(e.Team)
			}
		})
	}
	writing.Wait()
	watching.Wait()
	cancel()
	running.Wait()
	want := keys(page(e, "", "", 1000).Changes)
	for i, got := range results {
		if !slices.Equal(got, want) || len(slices.Compact(slices.Sorted(slices.Values(got)))) != writers*each {
			t.Errorf("watch %d read %v, the feed has %v", i, got, want)
		}
	}
}

func TestWatchEnds(t *testing.T) {
	e := graphtest.New(t)
	e.Commit("", created("a"))
	e.Raw(`MATCH (f:Feed {team_id: $team}) SET f.pruned = f.seq`)
	s := feed.NewStore(e.Store)
	ignore := func(feed.Step) error { return nil }
	if err := s.Watch(t.Context(), e.As(""), feed.Position{Seq: 1}, feed.Filter{}, ignore); !errors.Is(err, feed.ErrGone) {
		t.Errorf("behind the retention: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	end, err := s.Start(t.Context(), e.Team, feed.Now)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Watch(ctx, e.As(""), end, feed.Filter{}, func(feed.Step) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after its context: %v", err)
	}
}
