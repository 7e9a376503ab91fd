// Package metrics holds the metrics of a running Kith. Labels are routes, statements and events, never ids.
package metrics

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

	"kith/access/audit"
	"kith/access/auth"
	"kith/access/limit"
	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
	"kith/handlers"
	"kith/internal/cache"
	"kith/internal/shares"
	"kith/internal/vector"
	"kith/loader"
	"kith/mcp"
	"kith/memory/chat"
	"kith/memory/embedding"
	"kith/memory/explore"
	"kith/memory/recall"
	"kith/memory/replay"
	"kith/memory/traverse"
	"kith/memory/webhook"
)

// Registry holds the metrics that the admin listener serves.
type Registry struct {
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	durations   *prometheus.HistogramVec // of requests
	statements  *prometheus.HistogramVec
	cache       *prometheus.CounterVec
	degraded    *prometheus.CounterVec
	recalls     *prometheus.CounterVec
	served      *prometheus.CounterVec
	replays     *prometheus.CounterVec
	maintenance *prometheus.CounterVec
	duplicates  *prometheus.CounterVec
	embeddings  *prometheus.CounterVec
	explores    *prometheus.CounterVec
	traverses   *prometheus.CounterVec
	chats       *prometheus.HistogramVec
	tools       *prometheus.HistogramVec
	limits      *prometheus.CounterVec
	credentials *prometheus.CounterVec
	quotas      prometheus.Histogram
	deliveries  *prometheus.CounterVec
	lags        prometheus.Histogram

	slowAbove time.Duration
	log       *slog.Logger
}

// New returns the metrics of a program.
func New(b handlers.Build) *Registry {
	m := &Registry{
		registry:    prometheus.NewRegistry(),
		requests:    newCounter("kith_http_requests_total", "HTTP requests by route, method and status.", "route", "method", "status"),
		durations:   newHistogram("kith_http_request_seconds", "Duration of HTTP requests by route.", 0.0005, "route"),
		statements:  newHistogram("kith_statement_seconds", "Duration of database statements by file and outcome.", 0.0005, "statement", "outcome"),
		cache:       newCounter("kith_cache_events_total", "Events of the context cache.", "event"),
		degraded:    newCounter("kith_context_degraded_total", "Context sections that failed to load.", "section"),
		recalls:     newCounter("kith_recalls_total", "Recalls by outcome: stored, dropped because the queue was full, or failed.", "event"),
		served:      newCounter("kith_served_total", "Records of served contexts and answers by outcome: stored, dropped because the queue was full, bounded, of unknown users, refused or failed; and what was removed: trimmed, or as the share of the team was full.", "event"),
		replays:     newCounter("kith_replays_total", "Contexts of the past by how they were answered: recorded, equal, different or reconstructed.", "outcome"),
		maintenance: newCounter("kith_maintenance_total", "Items that maintenance by this instance changed, by step.", "step"),
		duplicates:  newCounter("kith_duplicates_total", "What this instance did to find duplicates: nodes compared and skipped, pairs proposed, merged, and judged by a language model.", "event"),
		embeddings:  newCounter("kith_embeddings_total", "Texts processed for embedding by this instance: embedded, empty, refused, postponed or failed.", "outcome"),
		explores:    newCounter("kith_explore_total", "Explore responses by state of vector search and mode.", "semantic", "mode"),
		traverses:   newCounter("kith_traverse_total", "Traverse responses by mode and outcome.", "mode", "outcome"),
		chats:       newHistogram("kith_generation_seconds", "Time from a chat turn to the end of its generation, by outcome: complete, error, interrupted, dropped or refused.", 0.05, "outcome"),
		tools:       newHistogram("kith_mcp_call_seconds", "Duration of MCP calls by tool (or resource, prompt) and outcome.", 0.0005, "tool", "outcome"),
		limits:      newCounter("kith_rate_limit_total", "Requests of callers with a rate limit: allowed, refused, or not counted by Redis.", "event"),
		credentials: newCounter("kith_credentials_total", "Credentials of callers by type and outcome: good, refused, limited, or failed to be verified.", "credential", "outcome"),
		deliveries:  newCounter("kith_webhook_deliveries_total", "Attempts to deliver to webhooks by outcome: delivered, failed (tried again), exhausted (tried for a day), disabled by the receiver, or lost to retention.", "outcome"),
		lags: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "kith_webhook_lag_seconds", Help: "Age of the oldest change in an attempt to deliver to a webhook.",
			Buckets: []float64{0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3600, 14400, 86400},
		}),
		quotas: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "kith_quota_share", Help: "Share of its quota that a team uses after a write; above 1 the write was refused.",
			Buckets: []float64{0.5, 0.75, 0.9, 0.95, 1},
		}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "kith_build_info", Help: "Always 1.", ConstLabels: prometheus.Labels{"version": b.Version, "commit": b.Commit, "date": b.Date},
	})
	info.Set(1)
	m.registry.MustRegister(info, m.requests, m.durations, m.statements, m.cache, m.degraded, m.recalls, m.served, m.replays, m.maintenance, m.duplicates, m.embeddings,
		m.explores, m.traverses, m.chats, m.tools, m.limits, m.credentials, m.quotas, m.deliveries, m.lags,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.initSeries()
	return m
}

