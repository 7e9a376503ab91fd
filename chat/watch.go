package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kith/graph"
)

// Event tells those who watch a turn of a change: its state, or text of the answer while it comes.
type Event struct {
	ID   string // from which a watch can go on; empty: nothing has changed, and the watch is alive
	Type EventType
	Data any
}

// EventType says what an event's data is.
type EventType string

// StatusEvent has a TurnStatus. TextEvent has a TurnText that is all there is of the attempt's answer so far; DeltaEvent one that
// goes on from the last. DeletedEvent says that the turn is gone, and is the last one.
const (
	StatusEvent  EventType = "status"
	TextEvent    EventType = "text"
	DeltaEvent   EventType = "delta"
	DeletedEvent EventType = "deleted"
)

// TurnStatus is the state of a turn. A complete one has the whole answer: what was sent of it before was a preview.
type TurnStatus struct {
	TurnID        string           `json:"turn_id"`
	Status        graph.ChatStatus `json:"status" enum:"pending,generating,complete,error,cancelled"`
	Attempt       int64            `json:"attempt"`
	AssistantText *string          `json:"assistant_text,omitempty"`
	Error         *string          `json:"error,omitempty"`
}

// TurnText is text of an answer that is not complete.
type TurnText struct {
	Text string `json:"text"`
}

const (
	lookAgain = time.Second           // at a turn that is generated elsewhere
	gather    = 50 * time.Millisecond // text before it is told
	alive     = 15 * time.Second      // between signs of life
)

// place is how far a watch has come: an attempt, and the bytes of its answer that were told; or its end.
type place struct {
	attempt int64
	offset  int
	ended   bool
}

func (p place) String() string {
	if p.ended {
		return fmt.Sprintf("%d.end", p.attempt)
	}
	return fmt.Sprintf("%d.%d", p.attempt, p.offset)
}

// placeOf reads the id of an event; anything else is the beginning.
func placeOf(id string) (p place) {
	if n, _ := fmt.Sscanf(id, "%d.%d", &p.attempt, &p.offset); n == 2 && p.offset >= 0 && p.String() == id {
		return p
	}
	p = place{ended: true}
	if n, _ := fmt.Sscanf(id, "%d.end", &p.attempt); n == 1 && p.String() == id {
		return p
	}
	return place{}
}

// Told says whether the event of an id was the last one that there is to tell of a turn.
func Told(t graph.ChatTurn, id string) bool {
	return t.Status.Ended() && placeOf(id) == place{attempt: t.Attempt, ended: true}
}

// Watch tells of a turn until it has ended, from behind the event of an id. Text comes as it is generated if that happens in this
// process; otherwise only states do, and the answer with the last of them. It ends with send's error, ctx's, or the store's.
func (s *Service) Watch(ctx context.Context, scope graph.Scope, id, last string, send func(Event) error) error {
	w := &watch{at: placeOf(last), send: send, signed: time.Now()}
	for {
		g := s.generationOf(scope.TeamID, id) // before the turn is read: one that ends meanwhile is not missed
		turn, err := s.store.ChatTurn(ctx, scope, id)
		if errors.Is(err, graph.ErrNotFound) {
			return w.tell(DeletedEvent, struct{}{})
		}
		if err != nil {
			return err
		}
		if err := w.status(turn); err != nil || turn.Status.Ended() {
			return err
		}
		if g != nil && g.Attempt == turn.Attempt {
			err = w.follow(ctx, g)
		} else {
			err = w.wait(ctx, nil, lookAgain)
		}
		if err != nil {
			return err
		}
	}
}

// watch is one watch under way.
type watch struct {
	at     place
	told   TurnStatus // the last
	send   func(Event) error
	signed time.Time // when something was sent
}

// status tells of a turn's state, if it is another one.
func (w *watch) status(t graph.ChatTurn) error {
	status := TurnStatus{TurnID: t.ID, Status: t.Status, Attempt: t.Attempt}
	if status == w.told {
		return nil
	}
	w.told = status
	status.AssistantText, status.Error = t.AssistantText, t.Error
	if w.at.attempt != t.Attempt {
		w.at = place{attempt: t.Attempt}
	}
	w.at.ended = t.Status.Ended()
	return w.tell(StatusEvent, status)
}

func (w *watch) tell(kind EventType, data any) error {
	w.signed = time.Now()
	return w.send(Event{w.at.String(), kind, data})
}

// follow tells of what a generation here brings, until it ends.
func (w *watch) follow(ctx context.Context, g *generation) error {
	for {
		text, begin, ended, changed := g.from(w.at.offset)
		if text != "" {
			kind := DeltaEvent
			if begin == 0 {
				kind = TextEvent
			}
			w.at.offset = begin + len(text)
			if err := w.tell(kind, TurnText{text}); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
		if err := w.wait(ctx, changed, alive); err != nil {
			return err
		}
		if err := w.wait(ctx, nil, gather); err != nil {
			return err
		}
	}
}

// wait waits for a change, but not for longer than that, and gives a sign of life when it is time.
func (w *watch) wait(ctx context.Context, changed <-chan struct{}, atMost time.Duration) error {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-timer.C:
	}
	if time.Since(w.signed) < alive {
		return nil
	}
	w.signed = time.Now()
	return w.send(Event{})
}
