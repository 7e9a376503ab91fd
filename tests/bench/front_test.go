package bench

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"kith/access/auth"
	"kith/access/limit"
	"kith/graph"
	"kith/handlers"
	"kith/internal/cache"
	"kith/loader"
	"kith/memory/chat"
	"kith/memory/preference"
	"kith/memory/recall"
	"kith/tests/testenv"
)

// allowAll accepts every key, to measure a request without authentication.
type allowAll struct {
	*auth.Keys
	principal auth.Principal
}

func (a allowAll) Verify(context.Context, string) (auth.Principal, error) { return a.principal, nil }

// newIssuer returns the verifier of an issuer that runs as long as the benchmark, and a token.
func newIssuer(b *testing.B, team string) (*auth.Tokens, string) {
	b.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	var issuer *httptest.Server
	issuer = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			_ = json.NewEncoder(w).Encode(map[string]string{"issuer": issuer.URL, "jwks_uri": issuer.URL + "/keys"})
			return
		}
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k"}}})
	}))
	b.Cleanup(issuer.Close)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, nil)
	if err != nil {
		b.Fatal(err)
	}
	claims, _ := json.Marshal(map[string]any{
		"iss": issuer.URL, "aud": "kith", "exp": time.Now().Add(time.Hour).Unix(), "sub": "u1", "team_id": team, "scope": "read",
	})
	signed, err := signer.Sign(claims)
	if err != nil {
		b.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		b.Fatal(err)
	}
	tokens, err := auth.NewTokens(auth.TokenOptions{
		Issuer: issuer.URL, Audience: "kith", TeamClaim: "team_id", UserClaim: "sub", ScopesClaim: "scope",
	}, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(tokens.Close)
	return tokens, token
}

