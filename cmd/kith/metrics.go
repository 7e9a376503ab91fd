package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"kith/audit"
	"kith/auth"
	"kith/cache"
	"kith/chat"
	"kith/cypher"
	"kith/explore"
	"kith/graph"
	"kith/handlers"
	"kith/limit"
	"kith/mcp"
	"kith/traverse"
	"kith/vector"
)

// metrics are what the admin listener shows. Labels are routes, statements and events: never ids.
type metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.CounterVec
	times      *prometheus.HistogramVec // of requests
	statements *prometheus.HistogramVec
	cache      *prometheus.CounterVec
	degraded   *prometheus.CounterVec
	recalls    *prometheus.CounterVec
	upkeep     *prometheus.CounterVec
	embeddings *prometheus.CounterVec
	explores   *prometheus.CounterVec
	traverses  *prometheus.CounterVec
	chats      *prometheus.HistogramVec
	tools      *prometheus.HistogramVec
	limits     *prometheus.CounterVec
	verified   *prometheus.CounterVec
	quotas     prometheus.Histogram

	slowAbove time.Duration
	log       *slog.Logger
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kith_http_requests_total", Help: "Requests, by route, method and status.",
		}, []string{"route", "method", "status"}),
		times: prometheus.NewHistogramVec(prometheus.HistogramOpts{ // a histogram has 17 series: none of each method and status
			Name: "kith_http_request_seconds", Help: "Time to answer, by route.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14),
		}, []string{"route"}),
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
		embeddings: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kith_embeddings_total", Help: "Texts that this process was to embed: embedded, empty, refused, postponed or failed.",
		}, []string{"outcome"}),
		explores: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kith_explore_total", Help: "Answers of explore, by what became of the search by meaning.",
		}, []string{"semantic", "mode"}),
		traverses: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kith_traverse_total", Help: "Answers of traverse, by mode and whether something was found, or not all was looked at.",
		}, []string{"mode", "outcome"}),
		chats: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "kith_generation_seconds", Help: "Time from a turn of a chat to what came of its generation: complete, error, interrupted, dropped or refused.",
			Buckets: prometheus.ExponentialBuckets(0.05, 2, 14),
		}, []string{"outcome"}),
		tools: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "kith_mcp_call_seconds", Help: "Time of a call over MCP, by tool (or resource, prompt) and outcome.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14),
		}, []string{"tool", "outcome"}),
		limits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kith_rate_limit_total", Help: "Requests of callers that have a rate limit: allowed or refused, and those that Redis did not count.",
		}, []string{"event"}),
		verified: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kith_credentials_total", Help: "Credentials that callers showed, by sort and outcome: good, refused, or failed as they could not be verified.",
		}, []string{"credential", "outcome"}),
		quotas: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "kith_quota_share", Help: "How much of its quota a team has after a write that adds to it; above 1: the write was refused.",
			Buckets: []float64{0.5, 0.75, 0.9, 0.95, 1},
		}),
	}
	b := built()
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "kith_build_info", Help: "Always 1.", ConstLabels: prometheus.Labels{"version": b.Version, "commit": b.Commit, "date": b.Date},
	})
	info.Set(1)
	m.registry.MustRegister(info, m.requests, m.times, m.statements, m.cache, m.degraded, m.recalls, m.upkeep, m.embeddings, m.explores, m.traverses, m.chats, m.tools, m.limits, m.verified, m.quotas,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.begin()
	return m
}

// begin sets to 0 what alarms look for the increase of: the first event of a series that did not exist is no increase.
func (m *metrics) begin() {
	for _, s := range append(slices.Clone(graph.AllSections), graph.FocusSection) {
		m.degraded.WithLabelValues(string(s))
	}
	for _, e := range []cache.Event{cache.LocalHit, cache.RemoteHit, cache.Load, cache.Bypass, cache.RemoteError, cache.Corrupt} {
		m.cache.WithLabelValues(string(e))
	}
	for _, e := range []graph.RecallEvent{graph.RecallStored, graph.RecallDropped, graph.RecallFailed} {
		m.recalls.WithLabelValues(string(e))
	}
	for _, e := range []limit.Event{limit.Allowed, limit.Refused, limit.Away} {
		m.limits.WithLabelValues(string(e))
	}
	for _, c := range []handlers.Credential{handlers.Key, handlers.Token} {
		for _, err := range []error{nil, auth.ErrUnauthorized, auth.ErrAttempts, auth.ErrIssuer} {
			m.verified.WithLabelValues(string(c), outcomeOf(err))
		}
	}
	m.chats.WithLabelValues(string(chat.Refused))
}

func (m *metrics) request(route, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.times.WithLabelValues(route).Observe(took.Seconds())
}

func (m *metrics) statement(name string, took time.Duration, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "error"
	}
	m.statements.WithLabelValues(name, outcome).Observe(took.Seconds())
	if m.slowAbove > 0 && took > m.slowAbove {
		m.log.Warn("a statement was slow", "statement", name, "file", fileOf(name), "took", took, "outcome", outcome)
	}
}

// fileOf is where a statement stands: one that callers wrote, or that is put together from several, in none.
func fileOf(name string) string {
	if slices.Contains(cypher.Names(), name) {
		return "cypher/queries/" + name + ".cypher"
	}
	return ""
}

