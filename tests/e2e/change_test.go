package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"kith/graph"
	"kith/memory/feed"
	"kith/tests/graphtest"
	"kith/tests/testenv"
)

// TestChangesReachTheirReaders commits in another process what one Kith streams and another delivers to a webhook. It runs beside no
// other test: every Kith on the database delivers, each with its own setting.
func TestChangesReachTheirReaders(t *testing.T) {
	db := testenv.Neo4j(t)
	got := make(chan string, 10)
	var secret string
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w, err := standard.NewWebhook(secret)
		if err == nil {
			err = w.Verify(body, r.Header)
		}
		got <- fmt.Sprintf("%v %s", err, body)
	}))
	t.Cleanup(receiver.Close)
	s := start(t, append(settings(db, ""), "KITH_WEBHOOKS_PRIVATE=allow"))
	other := start(t, append(settings(db, ""), "KITH_WEBHOOKS_PRIVATE=allow"))
	e := graphtest.Open(t, db, graph.Options{})
	e.Now = time.Now().UTC().Truncate(time.Millisecond)
	admin := s.as(s.newKey(t, e.Team, "read", "admin"))
	made := admin.do(t, http.MethodPost, "/v1/webhooks", `{"url":"`+receiver.URL+`/hook?token=s3cr3t"}`).object(t)
	secret = made["secret"].(string) //nolint:forcetypeassert // or the test fails
	defer admin.do(t, http.MethodDelete, "/v1/webhooks/"+fmt.Sprint(made["id"]), "")

	events := openStream(t, caller{other.url, admin.key, http.DefaultClient})
	e.Commit("u", graphtest.Item("created", "concept", "c-1", 1))
	if line := nextData(t, events); !strings.Contains(line, `"key":"c-1"`) {
		t.Errorf("streams %s", line)
	}
	select {
	case request := <-got:
		if !strings.HasPrefix(request, "<nil> {") || !strings.Contains(request, `"key":"c-1"`) {
			t.Errorf("delivers %s", request)
		}
	case <-time.After(time.Minute):
		t.Error("nothing is delivered")
	}
	page := admin.do(t, http.MethodGet, "/v1/changes?user_id=u", "").object(t)
	if changes, _ := page["changes"].([]any); len(changes) != 1 {
		t.Errorf("lists %v", page)
	}
	old := admin.do(t, http.MethodGet, "/v1/changes?after="+feed.Position{Seq: 1 << 60}.Cursor(e.Team), "")
	if old.status != http.StatusUnprocessableEntity {
		t.Errorf("a cursor that is not reached: %d %s", old.status, old.body)
	}
	s.neverLogged(t, secret, "s3cr3t")
	if exit := other.stop(); exit != 0 {
		t.Errorf("stops with %d: %s", exit, other.err)
	}
	if rest, err := io.ReadAll(events); err != nil {
		t.Errorf("the stream breaks off at shutdown: %q, %v", rest, err)
	}
}

// openStream opens a stream of changes from now on.
func openStream(t *testing.T, c caller) *bufio.Reader {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/v1/changes?after=now", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("Accept", "text/event-stream")
	response, err := c.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		t.Fatalf("status %d", response.StatusCode)
	}
	events := bufio.NewReader(response.Body)
	if line, err := events.ReadString('\n'); err != nil || line != ": \n" {
		t.Fatalf("begins with %q, %v", line, err)
	}
	return events
}

// nextData returns the data of the next event.
func nextData(t *testing.T, events *bufio.Reader) string {
	t.Helper()
	for {
		line, err := events.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "data: ") {
			return line
		}
	}
}