// newCounter returns a counter with labels.
func newCounter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// newHistogram returns a histogram of seconds with labels. It has 17 series for each combination of them, with 14 bounds that begin
// at shortest and double.
func newHistogram(name, help string, shortest float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(shortest, 2, 14)}, labels)
}

// initSeries creates the series that alarms watch with the value 0, as the first event of a new series is not an increase.
func (m *Registry) initSeries() {
	for _, s := range append(slices.Clone(loader.AllSections), loader.FocusSection) {
		m.degraded.WithLabelValues(string(s))
	}
	for _, e := range []cache.Event{cache.LocalHit, cache.RemoteHit, cache.Load, cache.Bypass, cache.RemoteError, cache.Corrupt} {
		m.cache.WithLabelValues(string(e))
	}
	for _, e := range []recall.Event{recall.Stored, recall.Dropped, recall.Failed} {
		m.recalls.WithLabelValues(string(e))
	}
	for _, e := range replay.Events {
		m.served.WithLabelValues(string(e))
	}
	for _, r := range loader.Replays {
		m.replays.WithLabelValues(string(r))
	}
	for _, e := range []limit.Event{limit.Allowed, limit.Refused, limit.Away} {
		m.limits.WithLabelValues(string(e))
	}
	for _, c := range []handlers.Credential{handlers.Key, handlers.Token} {
		for _, err := range []error{nil, auth.ErrUnauthorized, auth.ErrAttempts, auth.ErrIssuer} {
			m.credentials.WithLabelValues(string(c), credentialOutcome(err))
		}
	}
	m.chats.WithLabelValues(string(chat.Refused))
	m.maintenance.WithLabelValues("passes_ended")
	for _, o := range []webhook.Outcome{webhook.Delivered, webhook.Failed, webhook.Exhausted, webhook.Disabled, webhook.Lost} {
		m.deliveries.WithLabelValues(string(o))
	}
}

// ObserveRequest counts a request and its duration.
func (m *Registry) ObserveRequest(route, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(route).Observe(took.Seconds())
}

// ObserveStatement counts a statement and its duration, and logs a slow one.
func (m *Registry) ObserveStatement(name string, took time.Duration, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "error"
	}
	m.statements.WithLabelValues(name, outcome).Observe(took.Seconds())
	if m.slowAbove > 0 && took > m.slowAbove {
		m.log.Warn("slow statement", "statement", name, "file", statementFile(name), "took", took, "outcome", outcome)
	}
}

// statementFile returns the file of a statement, or "" for a caller's or a composed statement.
func statementFile(name string) string {
	if slices.Contains(cypher.Names(), name) {
		return "cypher/queries/" + name + ".cypher"
	}
	return ""
}

// ObserveCache counts an event of the cache.
func (m *Registry) ObserveCache(e cache.Event) { m.cache.WithLabelValues(string(e)).Inc() }

// ObserveDegraded counts a section that failed to load.
func (m *Registry) ObserveDegraded(s loader.Section) { m.degraded.WithLabelValues(string(s)).Inc() }

// ObserveServed counts records of served contexts.
func (m *Registry) ObserveServed(e replay.Event, records int) {
	m.served.WithLabelValues(string(e)).Add(float64(records))
}

// ObserveReplay counts contexts of the past.
func (m *Registry) ObserveReplay(how loader.Replay) { m.replays.WithLabelValues(string(how)).Inc() }

// ObserveRecall counts recalls.
func (m *Registry) ObserveRecall(e recall.Event, reads int) {
	m.recalls.WithLabelValues(string(e)).Add(float64(reads))
}

// ObserveMaintenance counts items that a step of maintenance changed.
func (m *Registry) ObserveMaintenance(step string, count int64) {
	m.maintenance.WithLabelValues(step).Add(float64(count))
}

// ObserveEmbedding counts texts by what became of them.
func (m *Registry) ObserveEmbedding(outcome string, count int64) {
	m.embeddings.WithLabelValues(outcome).Add(float64(count))
}

// ObserveExplore counts a response of explore.
func (m *Registry) ObserveExplore(semantic explore.Meaning, mode explore.Mode) {
	m.explores.WithLabelValues(string(semantic), string(mode)).Inc()
}

// ObserveTraverse counts a response of traverse.
func (m *Registry) ObserveTraverse(mode traverse.Mode, outcome traverse.Outcome) {
	m.traverses.WithLabelValues(string(mode), string(outcome)).Inc()
}

// ObserveGeneration counts a generation and its duration.
func (m *Registry) ObserveGeneration(outcome chat.Outcome, took time.Duration) {
	m.chats.WithLabelValues(string(outcome)).Observe(took.Seconds())
}

// ObserveTool counts a call of a tool and its duration.
func (m *Registry) ObserveTool(name string, outcome mcp.Outcome, took time.Duration) {
	m.tools.WithLabelValues(name, string(outcome)).Observe(took.Seconds())
}

