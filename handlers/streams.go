package handlers

import (
	"errors"
	"sync"
)

// errStreams says: as many streams of events are open as may.
var errStreams = errors.New("as many streams of events are open as may")

// Streams bounds how many streams of events are open at once: so many in all, and half of them for one team, so that none can shut
// out the others. It is safe for concurrent use.
type Streams struct {
	most int

	mu    sync.Mutex
	open  int
	teams map[string]int
}

// NewStreams bounds streams to some number.
func NewStreams(most int) *Streams { return &Streams{most: most, teams: map[string]int{}} }

// Open is how many are.
func (s *Streams) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// enter makes room for a stream, until leave is called: errStreams where there is none.
func (s *Streams) enter(team string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open >= s.most || s.teams[team] >= (s.most+1)/2 {
		return nil, errStreams
	}
	s.open++
	s.teams[team]++
	return func() { s.leave(team) }, nil
}

func (s *Streams) leave(team string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if s.teams[team]--; s.teams[team] == 0 {
		delete(s.teams, team)
	}
}