func (m *metrics) cacheEvent(e cache.Event) { m.cache.WithLabelValues(string(e)).Inc() }

func (m *metrics) degradedSection(s graph.Section) { m.degraded.WithLabelValues(string(s)).Inc() }

func (m *metrics) recall(e graph.RecallEvent, reads int) {
	m.recalls.WithLabelValues(string(e)).Add(float64(reads))
}

func (m *metrics) maintained(step string, count int64) {
	m.upkeep.WithLabelValues(step).Add(float64(count))
}

func (m *metrics) embedded(outcome string, count int64) {
	m.embeddings.WithLabelValues(outcome).Add(float64(count))
}

func (m *metrics) explored(semantic explore.Meaning, mode explore.Mode) {
	m.explores.WithLabelValues(string(semantic), string(mode)).Inc()
}

func (m *metrics) traversed(mode traverse.Mode, outcome traverse.Outcome) {
	m.traverses.WithLabelValues(string(mode), string(outcome)).Inc()
}

func (m *metrics) generated(outcome chat.Outcome, took time.Duration) {
	m.chats.WithLabelValues(string(outcome)).Observe(took.Seconds())
}

func (m *metrics) tool(name string, outcome mcp.Outcome, took time.Duration) {
	m.tools.WithLabelValues(name, string(outcome)).Observe(took.Seconds())
}

func (m *metrics) limited(e limit.Event) { m.limits.WithLabelValues(string(e)).Inc() }

func (m *metrics) shown(c handlers.Credential, err error) {
	m.verified.WithLabelValues(string(c), outcomeOf(err)).Inc()
}

// outcomeOf says what came of a credential.
func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "good"
	case errors.Is(err, auth.ErrUnauthorized):
		return "refused"
	case errors.Is(err, auth.ErrAttempts):
		return "limited"
	}
	return "failed"
}

// slow has statements logged that take longer than that, with the file that they are in.
func (m *metrics) slow(limit time.Duration, log *slog.Logger) {
	m.slowAbove, m.log = limit, log
}

// memory adds what is going on now.
func (m *metrics) memory(of *memory) {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	m.registry.MustRegister(
		gauge("kith_database_sessions", "Statements and transactions that have a connection to Neo4j, or wait for one.",
			func() float64 { return float64(of.store.Sessions()) }),
		gauge("kith_database_connections_limit", "Connections to Neo4j at most.", func() float64 { return graph.MaxSessions }),
		gauge("kith_recall_queue", "Reads that let salience rise and are not stored yet.", func() float64 { return float64(of.recalls.Waiting()) }),
	)
}

// front adds what goes on with chats, and with the audit log.
func (m *metrics) front(chats *chat.Service, streams *handlers.Streams, trail *audit.Log) {
	value := func(name, help string, labels prometheus.Labels, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value))
	}
	for state, count := range map[string]func() int{
		"running": func() int { running, _ := chats.Generations(); return running },
		"waiting": func() int { _, waiting := chats.Generations(); return waiting },
	} {
		value("kith_generations", "Answers of chats that are generated here, and that wait for it.", prometheus.Labels{"state": state},
			func() float64 { return float64(count()) })
	}
	value("kith_chat_streams", "Streams of events of chats that are open.", nil, func() float64 { return float64(streams.Open()) })
	if trail == nil {
		return
	}
	for outcome, count := range map[string]func() int64{
		"written": func() int64 { written, _ := trail.Entries(); return written },
		"failed":  func() int64 { _, failed := trail.Entries(); return failed },
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "kith_audit_total", Help: "Lines of the audit log, and changes for which there is none as it could not be written.",
			ConstLabels: prometheus.Labels{"outcome": outcome},
		}, func() float64 { return float64(count()) }))
	}
}

// vectors adds what waits for its vector, and what is kept of them.
func (m *metrics) vectors(store *graph.Store, index *vector.Index) {
	m.registry.MustRegister(backlog{store}, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "kith_vector_bytes", Help: "Memory of the vectors that are kept in the process.",
	}, func() float64 { return float64(index.Size()) }))
}

// backlog asks the database whenever somebody looks; away, there are no such figures.
type backlog struct{ store *graph.Store }

var (
	embeddingDue = prometheus.NewDesc("kith_embedding_due", "Texts that wait for their vectors, counted as far as ten thousand.", nil, nil)
	embeddingLag = prometheus.NewDesc("kith_embedding_lag_seconds", "For how long the first of them has waited.", nil, nil)
)

// Describe names the figures.
func (backlog) Describe(all chan<- *prometheus.Desc) { all <- embeddingDue; all <- embeddingLag }

// Collect takes them.
func (b backlog) Collect(all chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	now, err := b.store.EmbeddingBacklog(ctx)
	if err != nil {
		return
	}
	all <- prometheus.MustNewConstMetric(embeddingDue, prometheus.GaugeValue, float64(now.Due))
	all <- prometheus.MustNewConstMetric(embeddingLag, prometheus.GaugeValue, now.Lag)
}

// handler is the admin listener's: metrics, and profiles if they are wanted, which hold parts of the memory of the process.
func (m *metrics) handler(profiles bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	if !profiles {
		return mux
	}
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