// BenchmarkFront measures what authentication and limits add to a request for a cached context, in this process: a
// cached API key and a cached token, and a rate limit counted here and in Redis. The variants take turns.
func BenchmarkFront(b *testing.B) {
	store := openStore(b, testenv.Neo4j(b), graph.Options{})
	kept, err := cache.New(cache.Options{})
	if err != nil {
		b.Fatal(err)
	}
	scope := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	fullUser(b, store, scope, 100)
	keys := auth.New(auth.NewStore(store), time.Now)
	b.Cleanup(func() { keys.Close(); _ = kept.Close() })
	key, _, err := keys.Create(b.Context(), auth.Spec{TeamID: scope.TeamID, Scopes: []string{auth.Read}})
	if err != nil {
		b.Fatal(err)
	}
	tokens, token := newIssuer(b, scope.TeamID)
	services := handlers.Services{
		Memory: store, Nodes: store, Sources: store, ChatStore: chat.NewStore(store), Preferences: preference.NewStore(store), Keys: keys, Tokens: tokens, Recalls: recall.New(store, recall.Options{}),
		Ready: store.Ping, Contexts: loader.New(loader.NewStore(store), kept, loader.Options{}), MCP: http.NotFoundHandler(),
	}
	open := services
	open.Keys = allowAll{keys, auth.Principal{KeyID: "k", TeamID: scope.TeamID, Scopes: []string{auth.Read}}}
	limited := func(redis string) http.Handler {
		limits, err := limit.New(limit.Options{RedisURI: redis, Standard: 1_000_000})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = limits.Close() })
		s := open
		s.Limits = limits
		return handlers.New(s, handlers.Options{})
	}
	ways := []struct {
		name, credential string
		api              http.Handler
		took             []time.Duration
	}{
		{name: "anybody", credential: "x", api: handlers.New(open, handlers.Options{})},
		{name: "key", credential: key, api: handlers.New(services, handlers.Options{})},
		{name: "token", credential: token, api: handlers.New(services, handlers.Options{})},
		{name: "limit", credential: "x", api: limited("")},
		{name: "limit-redis", credential: "x", api: limited(testenv.Redis(b))},
	}
	for i := range max(b.N, 4000) {
		for w := range ways {
			way := &ways[w]
			request := httptest.NewRequest(http.MethodGet, contextPath, http.NoBody)
			request.Header.Set("Authorization", "Bearer "+way.credential)
			answer := httptest.NewRecorder()
			begun := time.Now()
			way.api.ServeHTTP(answer, request)
			if took := time.Since(begun); i >= 500 {
				way.took = append(way.took, took)
			}
			if answer.Code != http.StatusOK {
				b.Fatalf("%s: %d %s", way.name, answer.Code, answer.Body)
			}
		}
	}
	microseconds := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	least := microseconds(median(ways[0].took))
	b.ReportMetric(least, "µs-request")
	for _, way := range ways[1:] {
		b.ReportMetric(microseconds(median(way.took))-least, "µs-"+way.name)
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkTracing compares requests to three processes in turns: two without traces, to see how far two equal ones
// differ, and one that sends all of them to a collector.
func BenchmarkTracing(b *testing.B) {
	binary := buildBinary(b)
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	b.Cleanup(collector.Close)
	off, _ := startBinary(b, binary)
	same, _ := startBinary(b, binary)
	on, _ := startBinary(b, binary, "KITH_OTLP_ENDPOINT="+collector.URL)
	for _, cold := range []bool{true, false} {
		var took [3][]float64
		for i := range 600 {
			for k, s := range []*server{off, same, on} {
				path := contextPath
				if cold { // a view without an entry
					path += "&format=text&max_tokens=" + fmt.Sprint(1000+i)
				}
				begun := time.Now()
				s.get(b, path)
				if i >= 100 {
					took[k] = append(took[k], time.Since(begun).Seconds()*1e6)
				}
			}
		}
		name := map[bool]string{true: "cold", false: "cached"}[cold]
		b.ReportMetric(median(took[0]), "µs-"+name)
		b.ReportMetric(median(took[1])/median(took[0]), name+"-off/off")
		b.ReportMetric(median(took[2])/median(took[0]), name+"-on/off")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkQuota compares concurrent writes of one node in a team with and without quotas.
func BenchmarkQuota(b *testing.B) {
	db := testenv.Neo4j(b)
	var free, bounded []float64
	stores := []*graph.Store{openStore(b, db, graph.Options{}), openStore(b, db, graph.Options{Quota: graph.Quota{Nodes: 1_000_000, Text: 1_000_000_000}})}
	teams := []string{testenv.Team(b), testenv.Team(b)}
	for round := range 12 {
		for k, took := range []*[]float64{&free, &bounded} {
			each := writeAtOnce(b, stores[k], teams[k], round)
			if round >= 2 {
				*took = append(*took, each)
			}
		}
	}
	b.ReportMetric(median(free), "free-p50-ms")
	b.ReportMetric(median(bounded)/median(free), "quota/free")
	b.ReportMetric(0, "ns/op")
}

// writeAtOnce runs writers of one team that write fifty nodes each, and returns the median time of a write in
// milliseconds.
func writeAtOnce(b *testing.B, store *graph.Store, team string, round int) float64 {
	b.Helper()
	var (
		writers sync.WaitGroup
		mu      sync.Mutex
		all     []time.Duration
	)
	for w := range callers {
		writers.Go(func() {
			scope := graph.Scope{TeamID: team, UserID: fmt.Sprint("u", w)}
			for i := range 50 {
				begun := time.Now()
				_, err := store.Write(b.Context(), scope, &graph.MemoryWrite{Nodes: []graph.NodeWrite{{Kind: "concept", Name: graph.Some(fmt.Sprint(round, " ", i))}}})
				if err != nil {
					b.Error(err)
					return
				}
				mu.Lock()
				all = append(all, time.Since(begun))
				mu.Unlock()
			}
		})
	}
	writers.Wait()
	return milliseconds(median(all))
}

// BenchmarkRouted compares cold contexts by bolt:// and by neo4j://, with a bookmark of the last write, in turns.
func BenchmarkRouted(b *testing.B) {
	db := testenv.Neo4j(b)
	scope := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	wire := countRoundTrips(b, strings.Replace(db.URI, "bolt://", "neo4j://", 1))
	direct := openStore(b, db, graph.Options{})
	fullUser(b, direct, scope, 100)
	db.URI = wire.uri
	routed := openStore(b, db, graph.Options{})
	writeMemory(b, routed, scope, &graph.MemoryWrite{Nodes: []graph.NodeWrite{{Kind: "concept", EntityKey: "c", Name: graph.Some("c")}}})
	if _, mark := routed.Bookmarks().Mark(scope.TeamID); mark == "" {
		b.Fatal("no bookmark")
	}
	read := func(s *graph.Store) func() error {
		contexts := loader.NewStore(s)
		return func() error {
			_, err := contexts.ReadSections(b.Context(), scope, loader.AllSections, loader.SectionQuery{Now: time.Now()})
			return err
		}
	}
	var straight, asked []time.Duration
	for i := range max(b.N, 500) + 100 {
		before := wire.trips.Load()
		s, a := measureCall(b, read(direct)), measureCall(b, read(routed))
		if i >= 100 {
			straight, asked = append(straight, s), append(asked, a)
			b.ReportMetric(float64(wire.trips.Load()-before), "round-trips")
		}
	}
	b.ReportMetric(milliseconds(median(straight)), "bolt-p50-ms")
	b.ReportMetric(float64(median(asked))/float64(median(straight)), "neo4j/bolt")
	b.ReportMetric(0, "ns/op")
}
