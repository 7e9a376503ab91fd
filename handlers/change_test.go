package handlers

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/internal/shares"
	"kith/memory/feed"
)

// fakeFeed is a feed of one change after another, as fast as they are read.
type fakeFeed struct {
	changeFeed

	asked []string
	err   error
	sent  atomic.Int64 // changes of streams
	still bool         // a stream has one change
}

func (f *fakeFeed) Changes(_ context.Context, s graph.Scope, after string, filter feed.Filter, limit int) (feed.ChangePage, error) {
	f.asked = append(f.asked, fmt.Sprintf("%q of %s, %d after %q, of %q", s.UserID, s.TeamID, limit, after, filter.Kinds))
	return feed.ChangePage{Changes: []feed.Change{{Cursor: "c1", Op: "created", Kind: "concept", Key: "k"}}, Next: "c1", More: true}, f.err
}

func (f *fakeFeed) Start(_ context.Context, team, after string) (feed.Position, error) {
	f.asked = append(f.asked, fmt.Sprintf("start of %s after %q", team, after))
	return feed.Position{Seq: 7}, f.err
}

func (f *fakeFeed) Watch(ctx context.Context, _ graph.Scope, from feed.Position, _ feed.Filter, send func(feed.Step) error) error {
	if err := send(feed.Step{Cursor: fmt.Sprint(from.Seq)}); err != nil {
		return err
	}
	for ctx.Err() == nil {
		change := feed.Change{Cursor: "c2", Op: "deleted", Kind: "task", Key: strings.Repeat("k", 1000), Version: 2}
		if err := send(feed.Step{Changes: []feed.Change{change}, Cursor: "c2"}); err != nil {
			return err
		}
		if f.sent.Add(1); f.still {
			<-ctx.Done()
		}
	}
	return ctx.Err()
}

// serveFeed serves a feed.
func serveFeed(t *testing.T, f *fakeFeed, k keys, o Options) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(New(Services{Changes: f, Keys: k}, o))
	t.Cleanup(server.Close)
	return server
}

// openChanges asks for a stream.
func openChanges(t *testing.T, server *httptest.Server, query, last string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v1/changes"+query, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer x")
	request.Header.Set("Accept", "text/event-stream, */*;q=0.1")
	request.Header.Set("Last-Event-ID", last)
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func everybody() *fakes { return &fakes{principal: auth.Principal{TeamID: "t", Scopes: auth.Scopes}} }

func TestChangesAreListed(t *testing.T) {
	t.Parallel()
	gone := &feed.GoneError{Oldest: "c9"}
	for query, want := range map[string]struct {
		status int
		says   string
		err    error
		asked  string
	}{
		"": {200, `{"changes":[{"cursor":"c1","at":"0001-01-01T00:00:00Z","user_id":null,"op":"created","kind":"concept","key":"k"}],"next":"c1","more":true}`, nil, `"" of t, 100 after "", of []`},
		"?user_id=u1&after=now&limit=7&kinds=task,relationship": {200, "", nil, `"u1" of t, 7 after "now", of ["task" "relationship"]`},
		"?after=old":     {410, `"oldest_cursor":"c9"`, gone, `"" of t, 100 after "old", of []`},
		"?after=bad":     {422, `"location":"query.after"`, fault.Invalid(fault.At("after"), fault.Malformed, "invalid cursor"), `"" of t, 100 after "bad", of []`},
		"?kinds=secrets": {422, `"location":"query.kinds[0]"`, nil, ""},
		"?limit=1001":    {422, `"location":"query.limit"`, nil, ""},
	} {
		f := &fakeFeed{err: want.err}
		w := ask(New(Services{Changes: f, Keys: everybody()}, Options{}), http.MethodGet, "/v1/changes"+query, "")
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.says) || strings.Join(f.asked, ";") != want.asked {
			t.Errorf("%q: %d %s, asked %q", query, w.Code, w.Body, f.asked)
		}
	}
	for name, p := range map[string]auth.Principal{
		"of another user": {TeamID: "t", UserID: "u2", Scopes: auth.Scopes}, "that may only write": {TeamID: "t", Scopes: []string{auth.Write}},
	} {
		f := &fakeFeed{}
		w := ask(New(Services{Changes: f, Keys: &fakes{principal: p}}, Options{}), http.MethodGet, "/v1/changes?user_id=u1", "")
		if w.Code != http.StatusForbidden || len(f.asked) > 0 {
			t.Errorf("a key %s: %d", name, w.Code)
		}
	}
}

