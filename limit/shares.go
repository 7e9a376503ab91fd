package limit

import "sync"

// Shares bounds how many of something are in use at once: so many in all, and half of them for one team, so that none can shut out the
// others. It is safe for concurrent use.
type Shares struct {
	most int

	mu    sync.Mutex
	used  int
	teams map[string]int
}

// NewShares returns Shares of some number.
func NewShares(most int) *Shares { return &Shares{most: most, teams: map[string]int{}} }

// Used returns how many are in use.
func (s *Shares) Used() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// Take takes one for a team until release is called. It reports false if there is none for it.
func (s *Shares) Take(team string) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used >= s.most || s.teams[team] >= (s.most+1)/2 {
		return nil, false
	}
	s.used++
	s.teams[team]++
	return func() { s.release(team) }, true
}

func (s *Shares) release(team string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used--
	if s.teams[team]--; s.teams[team] == 0 {
		delete(s.teams, team)
	}
}
