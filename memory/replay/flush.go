package replay

import (
	"context"
	"errors"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/fence"
	"kith/internal/fault"
)

const (
	maxBatch  = 256              // records or answers of a transaction
	flushTime = 10 * time.Second // of a transaction
)

// batch has the entries of a team that one transaction stores.
type batch struct {
	team    string
	records []*record // copies
	answers []answer
}

// Flush stores all that was served, one team at a time. While another call does so, it waits, until ctx is done.
func (r *Recorder) Flush(ctx context.Context) { <-r.startFlush(ctx, ctx) }

// startFlush begins what Flush does with the context of the work, unless ctx is done before, and returns a channel that is closed at
// the end.
func (r *Recorder) startFlush(ctx, work context.Context) (ended <-chan struct{}) {
	end := make(chan struct{})
	select {
	case r.flushing <- struct{}{}:
		go func() {
			defer close(end)
			defer func() { <-r.flushing }()
			r.flush(work)
		}()
	case <-ctx.Done():
		close(end)
	}
	return end
}

func (r *Recorder) flush(ctx context.Context) {
	batches, until := r.drain()
	for _, b := range batches {
		r.save(ctx, b)
	}
	r.flushed.Store(until)
}

// drain empties the queues and returns what was in them, in batches of a team, and the moment until which that is all.
func (r *Recorder) drain() (batches []batch, until int64) {
	records, answers := map[string][]*record{}, map[string][]answer{}
	r.mu.Lock()
	for _, one := range r.queue {
		stored := *one
		one.queued, one.entry = false, Entry{}
		records[one.team] = append(records[one.team], &stored)
	}
	for _, a := range r.answers {
		answers[a.team] = append(answers[a.team], a)
	}
	r.queue, r.answers, until = nil, nil, r.last
	r.mu.Unlock()
	for team, all := range records {
		for some := range slices.Chunk(all, maxBatch) {
			batches = append(batches, batch{team: team, records: some})
		}
	}
	for team, all := range answers {
		for some := range slices.Chunk(all, maxBatch) {
			batches = append(batches, batch{team: team, answers: some})
		}
	}
	return batches, until
}

// save stores a batch. If the team or a user of it was erased, or it is too large for the database, it tries each user alone.
func (r *Recorder) save(ctx context.Context, b batch) {
	limited, cancel := context.WithTimeout(fence.WithBegin(ctx, b.began()), flushTime)
	defer cancel()
	out, err := r.store.save(limited, b)
	alone := b.byUser()
	if (errors.Is(err, fault.ErrConflict) || errors.Is(err, graph.ErrTooLarge)) && len(alone) > 1 {
		for _, one := range alone {
			r.save(ctx, one)
		}
		return
	}
	event, count := Stored, len(b.records)+len(b.answers)
	lost := b
	switch {
	case err == nil:
		lost = b.without(out.known)
		unknown := len(lost.records) + len(lost.answers)
		r.options.Observe(Unknown, unknown)
		count -= unknown
	case errors.Is(err, fault.ErrConflict):
		event = Refused
	default:
		event = Failed
		r.options.Log.Warn("records of served contexts lost", "records", count, "error", err)
	}
	r.forget(lost.records)
	r.options.Observe(event, count)
	r.options.Observe(Trimmed, int(out.trimmed))
	r.makeRoom(ctx, b.team, out.reads)
}

// makeRoom removes the oldest of what a team keeps, if it is too much.
func (r *Recorder) makeRoom(ctx context.Context, team string, reads graph.Reads) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	removed, err := r.store.makeRoom(ctx, team, reads)
	if err != nil {
		r.options.Log.Warn("records of served contexts not removed, the next ones will remove them", "error", err)
	}
	r.options.Observe(Full, int(removed))
}

// forget has the next answers of views begin new records.
func (r *Recorder) forget(lost []*record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range lost {
		if now := r.records[one.key]; now != nil && now.at == one.at {
			delete(r.records, one.key)
		}
	}
}

// began returns the time of the oldest thing in a batch: an erasure since then forbids to store it.
func (b *batch) began() time.Time {
	began := time.Now()
	earlier := func(t time.Time) {
		if !t.IsZero() && t.Before(began) {
			began = t
		}
	}
	for _, one := range b.records {
		earlier(time.Unix(0, one.at))
		earlier(one.entry.Made)
	}
	for _, a := range b.answers {
		earlier(time.Unix(0, a.at))
	}
	return began
}

// without returns what a batch has of other users than these.
func (b *batch) without(users map[string]bool) batch {
	return batch{
		b.team, slices.DeleteFunc(slices.Clone(b.records), func(one *record) bool { return users[one.id] }),
		slices.DeleteFunc(slices.Clone(b.answers), func(a answer) bool { return users[a.id] }),
	}
}

// byUser returns a batch for each user.
func (b *batch) byUser() []batch {
	all := map[user]*batch{}
	of := func(u user) *batch {
		if all[u] == nil {
			all[u] = &batch{team: b.team}
		}
		return all[u]
	}
	for _, one := range b.records {
		of(one.user).records = append(of(one.user).records, one)
	}
	for _, a := range b.answers {
		of(a.user).answers = append(of(a.user).answers, a)
	}
	alone := make([]batch, 0, len(all))
	for _, one := range all {
		alone = append(alone, *one)
	}
	return alone
}
