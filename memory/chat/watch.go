package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// Event reports a change of a turn to its watchers: a new state, or a piece of the answer.
type Event struct {
	ID   string // from which a watch can continue; empty: a keep-alive without a change
	Type EventType
	Data any
}

// EventType names the type of an event's data.
type EventType string

// StatusEvent carries a TurnStatus. TextEvent carries a TurnText with the whole answer of the attempt so far, DeltaEvent
// one that continues the last. DeletedEvent means that the turn was deleted, and is the last event.
const (
	StatusEvent  EventType = "status"
	TextEvent    EventType = "text"
	DeltaEvent   EventType = "delta"
	DeletedEvent EventType = "deleted"
)

// TurnStatus is the state of a turn. A complete one has the whole answer: text sent before was a preview.
type TurnStatus struct {
	TurnID        string  `json:"turn_id"`
	Status        Status  `json:"status" enum:"pending,generating,complete,error,cancelled"`
	Attempt       int64   `json:"attempt"`
	AssistantText *string `json:"assistant_text,omitempty"`
	Error         *string `json:"error,omitempty"`
}

// TurnText is a piece of an answer that is not complete.
type TurnText struct {
	Text string `json:"text"`
}

const (
	pollInterval      = time.Second           // of a turn that another process generates
	batchDelay        = 50 * time.Millisecond // to collect text before it is sent
	keepaliveInterval = 15 * time.Second      // between keep-alives
)

// position is how far a watch has come: an attempt and the bytes of its answer that were sent, or its end.
type position struct {
	attempt int64
	offset  int
	ended   bool
}

func (p position) String() string {
	if p.ended {
		return fmt.Sprintf("%d.end", p.attempt)
	}
	return fmt.Sprintf("%d.%d", p.attempt, p.offset)
}

// parsePosition parses the id of an event. Anything else is the beginning.
func parsePosition(id string) (p position) {
	if n, _ := fmt.Sscanf(id, "%d.%d", &p.attempt, &p.offset); n == 2 && p.offset >= 0 && p.String() == id {
		return p
	}
	p = position{ended: true}
	if n, _ := fmt.Sscanf(id, "%d.end", &p.attempt); n == 1 && p.String() == id {
		return p
	}
	return position{}
}

// IsLastEvent reports whether the event with an id was the last one of a turn.
func IsLastEvent(t Turn, id string) bool {
	return t.Status.Ended() && parsePosition(id) == position{attempt: t.Attempt, ended: true}
}

// Watch sends the events of a turn, beginning after the event with the id last, until the turn has ended. Text is
// sent as it is generated if this process generates it. Otherwise only states are sent, and the answer with the last
// one. It returns the error of send, ctx or the store.
func (s *Service) Watch(ctx context.Context, scope graph.Scope, id, last string, send func(Event) error) error {
	w := &watcher{at: parsePosition(last), send: send, lastSent: time.Now()}
	for {
		g := s.generationOf(scope.TeamID, id) // read before the turn, so that an end in between is not missed
		turn, err := s.store.ChatTurn(ctx, scope, id)
		if errors.Is(err, fault.ErrNotFound) {
			return w.emit(DeletedEvent, struct{}{})
		}
		if err != nil {
			return err
		}
		if err := w.sendStatus(turn); err != nil || turn.Status.Ended() {
			return err
		}
		if g != nil && g.Attempt == turn.Attempt {
			err = w.followGeneration(ctx, g)
		} else {
			err = w.wait(ctx, nil, pollInterval)
		}
		if err != nil {
			return err
		}
	}
}

// watcher is a running watch.
type watcher struct {
	at         position
	lastStatus TurnStatus
	send       func(Event) error
	lastSent   time.Time // the time of the last event
}

// sendStatus sends a turn's state if it has changed.
func (w *watcher) sendStatus(t Turn) error {
	status := TurnStatus{TurnID: t.ID, Status: t.Status, Attempt: t.Attempt}
	if status == w.lastStatus {
		return nil
	}
	w.lastStatus = status
	status.AssistantText, status.Error = t.AssistantText, t.Error
	if w.at.attempt != t.Attempt {
		w.at = position{attempt: t.Attempt}
	}
	w.at.ended = t.Status.Ended()
	return w.emit(StatusEvent, status)
}

func (w *watcher) emit(kind EventType, data any) error {
	w.lastSent = time.Now()
	return w.send(Event{w.at.String(), kind, data})
}

// followGeneration sends the text of a generation of this process until it ends.
func (w *watcher) followGeneration(ctx context.Context, g *generation) error {
	for {
		text, begin, ended, changed := g.readFrom(w.at.offset)
		if text != "" {
			kind := DeltaEvent
			if begin == 0 {
				kind = TextEvent
			}
			w.at.offset = begin + len(text)
			if err := w.emit(kind, TurnText{text}); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
		if err := w.wait(ctx, changed, keepaliveInterval); err != nil {
			return err
		}
		if err := w.wait(ctx, nil, batchDelay); err != nil {
			return err
		}
	}
}

// wait waits for a change, at most for a given time, and sends a keep-alive when one is due.
func (w *watcher) wait(ctx context.Context, changed <-chan struct{}, atMost time.Duration) error {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-timer.C:
	}
	if time.Since(w.lastSent) < keepaliveInterval {
		return nil
	}
	w.lastSent = time.Now()
	return w.send(Event{})
}
