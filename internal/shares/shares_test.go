package shares

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestShares has teams and users take as many shares as they get, one after another.
func TestShares(t *testing.T) {
	t.Parallel()
	s := New(16)
	var releases []func()
	for _, c := range []struct {
		team, user string
		gets       int
	}{
		{"a", "u1", 4}, {"a", "u2", 2}, {"a", "u3", 1}, {"a", "", 1}, {"a", "u4", 0}, {"b", "", 4}, {"c", "u1", 1}, {"c", "", 1}, {"d", "", 1}, {"e", "", 1}, {"f", "", 0},
	} {
		got := 0
		for {
			release, ok := s.Take(c.team, c.user)
			if !ok {
				break
			}
			releases = append(releases, release)
			got++
		}
		if got != c.gets {
			t.Errorf("%+v: gets %d", c, got)
		}
	}
	if s.Used() != 16 {
		t.Errorf("%d are used", s.Used())
	}
	releases[0]()
	if _, ok := s.Take("f", "u1"); !ok {
		t.Error("no room after a release")
	}
	for _, release := range releases[1:] {
		release()
	}
	if s.Used() != 1 || len(s.teams) != 1 || len(s.users) != 1 {
		t.Errorf("%d are used, by %d teams and %d users", s.Used(), len(s.teams), len(s.users))
	}
}

// Whatever a few teams take, another one gets a share; and whatever a few users of a team take, another one of it gets one.
func TestSharesAreLeftForOthers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		teams := rapid.SampledFrom([][]string{{"a"}, {"a", "b", "c"}}).Draw(r, "teams")
		s, others := New(64), []member{{"other", "u1"}}
		if len(teams) == 1 {
			others = append(others, member{"a", "u3"})
		}
		var releases []func()
		for range rapid.IntRange(0, 300).Draw(r, "steps") {
			if len(releases) > 0 && rapid.IntRange(0, 9).Draw(r, "release") == 0 {
				releases[len(releases)-1]()
				releases = releases[:len(releases)-1]
				continue
			}
			user := fmt.Sprint("u", rapid.IntRange(1, 2).Draw(r, "user"))
			if release, ok := s.Take(rapid.SampledFrom(teams).Draw(r, "team"), user); ok {
				releases = append(releases, release)
			}
		}
		for _, m := range others {
			release, ok := s.Take(m.team, m.user)
			if !ok {
				r.Fatalf("nothing is left for %+v: %v of %v", m, s.users, s.teams)
			}
			release()
		}
	})
}
