package embedded

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// repository is a Maven repository with the jars that Maven has fetched.
type repository struct {
	t      *testing.T
	lib    string
	damage string      // ends the path of a jar that has a wrong byte
	fails  atomic.Bool // the next request gets a 503
}

func (r *repository) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if r.fails.Swap(false) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	content, err := os.ReadFile(filepath.Join(r.lib, path.Base(request.URL.Path)))
	if err != nil || !strings.HasPrefix(request.URL.Path, "/maven/") {
		r.t.Errorf("asked for %s: %v", request.URL.Path, err)
	}
	if r.damage != "" && strings.HasSuffix(request.URL.Path, r.damage) {
		content[len(content)/2] ^= 1
	}
	_, _ = w.Write(content)
}

// Without Maven the same jars come from a repository, with one try that fails. A changed jar is refused.
func TestDownload(t *testing.T) {
	c, err := openCache("")
	if err == nil {
		err = c.locked(t.Context(), func() error { return fetch(t.Context(), c, "", os.Stderr) })
	}
	if err != nil {
		t.Fatal(err)
	}
	lib := filepath.Join(c.jars(), "lib")
	wantListed(t, lib)
	t.Setenv("PATH", "")
	from := &repository{t: t, lib: lib}
	from.fails.Store(true)
	server := httptest.NewServer(from)
	defer server.Close()
	var progress bytes.Buffer
	fresh := cache(t.TempDir())
	if err := fetch(t.Context(), fresh, server.URL+"/maven", &progress); err != nil || !isComplete(fresh.jars()) {
		t.Errorf("%v, complete: %v", err, isComplete(fresh.jars()))
	}
	if !strings.Contains(progress.String(), "fetching Neo4j "+Version+" from 127.0.0.1:") {
		t.Errorf("progress was %q", &progress)
	}
	from.damage = ".jar"
	if err := fetch(t.Context(), cache(t.TempDir()), server.URL+"/maven", &progress); err == nil || !strings.Contains(err.Error(), "not the file that Kith was tested with") {
		t.Errorf("a damaged jar: %v", err)
	}
	if err := fetch(t.Context(), cache(t.TempDir()), "repo.example.org", &progress); err == nil || !strings.Contains(err.Error(), "KITH_NEO4J_REPOSITORY") {
		t.Errorf("an address without a scheme: %v", err)
	}
}

// wantListed fails unless the list has what Maven resolves.
func wantListed(t *testing.T, lib string) {
	t.Helper()
	jars, err := listJars()
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadDir(lib)
	if err != nil || len(there) != len(jars) || len(jars) != jarCount {
		t.Errorf("Maven has %d jars, the list %d, the constant %d (%v)", len(there), len(jars), jarCount, err)
	}
	for _, j := range jars {
		content, err := os.ReadFile(filepath.Join(lib, path.Base(j.path)))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != j.sum || int64(len(content)) != j.size {
			t.Errorf("%s is listed with another checksum", j.path)
		}
	}
}
