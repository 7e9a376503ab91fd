package metrics

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"kith/access/audit"
	"kith/graph"
	"kith/handlers"
	"kith/internal/shares"
	"kith/internal/vector"
	"kith/memory/chat"
	"kith/memory/embedding"
	"kith/memory/recall"
	"kith/memory/replay"
)

// seriesOf returns the number of series of each metric, as Prometheus counts them.
func seriesOf(t *testing.T, m *Registry) map[string]int {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler(false).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	series := map[string]int{}
	for line := range strings.Lines(w.Body.String()) {
		if name := regexp.MustCompile(`^kith_[a-z_]+`).FindString(line); name != "" {
			series[regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")]++
		}
	}
	return series
}

// A route has one histogram. With labels for method and status, 299 pairs made 5,083 series instead of 1,234.
func TestRequestsMakeFewSeries(t *testing.T) {
	t.Parallel()
	m := New(handlers.Build{})
	statuses := []int{200, 401, 404, 422, 500}
	for route := range 55 {
		for _, status := range statuses {
			m.ObserveRequest(string(rune('A'+route)), http.MethodGet, status, time.Millisecond)
		}
	}
	series := seriesOf(t, m)
	if got, want := series["kith_http_request_seconds"], 55*17; got != want {
		t.Errorf("the histogram has %d series, want %d", got, want)
	}
	if got, want := series["kith_http_requests_total"], 55*len(statuses); got != want {
		t.Errorf("the counter has %d series, want %d", got, want)
	}
}

// An alarm on the increase of a counter detects its first event only if the counter was 0 before.
func TestAlarmsSeeTheFirstEvent(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../../../../docs/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m := New(handlers.Build{})
	series := seriesOf(t, m)
	looked := 0
	for _, rated := range regexp.MustCompile(`(?:rate|increase)\((kith_\w+?)(?:_count|_bucket)?[{\[]`).FindAllStringSubmatch(string(rules), -1) {
		switch name := rated[1]; name {
		case "kith_http_requests_total", "kith_http_request_seconds": // judged by their share
		case "kith_audit_total": // there with the log
		default:
			if looked++; series[name] == 0 {
				t.Errorf("%s does not exist before its first event", name)
			}
		}
	}
	if looked < 7 {
		t.Errorf("%d counters were looked at", looked)
	}
	m.ObserveCredential(handlers.Key, nil)
	if again := seriesOf(t, m); again["kith_credentials_total"] != series["kith_credentials_total"] {
		t.Error("a credential made a series of its own")
	}
}

var metricName = regexp.MustCompile(`\bkith_[a-z_]+[a-z]`)

// The dashboard and the alarms use existing metrics, and the documents list all metrics.
func TestMetricsAreWhatIsShown(t *testing.T) {
	t.Parallel()
	m := New(handlers.Build{})
	m.RegisterVectors(&embedding.Store{}, vector.New(0))
	m.RegisterMemory(&graph.Store{}, &recall.Queue{}, &replay.Recorder{})
	m.RegisterHTTP(&chat.Service{}, &shares.Shares{}, &shares.Shares{}, &audit.Log{})
	described := make(chan *prometheus.Desc)
	go func() {
		m.registry.Describe(described)
		close(described)
	}()
	var all []string
	for d := range described {
		all = append(all, metricName.FindString(d.String()))
	}
	read := func(file string) string {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	operations := read("../../../../docs/operations.md")
	for _, file := range []string{"../../../../docs/grafana.json", "../../../../docs/alerts.yaml", "../../../../docs/operations.md"} {
		for _, name := range metricName.FindAllString(read(file), -1) {
			base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
			if !slices.Contains(all, base) && !slices.Contains(all, name) {
				t.Errorf("%s asks for %s, which there is not", file, name)
			}
		}
	}
	for _, name := range all {
		if name != "" && !strings.Contains(operations, "`"+name+"`") {
			t.Errorf("docs/operations.md does not tell of %s", name)
		}
	}
	for _, alarm := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(read("../../../../docs/alerts.yaml"), -1) {
		if !strings.Contains(operations, "`"+alarm[1]+"`") {
			t.Errorf("docs/operations.md does not say what to do about %s", alarm[1])
		}
	}
}

// The admin listener serves profiles only if they are enabled.
func TestProfilesAreOff(t *testing.T) {
	t.Parallel()
	for profiles, want := range map[bool]int{false: http.StatusNotFound, true: http.StatusOK} {
		admin := New(handlers.Build{}).Handler(profiles)
		for path, status := range map[string]int{"/debug/pprof/": want, "/debug/pprof/cmdline": want, "/metrics": http.StatusOK} {
			w := httptest.NewRecorder()
			admin.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
			if w.Code != status {
				t.Errorf("%s, profiles %t: %d", path, profiles, w.Code)
			}
		}
	}
}
