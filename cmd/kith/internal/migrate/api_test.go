package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kith/cmd/kith/internal/terminal"
)

// serve returns an api for a server that gives the answers one after the other, and what it prints.
func serve(t *testing.T, answers ...func(w http.ResponseWriter, r *http.Request)) (*api, *bytes.Buffer, *int) {
	t.Helper()
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "Token secret" {
			t.Errorf("header %q", r.Header)
		}
		answer := answers[min(calls, len(answers)-1)]
		calls++
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	told := &bytes.Buffer{}
	a, err := newAPI(&Options{Address: server.URL + "/", Key: "secret", Progress: terminal.NewProgress(told)}, "X-Key", "Token ")
	if err != nil {
		t.Fatal(err)
	}
	a.firstWait = time.Millisecond
	return a, told, &calls
}

func status(code int, after string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, `{"n":7}`)
	}
}

func broken(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestBusySystemsAreAskedAgain(t *testing.T) {
	t.Parallel()
	a, told, calls := serve(t, status(503, ""), broken, status(429, "0"), status(500, "soon"), status(200, ""))
	var got struct{ N int }
	if err := a.get(t.Context(), "/x", nil, &got); err != nil || got.N != 7 || *calls != 5 {
		t.Errorf("%v after %d calls: %v", got, *calls, err)
	}
	for _, want := range []string{"GET /x: 503 service unavailable; trying again in ", "429 too many requests (retry after 0s); trying again in 0s"} {
		if !strings.Contains(told.String(), want) || strings.Contains(told.String(), "secret") {
			t.Errorf("%q is not in %s", want, told)
		}
	}
}

func TestSystemsThatStayAwayOrRefuse(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked with %q", r.Header) }))
	defer elsewhere.Close()
	for _, test := range []struct {
		answer func(http.ResponseWriter, *http.Request)
		calls  int
		want   string
	}{
		{status(503, ""), maxTries, "GET /x: 503 service unavailable"},
		{broken, maxTries, "GET /x: EOF"},
		{status(401, ""), 1, "GET /x: 401 unauthorized: the API key is missing, or may not read this"},
		{status(404, ""), 1, "GET /x: 404 not found"},
		{func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, 1, "GET /x: the response is not the JSON that the API of this system returns"},
		{func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) }, 1, "GET /x: the service redirects to another host"},
	} {
		a, _, calls := serve(t, test.answer)
		var got struct{ N int }
		if err := a.get(t.Context(), "/x", nil, &got); err == nil || !strings.HasPrefix(err.Error(), test.want) || *calls > test.calls {
			t.Errorf("%d calls: %v, want %s", *calls, err, test.want)
		}
	}
}

func TestAnInterruptedReadEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	a, _, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	begun := time.Now()
	if err := a.get(ctx, "/x", nil, nil); !errors.Is(err, context.Canceled) || time.Since(begun) > 10*time.Second {
		t.Errorf("after %s: %v", time.Since(begun), err)
	}
}

// The open-source server of mem0 has no pages: what it does not list is reported.
func TestMem0ListsLessThanThereIs(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/entities":
			_, _ = io.WriteString(w, `[{"type":"user","id":"ada","total_memories":3}]`)
		default:
			_, _ = fmt.Fprintf(w, `{"results":[{"id":"1","memory":"a"},{"id":"2","memory":"b"}]}`)
		}
	}))
	defer server.Close()
	var out, told bytes.Buffer
	err := Mem0(t.Context(), &Options{Address: server.URL, Progress: terminal.NewProgress(&told)}, &out)
	if err != nil || strings.Count(out.String(), `"memory"`) != 2 || told.String() != "warning: the server lists only 2 of 3 memories of user ada\n" {
		t.Errorf("%v %s %s", err, &out, &told)
	}
}
