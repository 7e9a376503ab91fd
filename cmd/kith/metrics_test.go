package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"kith/handlers"
)

// seriesOf returns the number of series of each metric, as Prometheus counts them.
func seriesOf(t *testing.T, m *metrics) map[string]int {
	t.Helper()
	w := httptest.NewRecorder()
	m.handler(false).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
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
	m := newMetrics()
	statuses := []int{200, 401, 404, 422, 500}
	for route := range 55 {
		for _, status := range statuses {
			m.observeRequest(string(rune('A'+route)), http.MethodGet, status, time.Millisecond)
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
	rules, err := os.ReadFile("../../docs/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m := newMetrics()
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
	m.observeCredential(handlers.Key, nil)
	if again := seriesOf(t, m); again["kith_credentials_total"] != series["kith_credentials_total"] {
		t.Error("a credential made a series of its own")
	}
}
