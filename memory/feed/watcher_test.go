package feed

import (
	"errors"
	"testing"
	"time"

	"kith/tests/graphtest"
)

// A look sees a commit that the next read does not, as if another member of a cluster answered it. The watch reads again.
func TestWatchOfAMemberBehind(t *testing.T) {
	e := graphtest.New(t)
	seq := e.Commit("", graphtest.Item("created", "concept", "a", 1))
	s, found := NewStore(e.Store), errors.New("found")
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- s.Watch(e.Context(), e.As(""), Position{Seq: seq + 1}, Filter{}, func(step Step) error {
			if len(step.Changes) > 0 {
				return found
			}
			close(begun)
			return nil
		})
	}()
	<-begun
	s.compare([]head{{e.Team, seq + 1}})
	time.Sleep(stepPause / 2) // the read
	e.Commit("", graphtest.Item("created", "concept", "b", 1))
	select {
	case err := <-ended:
		if !errors.Is(err, found) {
			t.Error(err)
		}
	case <-time.After(lifeSign / 2):
		t.Error("the watch does not read again")
	}
}
