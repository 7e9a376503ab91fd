package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	firstBackoff = 500 * time.Millisecond
	lastBackoff  = 30 * time.Second
	healthyAfter = time.Minute // of uninterrupted running, after which the back-off restarts at the first pause
)

// backoff counts the pauses between restarts.
type backoff struct{ next time.Duration }

func (b *backoff) pause() time.Duration {
	pause := max(b.next, firstBackoff)
	b.next = min(2*pause, lastBackoff)
	return pause
}

func (b *backoff) lived(d time.Duration) {
	if d >= healthyAfter {
		b.next = firstBackoff
	}
}

// watch restarts Neo4j whenever it dies, until ctx is done.
func (s *Server) watch(ctx context.Context) {
	defer close(s.watched)
	var pauses backoff
	for {
		began := time.Now()
		in := s.instance()
		select {
		case <-ctx.Done():
			return
		case <-in.ended():
		}
		s.options.Log.WarnContext(ctx, "Neo4j died", "pid", in.pid(), "output", in.output())
		pauses.lived(time.Since(began))
		if !s.restart(ctx, &pauses) {
			return
		}
	}
}

// restart tries until Neo4j answers on the same port again; false when ctx was done before.
func (s *Server) restart(ctx context.Context, pauses *backoff) bool {
	err := s.record(nil, func(*state) {})
	for {
		pause := pauses.pause()
		s.options.Log.InfoContext(ctx, "restarting Neo4j", "in", pause, "last_error", err)
		if !wait(ctx, pause) {
			return false
		}
		if err = s.relaunch(ctx); err == nil {
			return true
		}
		s.options.Log.ErrorContext(ctx, "restarting Neo4j failed", "error", err)
	}
}

func (s *Server) relaunch(ctx context.Context) error {
	if !isFree(s.state.Port) {
		return fmt.Errorf("restart Neo4j: port %d is taken by another process", s.state.Port)
	}
	return s.launch(ctx, false)
}

// wait reports false when ctx was done before the pause was over.
func wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func (s *Server) instance() instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Close stops Neo4j in order and releases the data folder. When ctx is done before Neo4j has stopped, Close kills it
// and returns an error; no acknowledged write is lost. Later calls return the result of the first one.
func (s *Server) Close(ctx context.Context) error {
	s.closing.Do(func() { s.closed = s.close(ctx) })
	return s.closed
}

func (s *Server) close(ctx context.Context) error {
	if err := errors.Join(s.halt(ctx), s.lock.Close()); err != nil {
		return fmt.Errorf("stop Neo4j: %w", err)
	}
	return nil
}

// halt stops Neo4j in order, and keeps the data folder locked.
func (s *Server) halt(ctx context.Context) error {
	s.stopWatch()
	<-s.watched // returns soon: everything it waits for respects its context
	var errs []error
	if in := s.instance(); in != nil {
		began := time.Now()
		errs = append(errs, end(ctx, in))
		s.options.Log.InfoContext(ctx, "Neo4j stopped", "pid", in.pid(), "took", time.Since(began).Round(time.Millisecond))
	}
	return errors.Join(append(errs, s.record(nil, func(st *state) { st.Ready = false }))...)
}

// end stops an instance in order, or kills it when ctx is done first.
func end(ctx context.Context, in instance) error {
	if isEnded(in) {
		return nil
	}
	if err := in.terminate(); err != nil && !isEnded(in) {
		return killed(in, err)
	}
	select {
	case <-in.ended():
		return nil
	case <-ctx.Done():
		return killed(in, ctx.Err())
	}
}

// killed kills the instance and returns an error with the reason.
func killed(in instance, why error) error {
	if err := in.kill(); err != nil && !isEnded(in) {
		return fmt.Errorf("kill process %d: %w", in.pid(), err)
	}
	<-in.ended()
	return fmt.Errorf("killed process %d, which did not stop in time: %w", in.pid(), why)
}

func isEnded(in instance) bool {
	select {
	case <-in.ended():
		return true
	default:
		return false
	}
}
