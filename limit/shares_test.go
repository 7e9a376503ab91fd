package limit

import "testing"

// TestShares checks that a team gets half of the shares, that all together get all of them, and that a release makes room.
func TestShares(t *testing.T) {
	t.Parallel()
	s := NewShares(5)
	var releases []func()
	for i, c := range []struct {
		team string
		room bool
	}{{"a", true}, {"a", true}, {"a", true}, {"a", false}, {"b", true}, {"b", true}, {"b", false}, {"c", false}} {
		release, ok := s.Take(c.team)
		if ok != c.room {
			t.Errorf("%d, %s: %v", i, c.team, ok)
		}
		if ok {
			releases = append(releases, release)
		}
	}
	if s.Used() != 5 {
		t.Errorf("%d are used", s.Used())
	}
	releases[0]()
	if _, ok := s.Take("c"); !ok {
		t.Error("no room after a release")
	}
	for _, release := range releases[1:] {
		release()
	}
	if s.Used() != 1 || len(s.teams) != 1 {
		t.Errorf("%d are used, by %d teams", s.Used(), len(s.teams))
	}
}
