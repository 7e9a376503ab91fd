package page

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Bytes of the page, with gzip.
const (
	firstView = 60 << 10 // what each screen needs
	graphView = 45 << 10 // what the graph needs besides
)

// The page keeps its bytes: the files that index.html names, with what those import, and the rest.
func TestBytes(t *testing.T) {
	t.Parallel()
	files := Files()
	if files == nil {
		t.Fatal("the page is not built: go run ./clients/page/build")
	}
	first := map[string]bool{"index.html": true}
	for todo := []string{"index.html"}; len(todo) > 0; todo = todo[1:] {
		for _, named := range regexp.MustCompile(`(?:/ui/assets/|(?:from|import)\s*"\./)([\w-]+\.(?:js|css))`).FindAllStringSubmatch(read(t, files, todo[0]), -1) {
			if name := "assets/" + named[1]; !first[name] {
				first[name] = true
				todo = append(todo, name)
			}
		}
	}
	if len(first) < 3 {
		t.Fatalf("index.html leads to %v", first)
	}
	begin, rest := 0, 0
	err := fs.WalkDir(files, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if first[name] || strings.HasPrefix(name, "assets/oidc-") { // the sign-in
			begin += packed(t, read(t, files, name))
		} else {
			rest += packed(t, read(t, files, name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("first view %d bytes, the rest %d", begin, rest)
	if begin > firstView || rest > graphView {
		t.Errorf("first view %d bytes, the rest %d", begin, rest)
	}
}

// The source fits the contract of the API.
func TestTypes(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "npm", "run", "--silent", "check").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// The licences of what the page has from others are beside it.
func TestLicences(t *testing.T) {
	t.Parallel()
	text := read(t, Files(), "licences.txt")
	for _, name := range []string{"preact", "@preact/signals"} {
		if !strings.Contains(text, name+"\n") {
			t.Errorf("the licence of %s is missing", name)
		}
	}
}

func read(t *testing.T, files fs.FS, name string) string {
	t.Helper()
	content, err := fs.ReadFile(files, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func packed(t *testing.T, text string) int {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}
