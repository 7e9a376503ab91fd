package main

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"kith/internal/testenv"
)

// Without a model kith serve keeps chats and says so. A stream of events that is open does not hold up its end.
func TestServeKeepsChats(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	tree := c.must(t, http.MethodPost, "/v1/trees", `{"user_id":"u1"}`)
	if tree["availability"] != "unavailable" {
		t.Errorf("availability: %v", tree["availability"])
	}
	turns := "/v1/trees/" + tree["id"].(string) + "/turns"
	if r := c.do(t, http.MethodPost, turns, `{"user_id":"u1","user_prompt":"x"}`); r.status != http.StatusServiceUnavailable {
		t.Errorf("generate: %d %s", r.status, r.body)
	}
	turn := c.must(t, http.MethodPost, turns, `{"user_id":"u1","user_prompt":"x","generate":false}`)["id"].(string)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/turns/"+turn+"/events?user_id=u1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
	}
	if !strings.Contains(lines.Text(), `"status":"pending"`) {
		t.Fatalf("events: %s", lines.Text())
	}
	begun := time.Now()
	if code := s.stop(); code != 0 || time.Since(begun) > drainTime/2 {
		t.Errorf("stopped with %d after %v", code, time.Since(begun))
	}
	for lines.Scan() { // to the end of the stream
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream broke off: %v", err)
	}
}
