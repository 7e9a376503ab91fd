package main

import (
	"net/http"
	"net/http/pprof"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"kith/cache"
	"kith/graph"
)

// metrics are what the admin listener shows. Labels are routes, statements and events: never ids.
type metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.HistogramVec
	statements *prometheus.HistogramVec
	cache      *prometheus.CounterVec
	degraded   *prometheus.CounterVec
	recalls    *prometheus.CounterVec
	upkeep     *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "kith_http_request_seconds", Help: "Time to answer, by route, method and status.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14),
		}, []string{"route", "method", "status"}),
		statements: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "kith_statement_seconds", Help: "Time of a database statement, by its file and outcome.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14),
		}, []string{"statement", "outcome"}),
		cache: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kith_cache_events_total", Help: "What the context cache did.",
		}, []string{"event"}),
		degraded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kith_context_degraded_total", Help: "Context sections that could not be loaded.",
		}, []string{"section"}),
		recalls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kith_recalls_total", Help: "Reads that let salience rise: stored, dropped as the queue was full, or failed.",
		}, []string{"event"}),
		upkeep: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kith_maintenance_total", Help: "What maintenance by this process did, by step.",
		}, []string{"step"}),
	}
	m.registry.MustRegister(m.requests, m.statements, m.cache, m.degraded, m.recalls, m.upkeep,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) request(route, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Observe(took.Seconds())
}

func (m *metrics) statement(name string, took time.Duration, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "error"
	}
	m.statements.WithLabelValues(name, outcome).Observe(took.Seconds())
}

func (m *metrics) cacheEvent(e cache.Event) { m.cache.WithLabelValues(string(e)).Inc() }

func (m *metrics) degradedSection(s graph.Section) { m.degraded.WithLabelValues(string(s)).Inc() }

func (m *metrics) recall(e graph.RecallEvent, reads int) {
	m.recalls.WithLabelValues(string(e)).Add(float64(reads))
}

func (m *metrics) maintained(step string, count int64) {
	m.upkeep.WithLabelValues(step).Add(float64(count))
}

// handler is the admin listener's: metrics and profiles.
func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
