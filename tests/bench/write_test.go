package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/access/auth"
	"kith/cypher"
	"kith/graph"
	"kith/handlers"
	"kith/internal/cache"
	"kith/loader"
	"kith/memory/chat"
	"kith/memory/preference"
	"kith/memory/recall"
	"kith/memory/statement"
	"kith/tests/testenv"
)

// writer is the API over HTTP, and a driver, for one team.
type writer struct {
	url, key, team string
	store          *graph.Store
	driver         neo4j.DriverWithContext
	recalls        *recall.Queue
}

func newWriter(b *testing.B) *writer {
	b.Helper()
	db := testenv.Neo4j(b)
	kept, err := cache.New(cache.Options{})
	if err != nil {
		b.Fatal(err)
	}
	changed := func(ctx context.Context, c graph.Change) { kept.Changed(ctx, c.Team, c.Users...) }
	w := &writer{store: openStore(b, db, graph.Options{Changed: changed, Said: statement.Listener()}), team: testenv.Team(b)}
	keys := auth.New(auth.NewStore(w.store), time.Now)
	if w.key, _, err = keys.Create(b.Context(), auth.Spec{TeamID: w.team, Scopes: []string{auth.Read, auth.Write}}); err != nil {
		b.Fatal(err)
	}
	w.recalls = recall.New(w.store, recall.Options{})
	listening := httptest.NewServer(handlers.New(handlers.Services{
		Memory: w.store, Transfers: w.store, Statements: statement.NewStore(w.store), Nodes: w.store, Sources: w.store, ChatStore: chat.NewStore(w.store), Preferences: preference.NewStore(w.store), Keys: keys, Recalls: w.recalls, Ready: w.store.Ping,
		Contexts: loader.New(loader.NewStore(w.store), kept, loader.Options{}),
	}, handlers.Options{}))
	w.url = listening.URL
	w.driver, err = neo4j.NewDriverWithContext(db.URI, neo4j.BasicAuth(db.User, db.Password, ""))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		listening.Close()
		keys.Close()
		_ = kept.Close()
		_ = w.driver.Close(context.Background())
	})
	return w
}

// post sends a body, which must be accepted.
func (w *writer) post(b *testing.B, path, contentType string, body io.Reader) []byte {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, w.url+path, body)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+w.key)
	request.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode/100 != 2 {
		b.Fatalf("%s: %d %v %.500s", path, response.StatusCode, err, answer)
	}
	return answer
}

// newKey returns a new key of a team that reads and writes.
func (w *writer) newKey(b *testing.B, team string) string {
	b.Helper()
	var made struct{ Key string }
	answer := w.post(b, "/v1/keys", "application/json", strings.NewReader(fmt.Sprintf(`{"team_id":%q,"scopes":["read","write"]}`, team)))
	if err := json.Unmarshal(answer, &made); err != nil {
		b.Fatal(err)
	}
	return made.Key
}

// export reads the whole memory of the key's team, and discards it.
func (w *writer) export(b *testing.B) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, w.url+"/v1/export", http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+w.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if n, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK || n == 0 {
		b.Fatalf("export: %d, %d bytes, %v", response.StatusCode, n, err)
	}
}

