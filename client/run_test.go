package client_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"kith/client"
	"kith/internal/testenv"
)

const adminKey = "the-admin-key-of-these-tests-0000"

// TestExamples runs the examples against a Kith, as any other program would.
func TestExamples(t *testing.T) {
	address := serve(t)
	admin := client.New(address, adminKey, nil)
	key, err := admin.CreateKey(t.Context(), &client.CreateKeyRequest{TeamID: testenv.Team(t), Scopes: []string{"read", "write"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("KITH_URL", address)
	t.Setenv("KITH_KEY", key.Key)
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, example := range []struct { // in this order: the last one exports what the first one writes
		name string
		run  func()
	}{{"Example", Example}, {"ExampleError", ExampleError}, {"ExampleClient_Export", ExampleClient_Export}} {
		if got, want := printed(t, example.run), promised(t, string(source), example.name); got != want {
			t.Errorf("%s prints\n%s, not\n%s", example.name, got, want)
		}
	}
	if err := admin.RevokeKey(t.Context(), key.KeyID); err != nil {
		t.Error(err)
	}
}

// promised returns the output stated in an example.
func promised(t *testing.T, source, name string) string {
	t.Helper()
	_, body, _ := strings.Cut(source, "\nfunc "+name+"() {\n")
	body, _, _ = strings.Cut(body, "\n}\n")
	_, said, found := strings.Cut(body, "\t// Prints:\n")
	if !found {
		t.Fatalf("%s does not say what it prints", name)
	}
	return strings.ReplaceAll(said, "\t// ", "") + "\n"
}

// printed returns a function's standard output.
func printed(t *testing.T, run func()) string {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = write
	run()
	os.Stdout = stdout
	_ = write.Close()
	all, err := io.ReadAll(read)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// serve runs a kith until the test ends, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "kith")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../cmd/kith").CombinedOutput(); err != nil {
		t.Fatalf("build: %v %s", err, out)
	}
	db := testenv.Neo4j(t)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	command := exec.CommandContext(ctx, binary, "serve")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.Env = append(os.Environ(), "KITH_LISTEN=127.0.0.1:0", "KITH_ADMIN_LISTEN=", "KITH_BOOTSTRAP_KEY="+adminKey,
		"KITH_NEO4J_URI="+db.URI, "KITH_NEO4J_USER="+db.User, "KITH_NEO4J_PASSWORD="+db.Password, "KITH_NEO4J_DATABASE="+db.Database)
	out := &output{written: make(chan struct{}, 1)}
	command.Stdout, command.Stderr = out, out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = command.Wait()
	})
	for deadline := time.After(3 * time.Minute); ; {
		if found := regexp.MustCompile(`answers at (http://\S+)`).FindStringSubmatch(out.String()); found != nil {
			return found[1]
		}
		select {
		case <-out.written:
		case <-deadline:
			t.Fatalf("kith does not answer: %s", out)
		}
	}
}

// output collects a process's output, and signals each write.
type output struct {
	mu      sync.Mutex
	all     bytes.Buffer
	written chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.written <- struct{}{}:
	default:
	}
	return o.all.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}
