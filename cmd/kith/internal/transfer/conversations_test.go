package transfer

import (
	"io"
	"slices"
	"testing"

	"kith/exchange/chatlog"
)

// A conversation that another user has is reported once, with what to do, and not again for each of its messages.
func TestConversationsOfAnotherUser(t *testing.T) {
	t.Parallel()
	w, err := chatlog.NewWriter(io.Discard, chatlog.ClaudeCode, "ada", "") // line 1: the header
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"session 1", "session 2"} { // lines 2 to 4, and 5 to 7
		c := &chatlog.Conversation{Place: place, ID: place, Messages: []chatlog.Message{{ID: "a", Role: "user", Text: "a"}, {ID: "b", Role: "user", Text: "b"}}}
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
	}
	r := &Report{Refused: []Note{
		{2, "entity_key", "is already in use"}, {3, "source_key", "source not found"}, {4, "source_key", "source not found"},
		{6, "text", "cannot be changed: append another message"},
	}}
	(&Conversations{writer: w}).addTo(r)
	want := []Note{{0, "session 1", heldElsewhere}, {0, "session 2, message 1", "text cannot be changed: append another message"}}
	if !slices.Equal(r.Refused, want) {
		t.Errorf("%+v, want %+v", r.Refused, want)
	}
}
