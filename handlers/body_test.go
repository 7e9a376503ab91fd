package handlers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"kith/internal/fault"
)

// chunked hides how long a body is.
type chunked struct{ io.Reader }

// sent posts a body that may not say its length.
func sent(h http.Handler, path string, body io.Reader) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, path, body)
	request.Header.Set("Authorization", "Bearer x")
	request.Header.Set("Content-Type", jsonType)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request)
	return w
}

// Operations that write many items take what KITH_MAX_BODY says, all others a MiB, whether or not a body says its length.
func TestBodiesAreBoundedByOperation(t *testing.T) {
	t.Parallel()
	h := New(servicesOf(&fakes{}), Options{MaxBody: 4 << 20})
	const none = `{"zone":1}`
	for path, most := range map[string]int{
		"/v1/explore": 1 << 20, "/v1/traverse": 1 << 20, "/v1/prompt": 1 << 20, "/v1/keys": 1 << 20, "/v1/conversations": 1 << 20, "/v1/edges": 1 << 20,
		"/v1/memory": 4 << 20, "/v1/sources": 4 << 20, "/v1/conversations/c/messages": 4 << 20, "/v1/systems/s/memory": 4 << 20,
	} {
		for length, status := range map[int]int{most: http.StatusUnprocessableEntity, most + 1: http.StatusRequestEntityTooLarge, 9 << 20: http.StatusRequestEntityTooLarge} {
			body := strings.Repeat(" ", length-len(none)) + none
			for _, in := range []io.Reader{strings.NewReader(body), chunked{strings.NewReader(body)}} {
				w := sent(h, path, in)
				if w.Code != status || status == http.StatusRequestEntityTooLarge && !strings.Contains(w.Body.String(), fmt.Sprintf("at most %d bytes", most)) {
					t.Errorf("%s, %d bytes: %d %.200s", path, length, w.Code, w.Body)
				}
			}
		}
	}
}

// What is wrong is found before huma decodes a body, and reported in at most 100 faults of at most 64 KiB, without values.
func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	h := newAPI(&fakes{})
	for name, c := range map[string]struct{ path, body, first string }{
		"a long list":     {"/v1/explore", `{"queries":[` + strings.Repeat(`"secret",`, 50_000) + `0]}`, `"body.queries","message":"expected array length `},
		"unknown names":   {"/v1/explore", `{` + strings.Repeat(`"`+strings.Repeat("n", 300)+`":"secret",`, 1) + many(`"n#":"secret"`, 5000) + `}`, `unexpected property`},
		"wrong items":     {"/v1/memory", `{"nodes":[` + many(`"secret#"`, 9000) + `]}`, `"body.nodes[0]","message":"expected object"`},
		"few wrong items": {"/v1/memory", `{"nodes":[{"kind":"task","name":["secret"]}]}`, `"body.nodes[0].name","message":"expected string"`},
		"a few":           {"/v1/explore", `{"queries":[{"query":7}],"limit":"secret"}`, `"body.queries[0].query","message":"expected string"`},
	} {
		w := ask(h, http.MethodPost, c.path, c.body)
		var p Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 422 || len(p.Errors) == 0 || len(p.Errors) > 100 || w.Body.Len() > 64<<10 {
			t.Errorf("%s: %d, %d faults of %d bytes, %v", name, w.Code, len(p.Errors), w.Body.Len(), err)
		}
		if text := w.Body.String(); !strings.Contains(text, c.first) || strings.Contains(text, "secret") {
			t.Errorf("%s: %.300s", name, text)
		}
	}
	var all []error
	for i := range 10_000 {
		all = append(all, &huma.ErrorDetail{Location: "query." + strings.Repeat("\x01<", i), Message: "unexpected", Value: map[string]any{"a": i}})
	}
	if p := newError(422, "", all...).(*Problem); len(p.Errors) > 100 || len(jsonOf(t, p)) > 64<<10 { //nolint:errorlint,forcetypeassert // newError's own
		t.Errorf("%d faults", len(p.Errors))
	}
	fields := make([]fault.FieldError, 1000)
	for i := range fields {
		fields[i] = fault.FieldError{Path: fault.At(strings.Repeat("é", 1000)), Message: "is wrong"}
	}
	if p := problemFor(&fault.InvalidError{Fields: fields}); len(p.Errors) > 100 || len(jsonOf(t, p)) > 64<<10 {
		t.Errorf("%d faults", len(p.Errors))
	}
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// many are items with a number each.
func many(item string, n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = strings.ReplaceAll(item, "#", fmt.Sprint(i))
	}
	return strings.Join(items, ",")
}

