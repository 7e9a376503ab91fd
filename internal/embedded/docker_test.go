package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeDocker knows one container, whose process id is in the file running while it runs.
const fakeDocker = `cd "$(dirname "$0")"
echo "$@" >> commands
case $1 in
info) echo 28.0 ;;
run) echo "$NEO4J_AUTH" > auth; echo 4242 > running ;;
inspect) [ -f running ] || { echo "No such container" >&2; exit 1; }; cat running ;;
wait) while [ -f running ]; do sleep 0.05; done ;;
kill) rm running ;;
rm) echo "Error: No such container" >&2; exit 1 ;;
esac`

// TestDocker follows a container through start, take-over and stop, without an engine.
func TestDocker(t *testing.T) {
	dir := fakeCommand(t, "docker", fakeDocker)
	f, err := openFolder(t.TempDir())
	if err == nil {
		err = os.MkdirAll(f.home(), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	password, err := ensurePassword(f)
	if err != nil {
		t.Fatal(err)
	}
	e, err := findDocker(t.Context(), Options{}.withDefaults(), f)
	if err != nil {
		t.Fatal(err)
	}
	in, err := e.start(t.Context(), 27687)
	if err != nil {
		t.Fatal(err)
	}
	again := findOrphan(t.Context(), f, in.identify(state{}))
	if again == nil || again.pid() != 4242 {
		t.Fatalf("found %+v; want the container", again)
	}
	if err := end(t.Context(), in); err != nil {
		t.Error(err)
	}
	<-again.ended()
	commands, auth := readTestFile(t, dir, "commands"), readTestFile(t, dir, "auth")
	for _, want := range []string{"--publish 127.0.0.1:27687:7687", "--volume " + f.data() + ":/data", "--env NEO4J_AUTH ", image} {
		if !strings.Contains(commands, want) {
			t.Errorf("commands lack %q:\n%s", want, commands)
		}
	}
	if strings.Contains(commands, password) || strings.TrimSpace(auth) != "neo4j/"+password {
		t.Error("the password is on the command line or not in the environment")
	}
}

func readTestFile(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestNothingThere: without Java, Maven and Docker the error names what to install.
func TestNothingThere(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("JAVA_HOME", "")
	_, err := Start(t.Context(), Options{Dir: t.TempDir(), CacheDir: t.TempDir()})
	if !errors.Is(err, ErrMissingJava) || !errors.Is(err, ErrMissingDocker) {
		t.Fatalf("error %v; want ErrMissingJava and ErrMissingDocker", err)
	}
	for _, want := range []string{"openjdk-17-jre-headless", "KITH_NEO4J_URI", "Docker"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
}

func TestOldJava(t *testing.T) {
	t.Setenv("JAVA_HOME", "")
	fakeCommand(t, "java", `echo 'openjdk version "11.0.2" 2019-01-15' >&2`)
	_, err := findJava(t.Context(), Version)
	if !errors.Is(err, ErrMissingJava) || !strings.Contains(err.Error(), "is Java 11") {
		t.Errorf("error %v; want ErrMissingJava naming Java 11", err)
	}
	fakeCommand(t, "java", `echo 'openjdk version "17.0.15" 2025-04-15' >&2`)
	if _, err := findJava(t.Context(), Version); err != nil {
		t.Error(err)
	}
	_, err = findJava(t.Context(), "2026.08.1")
	if !errors.Is(err, ErrMissingJava) || !strings.Contains(err.Error(), "is Java 17, and Neo4j 2026.08.1 needs 21") {
		t.Errorf("error %v; want ErrMissingJava naming Java 21", err)
	}
}

func TestNoInstalledNeo4j(t *testing.T) {
	_, err := Start(t.Context(), Options{Dir: t.TempDir(), CacheDir: t.TempDir(), Neo4jHome: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "NEO4J_HOME") {
		t.Errorf("error %v; want one that names NEO4J_HOME", err)
	}
}
