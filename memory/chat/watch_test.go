package chat_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"kith/memory/chat"
)

// text returns the text that the events of an answer add up to, and the last state.
func read(t testing.TB, events []event) (text, status string) {
	t.Helper()
	for _, e := range events {
		var data struct{ Text, Status string }
		if err := json.Unmarshal([]byte(e.data), &data); err != nil {
			t.Fatalf("%v: %v", e, err)
		}
		switch e.kind {
		case "text":
			text = data.Text
		case "delta":
			text += data.Text
		case "status":
			status = data.Status
		}
	}
	return text, status
}

func TestWatchTellsTheAnswerAsItComes(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{})
	id := k.submit(k.tree(), "", "x")
	events := k.watch(t.Context(), id, "")
	first := nextEvent(t, events)
	same(t, "first", event{"1.0", "status", `{"turn_id":"` + id + `","status":"generating","attempt":1}`}, first)
	c := m.next(t)
	c.delta("Two ")
	same(t, "text", event{"1.4", "text", `{"text":"Two "}`}, nextEvent(t, events))
	c.delta("half ")
	same(t, "more", event{"1.9", "delta", `{"text":"half "}`}, nextEvent(t, events))
	c.answer <- reply{text: "Two half hitches."}
	same(t, "last", []event{{"1.end", "status", `{"turn_id":"` + id + `","status":"complete","attempt":1,"assistant_text":"Two half hitches."}`}}, readAllEvents(t, events))
}

// A reader that reconnects with the id of its last event misses nothing and reads nothing twice. A reader without an id
// gets everything.
func TestWatchGoesOn(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{})
	id := k.submit(k.tree(), "", "x")
	c := m.next(t)
	var said strings.Builder
	say := func(text string) { said.WriteString(text); c.delta(text) }
	var got []event
	last := ""
	for i := range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		events := k.watch(ctx, id, last)
		say(strings.Repeat("ü", i+1))
		for text := ""; text != said.String(); text, _ = read(t, got) {
			got = append(got, nextEvent(t, events))
		}
		cancel()
		for range events { // until it has ended
		}
		last = got[len(got)-1].id
		say("between ")
	}
	for _, forged := range []string{"", "1.999999", "9.1", "1.-1", "x", "1.1x", "0x1.1"} {
		events := k.watch(t.Context(), id, forged)
		list := []event{nextEvent(t, events), nextEvent(t, events)}
		if text, _ := read(t, list); text != said.String() || list[1].kind != "text" {
			t.Errorf("from %q: %v", forged, list)
		}
	}
	end := k.watch(t.Context(), id, last)
	c.answer <- reply{text: said.String()}
	text, status := read(t, append(got, readAllEvents(t, end)...))
	same(t, "all", []string{said.String(), "complete"}, []string{text, status})
}

// A retry begins the answer anew for those who watch.
func TestWatchFollowsARetry(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{})
	id := k.submit(k.tree(), "", "x")
	c := m.next(t)
	c.delta("wrong")
	c.answer <- reply{err: errScripted}
	list := readAllEvents(t, k.watch(t.Context(), id, ""))
	last := list[len(list)-1]
	same(t, "failed", event{"1.end", "status", `{"turn_id":"` + id + `","status":"error","attempt":1,"error":"the model said no"}`}, last)
	k.must(200, "POST", "/v1/turns/"+id+"/retry?user_id=u1", "")
	c = m.next(t)
	events := k.watch(t.Context(), id, last.id)
	same(t, "the next attempt", "2.0", nextEvent(t, events).id)
	c.delta("right")
	same(t, "its text", event{"2.5", "text", `{"text":"right"}`}, nextEvent(t, events))
	c.answer <- reply{text: "right"}
	readAllEvents(t, events)
}

// A watch that nothing happens to gives signs of life, and ends with the service: this is about the stream, not the turn.
func TestWatchOfAPendingTurn(t *testing.T) {
	t.Parallel()
	k := startKith(t, nil, chat.Options{})
	tree := k.tree()
	id := k.must(201, "POST", "/v1/trees/"+tree+"/turns", `{"user_id":"u1","user_prompt":"x","generate":false}`)["id"].(string)
	events := k.watch(t.Context(), id, "")
	same(t, "pending", "1.0", nextEvent(t, events).id)
	k.must(200, "PATCH", "/v1/turns/"+id, `{"user_id":"u1","assistant_text":"theirs"}`)
	text, status := read(t, readAllEvents(t, events))
	same(t, "answered", []string{"", "complete"}, []string{text, status})
}