func TestChangesAreStreamed(t *testing.T) {
	t.Parallel()
	f := &fakeFeed{still: true}
	server := serveFeed(t, f, everybody(), Options{ChangeStreams: shares.New(2)})
	response := openChanges(t, server, "?after=a&kinds=task", "last")
	lines := bufio.NewScanner(response.Body)
	for _, want := range []string{": ", "id: 7", "", "id: c2", "event: change", `data: {"cursor":"c2",`} {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
			t.Fatalf("%q, not %q: %v", lines.Text(), want, lines.Err())
		}
	}
	if got := strings.Join(f.asked, ";"); got != `start of t after "last"` || response.Header.Get("Content-Type") != eventsType {
		t.Errorf("asked %s, answers %s", got, response.Header.Get("Content-Type"))
	}
	if full := openChanges(t, server, "", ""); full.StatusCode != http.StatusTooManyRequests {
		t.Errorf("another stream of the team: %d", full.StatusCode)
	}
	f.err = &feed.GoneError{Oldest: "c9"}
	if old := openChanges(t, server, "?after=old", ""); old.StatusCode != http.StatusGone {
		t.Errorf("a cursor that is too old: %d", old.StatusCode)
	}
}

// One user of a team leaves streams to the others of the team, and to other teams.
func TestUsersShareStreamsOfChanges(t *testing.T) {
	t.Parallel()
	streams := shares.New(8)
	for _, c := range []struct {
		team, user string
		gets       int // of five
	}{{"t", "u1", 2}, {"t", "u2", 1}, {"t", "", 1}, {"o", "u1", 1}, {"o", "", 1}, {"p", "", 1}} {
		k := &fakes{principal: auth.Principal{TeamID: c.team, UserID: c.user, Scopes: auth.Scopes}}
		server, got := serveFeed(t, &fakeFeed{still: true}, k, Options{ChangeStreams: streams}), 0
		for range 5 {
			if openChanges(t, server, "", "").StatusCode == http.StatusOK {
				got++
			}
		}
		if got != c.gets {
			t.Errorf("%+v: gets %d", c, got)
		}
	}
}

// HEAD opens no stream: nobody would read it, and it would hold its place. Of a page it is as of all that is read.
func TestChangesHaveNoHeadAsAStream(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]int{"": 200, "application/json": 200, "text/event-stream": 405, "*/*, text/event-stream;q=0.1": 405} {
		f, streams := &fakeFeed{still: true}, shares.New(2)
		server := serveFeed(t, f, everybody(), Options{ChangeStreams: streams})
		response, raw := sendTo(t, http.MethodHead, server.URL+"/v1/changes", "", "Authorization", "Bearer x", "Accept", accept)
		if response.StatusCode != want || len(raw) > 0 || streams.Used() > 0 || (want == 405) != (len(f.asked) == 0) {
			t.Errorf("%q: %d %q, %d streams are open, asked %q", accept, response.StatusCode, raw, streams.Used(), f.asked)
		}
	}
}

// A stream ends when its key is revoked, when Kith stops, and when its reader leaves.
func TestStreamsOfChangesEnd(t *testing.T) {
	t.Parallel()
	stopping, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	e := &endless{fakes: everybody()}
	options := func(s *shares.Shares) Options {
		return Options{ChangeStreams: s, Stopping: func(end func()) func() bool { return context.AfterFunc(stopping, end) }}
	}
	for _, c := range []struct {
		name string
		end  func(*http.Response)
	}{
		{"reader leaves", func(r *http.Response) { _ = r.Body.Close() }},
		{"key is revoked", func(*http.Response) { e.revoked.Store(true) }},
		{"kith stops", func(*http.Response) { cancel() }},
	} {
		e.revoked.Store(false)
		streams := shares.New(2)
		response := openChanges(t, serveFeed(t, &fakeFeed{still: true}, e, options(streams)), "", "")
		if streams.Used() != 1 {
			t.Errorf("%s: %d streams are open", c.name, streams.Used())
		}
		c.end(response)
		for until := time.Now().Add(10 * time.Second); streams.Used() > 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("%s: the stream does not end", c.name)
			}
		}
	}
}

// A reader that does not read stops the feed, and is left after a while.
func TestSlowReadersOfChanges(t *testing.T) {
	t.Parallel()
	f, streams := &fakeFeed{}, shares.New(2)
	openChanges(t, serveFeed(t, f, everybody(), Options{ChangeStreams: streams, StreamPause: 2 * time.Second}), "", "")
	for until := time.Now().Add(20 * time.Second); streams.Used() > 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the stream does not end")
		}
	}
	if sent := f.sent.Load(); sent > 50_000 {
		t.Errorf("%d changes of a kilobyte were made for nobody", sent)
	}
}
