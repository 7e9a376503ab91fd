package webhook

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"kith/internal/sleep"
	"kith/memory/feed"
)

// Outcome is the result of an attempt.
type Outcome string

// Delivered means that the receiver accepted it. Failed is tried again. Exhausted is not: it was tried for a day. Disabled means that
// the receiver wants no more. Lost means that changes were removed before they could be delivered.
const (
	Delivered Outcome = "delivered"
	Failed    Outcome = "failed"
	Exhausted Outcome = "exhausted"
	Disabled  Outcome = "disabled"
	Lost      Outcome = "lost"
)

// Options configure a deliverer.
type Options struct {
	Log     *slog.Logger
	Observe func(o Outcome, lag time.Duration) // called after each attempt, with the age of its first change
}

const (
	lookEvery  = time.Second           // for what other processes committed, and for what is due again
	lookPause  = 50 * time.Millisecond // between two looks
	mostFound  = 500                   // jobs of a look
	mostJobs   = 32                    // at the same time
	mostOfTeam = 2                     // jobs of a team at the same time
	teamRate   = 10                    // jobs of a team in a second

	firstRetry = 5 * time.Second
	lastRetry  = time.Hour
	giveUp     = 24 * time.Hour // after the first attempt
	leastTries = 24             // before giving up: time in which nothing was tried does not count
)

// Deliverer sends what is due. Any number of processes may run one: a webhook has a lease, so that one of them sends at a time.
type Deliverer struct {
	store   *Store
	options Options
	client  *http.Client
	holder  string
	limits  *limits
	attempt time.Duration // limit of an attempt
	ended   chan struct{} // has a value when a job has ended
}

// NewDeliverer returns the deliverer of a store. Run it.
func NewDeliverer(s *Store, o Options) *Deliverer {
	return &Deliverer{
		store: s, options: o, client: newClient(newDialer(s.private)), holder: uuid.NewString(), limits: newLimits(), attempt: attemptTime,
		ended: make(chan struct{}, 1),
	}
}

// Run delivers until ctx is done, and waits for the attempts that are being made.
func (d *Deliverer) Run(ctx context.Context) error {
	committed, stop := d.store.feeds.Listen(feed.AnyTeam)
	defer stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var running sync.WaitGroup
	defer d.client.CloseIdleConnections()
	defer running.Wait()
	for {
		d.look(ctx, &running)
		select {
		case <-ctx.Done():
			return nil
		case <-committed:
		case <-d.ended:
		case <-tick.C:
		}
		if !sleep.For(ctx, lookPause) {
			return nil
		}
	}
}

// look starts the jobs that are due and within the limits.
func (d *Deliverer) look(ctx context.Context, running *sync.WaitGroup) {
	jobs, err := d.store.findJobs(ctx, mostFound)
	if err != nil {
		if ctx.Err() == nil {
			d.options.Log.Warn("looking for webhooks failed", "error", err)
		}
		return
	}
	for _, j := range jobs {
		if !d.limits.begin(j) {
			continue
		}
		running.Go(func() {
			defer d.end(j)
			d.do(ctx, j)
		})
	}
}

func (d *Deliverer) end(j job) {
	d.limits.end(j)
	select {
	case d.ended <- struct{}{}:
	default:
	}
}

// do does a job, if no other process does it.
func (d *Deliverer) do(ctx context.Context, j job) {
	h, err := d.store.claim(ctx, j, d.holder)
	switch {
	case err != nil || h == nil:
	case j.dead != "":
		err = d.redeliver(ctx, j, h)
	default:
		err = d.deliver(ctx, j, h)
	}
	if err != nil && ctx.Err() == nil {
		d.options.Log.Warn("webhook not served, it will be again", "team_id", j.team, "webhook_id", j.webhook, "error", err)
	}
}