// runBare runs statements of Kith's own files in one transaction, through the driver alone.
func (w *writer) runBare(b *testing.B, steps ...step) {
	b.Helper()
	session := w.driver.NewSession(b.Context(), neo4j.SessionConfig{})
	defer func() { _ = session.Close(b.Context()) }()
	_, err := session.ExecuteWrite(b.Context(), func(tx neo4j.ManagedTransaction) (any, error) {
		for _, s := range steps {
			result, err := tx.Run(b.Context(), cypher.Load(s.statement).Text, s.params)
			if err == nil {
				_, err = result.Collect(b.Context())
			}
			if err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

type step struct {
	statement string
	params    map[string]any
}

// storedNode returns the properties that Kith stores of a node of the batches.
func storedNode(key, name string) map[string]any {
	now := time.Now().UTC()
	return map[string]any{
		"entity_key": key, "name": name, "description": description, "state": "active", "ttl_policy": "decay", "salience": 0.5,
		"confidence": 0.5, "access_count": 0, "created_at": now, "updated_at": now, "version": 1, "user_id": "u1", "created_by": "u1",
		"salience_at": now.UnixMilli(), "decay_rate": 0.02, "natural_key": "concept\x1fu1\x1f" + name,
	}
}

func storedRelationship() map[string]any {
	now := time.Now().UTC()
	return map[string]any{
		"description": how, "salience": 0.5, "confidence": 0.8, "state": "candidate", "valid_from": now, "recorded_at": now, "updated_at": now,
		"recorded_by": "u1", "user_id": "u1", "version": 1, "access_count": 0, "salience_at": now.UnixMilli(), "decay_rate": 0.0,
	}
}

const (
	description = "Somebody whom one meets at the quay, and who knows the tides."
	how         = "Met long ago, and there ever since, in good weather and in bad."
)

// batchNames returns the names of a batch's nodes; each is linked to the next.
func batchNames(size int) []string {
	names := make([]string, size)
	for i := range names {
		names[i] = "n-" + strconv.FormatUint(rand.Uint64(), 36)
	}
	return names
}

func kithBatch(names []string) []byte {
	w := graph.MemoryWrite{UserID: "u1"}
	for i, name := range names {
		w.Nodes = append(w.Nodes, graph.NodeWrite{
			Kind: "concept", EntityKey: name, Name: graph.Some(name), Description: graph.Some(description), State: graph.Some("active"),
		})
		w.Relationships = append(w.Relationships, graph.RelationshipWrite{
			From: name, To: names[(i+1)%len(names)], Type: ownerTypes[i%len(ownerTypes)], Description: graph.Some(how),
		})
	}
	raw, _ := json.Marshal(w)
	return raw
}

// bareBatch returns the same batch as the statements that Kith runs for it.
func (w *writer) bareBatch(names []string) []step {
	var natural []string
	var nodes, links []map[string]any
	for i, name := range names {
		natural = append(natural, "concept\x1fu1\x1f"+name)
		nodes = append(nodes, map[string]any{"entity_key": name, "label": "Concept", "properties": storedNode(name, name)})
		links = append(links, map[string]any{
			"from": name, "to": names[(i+1)%len(names)], "type": ownerTypes[i%len(ownerTypes)], "key": "r" + name, "properties": storedRelationship(),
		})
	}
	return []step{
		{"node_find", map[string]any{"team_id": w.team, "entity_keys": names, "natural_keys": natural, "alias_queries": []string{}, "owner_users": []string{}, "own_users": []map[string]any{}, "ends": []string{}}},
		{"node_create", map[string]any{"team_id": w.team, "rows": nodes}},
		{"relationship_create", map[string]any{"team_id": w.team, "rows": links}},
	}
}

// BenchmarkWrite compares POST /v1/memory of 100 nodes and 100 relationships with its own statements through the driver.
func BenchmarkWrite(b *testing.B) {
	w := newWriter(b)
	kith := func() {
		w.post(b, "/v1/memory", "application/json", bytes.NewReader(kithBatch(batchNames(100))))
	}
	bare := func() { w.runBare(b, w.bareBatch(batchNames(100))...) }
	for range 60 {
		kith()
		bare()
	}
	var ours, theirs []time.Duration
	for range max(b.N, 200) {
		ours = append(ours, measureTime(kith))
		theirs = append(theirs, measureTime(bare))
	}
	b.ReportMetric(milliseconds(median(ours)), "ms/kith")
	b.ReportMetric(milliseconds(median(theirs)), "ms/bare")
	b.ReportMetric(float64(median(ours))/float64(median(theirs)), "kith÷bare")
}

func measureTime(work func()) time.Duration {
	begun := time.Now()
	work()
	return time.Since(begun)
}

// sizeFromEnv returns a number from the environment, for runs that take longer than all others together.
func sizeFromEnv(name string, fallback int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return fallback
}

// BenchmarkImport compares POST /v1/import with a loop of the driver that creates the same nodes and relationships in
// the same batches. KITH_BENCH_NODES sets how many nodes; there are three times as many relationships.
func BenchmarkImport(b *testing.B) {
	w := newWriter(b)
	nodes := sizeFromEnv("KITH_BENCH_NODES", 20_000)
	w.post(b, "/v1/import", "application/x-ndjson", strings.NewReader(exportOf("warm", 2000, 6000))) // plans, JIT
	begun := time.Now()
	w.post(b, "/v1/import", "application/x-ndjson", strings.NewReader(exportOf("kith", nodes, 3*nodes)))
	ours := time.Since(begun)
	w.bareLoad(b, "warm-bare", 2000)
	begun = time.Now()
	w.bareLoad(b, "bare", nodes)
	theirs := time.Since(begun)
	b.ReportMetric(float64(4*nodes)/ours.Seconds(), "items/s/kith")
	b.ReportMetric(float64(4*nodes)/theirs.Seconds(), "items/s/bare")
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "kith÷bare")
}

// BenchmarkImportMessages imports conversations of 20 messages each.
func BenchmarkImportMessages(b *testing.B) {
	w := newWriter(b)
	const each = 20
	conversations := sizeFromEnv("KITH_BENCH_CONVERSATIONS", 1_000)
	file := func(prefix string, conversations int) string {
		var file strings.Builder
		for c := range conversations {
			fmt.Fprintf(&file, `{"node":{"kind":"source","entity_key":"%s-%d","user_id":"u1","content_type":"conversation","summary":"about %[2]d"}}`+"\n", prefix, c)
		}
		for i := range conversations * each {
			fmt.Fprintf(&file, `{"node":{"kind":"message","entity_key":"%s-%d-%d","user_id":"u1","source_key":"%[1]s-%[2]d","role":%[4]q,"text":%[5]q}}`+"\n",
				prefix, i/each, i%each, []string{"user", "assistant"}[i%2], description)
		}
		return file.String()
	}
	w.post(b, "/v1/import", "application/x-ndjson", strings.NewReader(file("warm", 100))) // plans, JIT
	begun := time.Now()
	w.post(b, "/v1/import", "application/x-ndjson", strings.NewReader(file("kith", conversations)))
	b.ReportMetric(float64((1+each)*conversations)/time.Since(begun).Seconds(), "items/s")
}

// pairOf returns the ends and type of the i-th relationship: three from each node.
func pairOf(prefix string, i, nodes int) (from, kind, to string) {
	a := i / 3
	return fmt.Sprintf("%s-%d", prefix, a), ownerTypes[i%7], fmt.Sprintf("%s-%d", prefix, (a+1+i%3*17)%nodes)
}

// exportOf returns a file of Kith's own format.
func exportOf(prefix string, nodes, relationships int) string {
	var file strings.Builder
	for i := range nodes {
		fmt.Fprintf(&file, `{"node":{"kind":"concept","entity_key":"%s-%d","user_id":"u1","name":"%[1]s %[2]d","description":%q,"state":"active"}}`+"\n", prefix, i, description)
	}
	for i := range relationships {
		from, kind, to := pairOf(prefix, i, nodes)
		fmt.Fprintf(&file, `{"relationship":{"from":%q,"to":%q,"type":%q,"description":%q}}`+"\n", from, to, kind, how)
	}
	return file.String()
}

// bareLoad creates the same data through the driver alone.
func (w *writer) bareLoad(b *testing.B, prefix string, nodes int) {
	b.Helper()
	const at = 1000
	var rows []map[string]any
	for i := range nodes {
		rows = append(rows, map[string]any{
			"entity_key": fmt.Sprintf("%s-%d", prefix, i), "label": "Concept", "properties": storedNode(fmt.Sprintf("%s-%d", prefix, i), fmt.Sprintf("%s %d", prefix, i)),
		})
		if len(rows) == at || i == nodes-1 {
			w.runBare(b, step{"node_create", map[string]any{"team_id": w.team, "rows": rows}})
			rows = nil
		}
	}
	for i := range 3 * nodes {
		from, kind, to := pairOf(prefix, i, nodes)
		rows = append(rows, map[string]any{"from": from, "to": to, "type": kind, "key": fmt.Sprintf("%s-r-%d", prefix, i), "properties": storedRelationship()})
		if len(rows) == at || i == 3*nodes-1 {
			w.runBare(b, step{"relationship_create", map[string]any{"team_id": w.team, "rows": rows}})
			rows = nil
		}
	}
}

// BenchmarkGrowth compares the cost of an item of a batch write in an empty store and in one of KITH_BENCH_FILL
// nodes.
func BenchmarkGrowth(b *testing.B) {
	w := newWriter(b)
	write := func() { w.post(b, "/v1/memory", "application/json", bytes.NewReader(kithBatch(batchNames(500)))) }
	measure := func() time.Duration {
		var all []time.Duration
		for range max(b.N, 40) {
			all = append(all, measureTime(write))
		}
		return median(all)
	}
	for range 20 {
		write()
	}
	before := measure()
	w.fill(b, sizeFromEnv("KITH_BENCH_FILL", 200_000))
	write()
	after := measure()
	b.ReportMetric(float64(before.Microseconds())/1000, "µs/item/empty")
	b.ReportMetric(float64(after.Microseconds())/1000, "µs/item/full")
	b.ReportMetric(float64(after)/float64(before), "full÷empty")
}

// fill writes nodes into the store directly, without Kith.
func (w *writer) fill(b *testing.B, nodes int) {
	b.Helper()
	session := w.driver.NewSession(b.Context(), neo4j.SessionConfig{})
	defer func() { _ = session.Close(b.Context()) }()
	result, err := session.Run(b.Context(), `UNWIND range(1, $nodes) AS i
		CALL (i) {
		  CREATE (n:Memory:Concept {team_id: $team, entity_key: 'fill-' + i, natural_key: 'concept\u001fu1\u001ffill ' + i, user_id: 'u1',
		    name: 'fill ' + i, description: $description, state: 'active', ttl_policy: 'decay', salience: rand(), salience_at: timestamp(),
		    decay_rate: 0.02, confidence: 0.5, access_count: 0, version: 1, created_at: datetime(), updated_at: datetime()})
		} IN TRANSACTIONS OF 10000 ROWS`, map[string]any{"nodes": nodes, "team": w.team, "description": description})
	if err == nil {
		_, err = result.Consume(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkAppend compares appending a message to a conversation of 10 messages with one of 10,000.
func BenchmarkAppend(b *testing.B) {
	w := newWriter(b)
	scope := graph.Scope{TeamID: w.team, UserID: "u1"}
	for key, length := range map[string]int{"short": 10, "long": 10_000} {
		source := &graph.SourceWrite{EntityKey: key, Messages: make([]graph.MessageWrite, length)}
		for i := range source.Messages {
			source.Messages[i] = graph.MessageWrite{Role: "user", Text: how}
		}
		if _, err := w.store.WriteSource(b.Context(), scope, source); err != nil {
			b.Fatal(err)
		}
	}
	add := func(key string) time.Duration {
		return measureCall(b, func() error {
			_, err := w.store.AppendMessages(b.Context(), scope, key, []graph.MessageWrite{{Role: "user", Text: how}})
			return err
		})
	}
	var short, long []time.Duration
	for i := range max(b.N, 300) {
		a, z := add("short"), add("long")
		if i >= 50 {
			short, long = append(short, a), append(long, z)
		}
	}
	b.ReportMetric(milliseconds(median(short)), "ms/10")
	b.ReportMetric(milliseconds(median(long)), "ms/10000")
	b.ReportMetric(float64(median(long))/float64(median(short)), "10000÷10")
}

// BenchmarkTouches compares cold contexts with and without concurrent recalls, as many as a busy agent causes.
func BenchmarkTouches(b *testing.B) {
	w := newWriter(b)
	scope := graph.Scope{TeamID: w.team, UserID: "u1"}
	fullUser(b, w.store, scope, 100)
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- w.recalls.Run(ctx) }()
	b.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	contexts := uncached(w.store, loader.Combined)
	read := func() time.Duration {
		return measureCall(b, func() error {
			_, err := contexts.Context(b.Context(), loader.Request{Scope: scope}, nil)
			return err
		})
	}
	var off, on []time.Duration
	for i := range max(b.N, 600) {
		touching := i / 50 % 2 // turns of fifty
		took := read()
		if touching == 1 {
			w.recalls.Recalled(scope, graph.Recall{Nodes: []string{fmt.Sprintf("n-%d", i%100), fmt.Sprintf("n-%d", i*7%100)}})
		}
		switch {
		case i < 100: // plans, JIT
		case touching == 1:
			on = append(on, took)
		default:
			off = append(off, took)
		}
	}
	b.ReportMetric(milliseconds(median(off)), "ms/off")
	b.ReportMetric(milliseconds(median(on)), "ms/on")
	b.ReportMetric(float64(median(on))/float64(median(off)), "on÷off")
}