// A team has at most half of the places for large bodies, so that others find one; a request that waits in vain gets a 503.
func TestPlacesForLargeBodies(t *testing.T) {
	t.Parallel()
	const waiting = 20 * time.Millisecond
	p := newPlaces(100, waiting)
	enter := func(team string, bytes int64, fits bool) *place {
		t.Helper()
		got, err := p.enter(t.Context(), team, bytes)
		if (err == nil) != fits || err != nil && !errors.Is(err, errNoPlace) {
			t.Fatalf("%s, %d bytes: %v", team, bytes, err)
		}
		return got
	}
	first := enter("a", 60, true)
	enter("a", 60, false)
	second := enter("b", 100, true)
	third := enter("a", 40, true)
	enter("c", 1, false)
	second.keep(30)
	fourth := enter("c", 70, true)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.enter(gone, "d", 1); !errors.Is(err, errNoPlace) {
		t.Errorf("a caller that has gone: %v", err)
	}
	for _, one := range []*place{first, second, third, fourth} {
		one.leave()
	}
	if len(p.teams) > 0 {
		t.Errorf("teams that hold nothing: %d", len(p.teams))
	}
	enter("d", 100, true).leave()
	if problem := problemFor(errNoPlace); problem.Status != http.StatusServiceUnavailable {
		t.Errorf("no place: %d", problem.Status)
	}
}

// A body that does not come in time ends its request, and the connection, with or without a key.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	services := servicesOf(&fakes{})
	server := httptest.NewServer(New(services, Options{Deadline: 500 * time.Millisecond, StreamPause: 100 * time.Millisecond}))
	defer server.Close()
	for _, c := range []struct {
		path, length string
		statuses     []int
	}{
		{"/v1/explore", "Content-Length: 1000", []int{408}},
		{"/v1/memory", "Content-Length: 30000000", []int{408}},
		{"/v1/memory", "Transfer-Encoding: chunked", []int{408}},
		{"/v1/import", "Content-Length: 1000", []int{408}},
		{"/v1/nope", "Content-Length: 1000", []int{408}},
		{"/livez", "Content-Length: 1000", []int{404, 405}},
	} {
		connection, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_ = connection.SetDeadline(time.Now().Add(20 * time.Second))
		_, _ = fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: kith\r\nAuthorization: Bearer x\r\nContent-Type: application/json\r\n%s\r\n\r\n", c.path, c.length)
		r := bufio.NewReader(connection)
		response, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.path, err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if fits := response.StatusCode == c.statuses[0] || response.StatusCode == c.statuses[len(c.statuses)-1]; !fits {
			t.Errorf("%s, %s: %d", c.path, c.length, response.StatusCode)
		}
		if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("%s, %s: the connection stays open: %v", c.path, c.length, err)
		}
		_ = connection.Close()
	}
}

// A stream may pause, but not come a byte at a time for as long as it likes.
func TestStreamsHaveToMove(t *testing.T) {
	t.Parallel()
	r := movingReader{pause: time.Minute}
	if r.patience() != time.Minute {
		t.Errorf("at the start: %v", r.patience())
	}
	r.waited, r.came = 65*time.Second, 10*minRate
	if r.patience() != 5*time.Second {
		t.Errorf("a slow one: %v", r.patience())
	}
	if r.waited, r.came = time.Hour, 3600; r.patience() > 0 {
		t.Errorf("a byte a second: %v", r.patience())
	}
	if r.waited, r.came = time.Hour, 1<<30; r.patience() < time.Hour {
		t.Errorf("a large one: %v", r.patience())
	}
}

// What callers without a key choose makes no series of metrics.
func TestMethodsOfMetricsAreAClosedList(t *testing.T) {
	t.Parallel()
	series := map[string]bool{}
	h := New(servicesOf(&fakes{}), Options{Observe: func(route, method string, status int, _ time.Duration) {
		series[fmt.Sprint(route, method, status)] = true
	}})
	for i := range 200 {
		for _, path := range []string{"/v1/context", fmt.Sprintf("/v1/nope%d", i), fmt.Sprintf("/%d", i), "/mcp", "/livez"} {
			request := httptest.NewRequest(fmt.Sprintf("GET%d", i), path, bytes.NewReader(nil))
			h.ServeHTTP(httptest.NewRecorder(), request)
		}
	}
	if len(series) > 5 {
		t.Errorf("%d series: %v", len(series), series)
	}
}
