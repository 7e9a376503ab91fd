// Package shares bounds how many of something teams and their users have in use at once.
package shares

import "sync"

// Shares bounds how many of something are in use at once: so many in all, for one team half of those that other teams do not use, and
// for one of its users half of those that are left to that user by the others of the team. So neither a user nor a few teams can shut
// out the others. It is safe for concurrent use.
type Shares struct {
	most int

	mu    sync.Mutex
	used  int
	teams map[string]int
	users map[member]int
}

// member is a user of a team.
type member struct{ team, user string }

// New returns Shares of some number.
func New(most int) *Shares {
	return &Shares{most: most, teams: map[string]int{}, users: map[member]int{}}
}

// Used returns how many are in use.
func (s *Shares) Used() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// Take takes one for a user of a team until release is called. Without a user it may be the last of the team. It reports false if there
// is none for it.
func (s *Shares) Take(team, user string) (release func(), ok bool) {
	m := member{team, user}
	s.mu.Lock()
	defer s.mu.Unlock()
	inTeam, own := s.teams[team], s.users[m]
	most := half(s.most - s.used + inTeam)
	if inTeam >= most || user != "" && own >= half(most-inTeam+own) {
		return nil, false
	}
	s.used++
	s.teams[team]++
	s.users[m]++
	return func() { s.release(m) }, true
}

// half rounds up, so that one is enough for somebody who has none.
func half(n int) int { return (n + 1) / 2 }

func (s *Shares) release(m member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	if s.teams[m.team]--; s.teams[m.team] == 0 {
		delete(s.teams, m.team)
	}
	if s.users[m]--; s.users[m] == 0 {
		delete(s.users, m)
	}
}