// ObserveDuplicates counts what was done to find duplicates.
func (m *Registry) ObserveDuplicates(event string, count int64) {
	m.duplicates.WithLabelValues(event).Add(float64(count))
}

// ObserveDelivery counts an attempt to deliver to a webhook, with the age of its oldest change.
func (m *Registry) ObserveDelivery(o webhook.Outcome, lag time.Duration) {
	m.deliveries.WithLabelValues(string(o)).Inc()
	m.lags.Observe(lag.Seconds())
}

// ObserveQuota records the share of its quota that a team uses.
func (m *Registry) ObserveQuota(share float64) { m.quotas.Observe(share) }

// ObserveLimit counts an event of a rate limit.
func (m *Registry) ObserveLimit(e limit.Event) { m.limits.WithLabelValues(string(e)).Inc() }

// ObserveCredential counts the verification of a credential.
func (m *Registry) ObserveCredential(c handlers.Credential, err error) {
	m.credentials.WithLabelValues(string(c), credentialOutcome(err)).Inc()
}

// credentialOutcome returns the label for the result of verifying a credential.
func credentialOutcome(err error) string {
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

// LogSlowStatements makes statements that take longer than limit be logged. 0: none.
func (m *Registry) LogSlowStatements(limit time.Duration, log *slog.Logger) {
	m.slowAbove, m.log = limit, log
}

// RegisterMemory adds the gauges of the database connection, of the recalls and of the served contexts.
func (m *Registry) RegisterMemory(store *graph.Store, recalls *recall.Queue, served *replay.Recorder) {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	m.registry.MustRegister(
		gauge("kith_database_sessions", "Statements and transactions that use or wait for a connection to Neo4j.",
			func() float64 { return float64(store.Sessions()) }),
		gauge("kith_database_connections_limit", "Largest number of connections to Neo4j.", func() float64 { return neo.MaxSessions }),
		gauge("kith_recall_queue", "Recalls that are queued to be stored.", func() float64 { return float64(recalls.Waiting()) }),
		gauge("kith_served_queue", "Records of served contexts that are queued to be stored.", func() float64 { return float64(served.Waiting()) }),
	)
}

// RegisterHTTP adds the metrics of chats, of streams of changes and of the audit log.
func (m *Registry) RegisterHTTP(chats *chat.Service, streams, changes *shares.Shares, auditLog *audit.Log) {
	value := func(name, help string, labels prometheus.Labels, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value))
	}
	for state, count := range map[string]func() int{
		"running": func() int { running, _ := chats.Generations(); return running },
		"waiting": func() int { _, waiting := chats.Generations(); return waiting },
	} {
		value("kith_generations", "Chat answers that are being generated or are queued, by state.", prometheus.Labels{"state": state},
			func() float64 { return float64(count()) })
	}
	value("kith_chat_streams", "Open chat event streams.", nil, func() float64 { return float64(streams.Used()) })
	value("kith_change_streams", "Open streams of changes.", nil, func() float64 { return float64(changes.Used()) })
	if auditLog == nil {
		return
	}
	for outcome, count := range map[string]func() int64{
		"written": func() int64 { written, _ := auditLog.Entries(); return written },
		"failed":  func() int64 { _, failed := auditLog.Entries(); return failed },
	} {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "kith_audit_total", Help: "Lines of the audit log by outcome: written, or failed to be written.",
			ConstLabels: prometheus.Labels{"outcome": outcome},
		}, func() float64 { return float64(count()) }))
	}
}

// RegisterVectors adds the metrics of queued texts and of the vectors in memory.
func (m *Registry) RegisterVectors(store *embedding.Store, index *vector.Index) {
	m.registry.MustRegister(backlog{store}, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "kith_vector_bytes", Help: "Memory used by vectors, in bytes.",
	}, func() float64 { return float64(index.Size()) }))
}

// backlog collects the number of texts without a vector from the database. It has no values while the database is unavailable.
type backlog struct{ store *embedding.Store }

var (
	embeddingDueDesc = prometheus.NewDesc("kith_embedding_due", "Texts queued for embedding, counted up to 10,000.", nil, nil)
	embeddingLagDesc = prometheus.NewDesc("kith_embedding_lag_seconds", "Age of the oldest text queued for embedding, in seconds.", nil, nil)
)

// Describe sends the descriptions of the metrics.
func (backlog) Describe(all chan<- *prometheus.Desc) {
	all <- embeddingDueDesc
	all <- embeddingLagDesc
}

// Collect queries the database and sends the values.
func (b backlog) Collect(all chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	now, err := b.store.Backlog(ctx)
	if err != nil {
		return
	}
	all <- prometheus.MustNewConstMetric(embeddingDueDesc, prometheus.GaugeValue, float64(now.Due))
	all <- prometheus.MustNewConstMetric(embeddingLagDesc, prometheus.GaugeValue, now.Lag)
}

// Handler returns the handler of the admin listener: metrics and, if profiles is set, pprof.
func (m *Registry) Handler(profiles bool) http.Handler {
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
