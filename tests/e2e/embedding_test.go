package e2e

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/tests/testenv"
)

// TestOwnNeo4j_slow runs the tests that need a Neo4j of their own, one after another: a database has the vectors of one model, and faults
// stop it.
func TestOwnNeo4j_slow(t *testing.T) {
	t.Parallel()
	server := testenv.StartNeo4j(t)
	environ := append(settings(server.Database(), ""), "KITH_WARM_UP=false")
	t.Run("serve and reindex", func(t *testing.T) { serveEmbeds(t, environ) })
	t.Run("explore by meaning", func(t *testing.T) { exploreByMeaning(t, environ) })
	t.Run("faults under load", func(t *testing.T) { faultsUnderLoad(t, server) })
}

// Written texts get vectors while kith serve runs. With another model it does not start until kith reindex has embedded
// everything again.
func serveEmbeds(t *testing.T, environ []string) {
	with := func(more ...string) []string { return append(slices.Clone(environ), more...) }
	plain, half := "KITH_EMBEDDINGS_MODEL_DIR=../../internal/llm/testdata/plain", "KITH_EMBEDDINGS_MODEL_DIR=../../internal/llm/testdata/half"
	s := start(t, with(plain))
	s.as(bootstrapKey).must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[
		{"kind":"concept","entity_key":"c-1","name":"boat","description":"in the rain"},{"kind":"concept","entity_key":"c-2","name":"rain"}]}`)
	eventually(t, time.Minute, "both are embedded", func() bool {
		return strings.Contains(metricsAt(t, s.admin), `kith_embeddings_total{outcome="embedded"} 2`)
	})
	figures := metricsAt(t, s.admin)
	for _, want := range []string{"kith_embedding_due 0", "kith_embedding_lag_seconds 0", "kith_vector_bytes 0"} {
		if !strings.Contains(figures, want+"\n") {
			t.Errorf("no %q: %s", want, figures)
		}
	}
	if answer := s.as(bootstrapKey).do(t, http.MethodGet, "/v1/export", ""); strings.Contains(string(answer.body), "vector") || strings.Contains(string(answer.body), "embed") {
		t.Errorf("an export tells of vectors: %s", answer.body)
	}
	if code := s.stop(); code != 0 {
		t.Fatalf("%d %s", code, s.err)
	}

	if code, out := command(t, with(half), "serve"); code != 1 || !strings.Contains(out, "kith reindex") {
		t.Errorf("serve with another model: %d %s", code, out)
	}
	if code, out := command(t, environ, "reindex"); code != 0 || !strings.Contains(out, "KITH_EMBEDDINGS_MODEL_DIR") {
		t.Errorf("reindex without an embedder: %d %s", code, out)
	}
	if code, out := command(t, with(half), "reindex"); code != 0 || !strings.Contains(out, "2 embedded, 0 empty") {
		t.Errorf("reindex: %d %s", code, out)
	}
	s = start(t, with(half))
	if code := s.stop(); code != 0 {
		t.Errorf("%d %s", code, s.err)
	}
}

func TestEmbedderIsChecked(t *testing.T) {
	t.Parallel()
	const url, folder = "KITH_EMBEDDINGS_URL=http://127.0.0.1:1/v1", "KITH_EMBEDDINGS_MODEL_DIR=../../internal/llm/testdata/plain"
	for want, environ := range map[string][]string{
		"both set":                    {url, folder, "KITH_EMBEDDINGS_MODEL=m"},
		"KITH_EMBEDDINGS_MODEL is":    {url},
		"without KITH_EMBEDDINGS_URL": {"KITH_EMBEDDINGS_KEY=hidden"},
		"config.json":                 {"KITH_EMBEDDINGS_MODEL_DIR=" + t.TempDir()},
		"invalid characters":          {url, "KITH_EMBEDDINGS_MODEL=m", "KITH_EMBEDDINGS_KEY=hidden\nhidden"},
	} {
		environ = append(environ, "KITH_LISTEN=127.0.0.1:0", "KITH_ADMIN_LISTEN=", "KITH_DATA="+t.TempDir(), "KITH_NEO4J_URI=bolt://127.0.0.1:1")
		if code, out := command(t, environ, "serve"); code != 1 || !strings.Contains(out, want) || strings.Contains(out, "hidden") {
			t.Errorf("%d, want %q: %s", code, want, out)
		}
	}
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func metricsAt(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}
