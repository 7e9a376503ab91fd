package handlers

import (
	"errors"
	"testing"
)

// A team has half of the streams, all have all of them, and who leaves makes room.
func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	s := NewStreams(5)
	var leaves []func()
	for i, c := range []struct {
		team string
		room bool
	}{{"a", true}, {"a", true}, {"a", true}, {"a", false}, {"b", true}, {"b", true}, {"b", false}, {"c", false}} {
		leave, err := s.enter(c.team)
		if (err == nil) != c.room || err != nil && !errors.Is(err, errStreams) {
			t.Errorf("%d, %s: %v", i, c.team, err)
		}
		if err == nil {
			leaves = append(leaves, leave)
		}
	}
	if s.Open() != 5 {
		t.Errorf("%d are open", s.Open())
	}
	leaves[0]()
	if _, err := s.enter("c"); err != nil {
		t.Errorf("after one has left: %v", err)
	}
	for _, leave := range leaves[1:] {
		leave()
	}
	if s.Open() != 1 || len(s.teams) != 1 {
		t.Errorf("%d are open, of %d teams", s.Open(), len(s.teams))
	}
}
