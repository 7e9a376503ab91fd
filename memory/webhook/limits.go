package webhook

import (
	"sync"

	"golang.org/x/time/rate"
)

// limits bounds what runs at the same time, so that one team does not hold up the others.
type limits struct {
	mu      sync.Mutex
	running map[string]bool // webhooks
	teams   map[string]*usage
}

// usage counts the running deliveries of a team, and limits their rate.
type usage struct {
	running int
	rate    *rate.Limiter
}

func newLimits() *limits { return &limits{running: map[string]bool{}, teams: map[string]*usage{}} }

// begin reports whether a job may run. Call end after it.
func (l *limits) begin(j job) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.running) >= mostJobs || l.running[j.webhook] {
		return false
	}
	u := l.teams[j.team]
	if u == nil {
		u = &usage{rate: rate.NewLimiter(teamRate, teamRate)}
		l.teams[j.team] = u
	}
	if u.running >= mostOfTeam || !u.rate.Allow() {
		return false
	}
	u.running++
	l.running[j.webhook] = true
	l.forget()
	return true
}

func (l *limits) end(j job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, j.webhook)
	l.teams[j.team].running--
}

// mostIdle is how many teams without a running job are remembered.
const mostIdle = 1000

// forget drops teams that have used nothing for a while.
func (l *limits) forget() {
	if len(l.teams) < mostIdle {
		return
	}
	for team, u := range l.teams {
		if u.running == 0 && u.rate.Tokens() >= teamRate {
			delete(l.teams, team)
		}
	}
}
