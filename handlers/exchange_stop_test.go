package handlers

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kith/exchange"
)

// endlessly serves exports and imports that do not end by themselves.
func endlessly(t *testing.T, o Options) *httptest.Server {
	t.Helper()
	e := &endless{fakes: everybody()}
	server := httptest.NewServer(New(Services{Transfers: e, ChatStore: e, Changes: noChanges{}, Preferences: struct {
		*fakes
		*kept
	}{e.fakes, &e.kept}, Chats: e, Keys: e}, o))
	t.Cleanup(server.Close)
	return server
}

// A team makes no more exports at once than half of those that a process makes.
func TestExportsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	stopping, stop := context.WithCancel(t.Context())
	server := endlessly(t, Options{Stopping: func(end func()) func() bool { return context.AfterFunc(stopping, end) }})
	statuses := make(chan int)
	for range maxExports/2 + 1 {
		go func() {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v1/export", http.NoBody)
			if err != nil {
				t.Error(err)
			}
			request.Header.Set("Authorization", "Bearer x")
			response, err := server.Client().Do(request)
			if err != nil {
				t.Error(err)
				statuses <- 0
				return
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			statuses <- response.StatusCode
		}()
	}
	if status := <-statuses; status != http.StatusTooManyRequests {
		t.Errorf("one more is answered with %d", status)
	}
	stop()
	for range maxExports / 2 {
		if status := <-statuses; status != http.StatusOK {
			t.Errorf("an export is answered with %d", status)
		}
	}
}

// When Kith stops, an export ends with a line that says that it is incomplete, and an import with a report of what is stored.
func TestExchangesEndWhenKithStops(t *testing.T) {
	t.Parallel()
	for name, method := range map[string]string{"export": http.MethodGet, "import": http.MethodPost} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stopping, stop := context.WithCancel(context.Background())
			defer stop()
			server := endlessly(t, Options{
				Stopping: func(end func()) func() bool { return context.AfterFunc(stopping, end) },
				Verified: func(Credential, error) { time.AfterFunc(100*time.Millisecond, stop) },
			})
			in, out := io.Pipe()
			defer func() { _ = out.Close() }()
			go func() { _, _ = io.WriteString(out, `{"kith":{"version":1}}`+"\n") }()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, method, server.URL+"/v1/"+name, map[bool]io.Reader{true: in}[method == http.MethodPost])
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer x")
			response, err := server.Client().Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
			said, err := io.ReadAll(response.Body)
			if method == http.MethodGet {
				lines := strings.Split(strings.TrimSpace(string(said)), "\n")
				if last := lines[len(lines)-1]; err == nil || last != `{"incomplete":{"reason":"Kith is stopping: request the export again"}}` {
					t.Errorf("%v: %s", err, said)
				}
				return
			}
			var report exchange.Report
			if json.Unmarshal(said, &report) != nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" ||
				report.Complete || !strings.HasPrefix(report.Stopped, "Kith is stopping: what is counted is stored") {
				t.Errorf("%d %v %s", response.StatusCode, err, said)
			}
		})
	}
}
