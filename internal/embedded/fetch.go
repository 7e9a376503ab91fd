package embedded

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

//go:embed pom.xml
var pom []byte

const (
	jarCount    = 214
	jarMB       = 118
	copyJars    = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
	mavenKeep   = 20 // lines of its output
	pipeTimeout = 5 * time.Second
)

// fetch puts Neo4j's jars into the cache unless they are there: from the Maven repository, or, without one, with Maven. The
// caller holds the lock of the cache.
func fetch(ctx context.Context, c cache, repository string, progress io.Writer) error {
	if isComplete(c.jars()) {
		return nil
	}
	if err := fetchMissing(ctx, c, repository, progress); err != nil {
		return fmt.Errorf("fetch Neo4j: %w", err)
	}
	return nil
}

// FetchVersion puts the jars of another version of Neo4j into dir/lib, with Maven. Tests with that version use them as Options.Neo4jHome.
func FetchVersion(ctx context.Context, version, dir string) error {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return ErrMissingMaven
	}
	other := bytes.ReplaceAll(pom, []byte(Version), []byte(version))
	if err := os.WriteFile(filepath.Join(dir, "pom.xml"), other, 0o600); err != nil {
		return err
	}
	return runMaven(ctx, mvn, dir, io.Discard)
}

// fetchMissing collects the jars under another name, so that an interrupted fetch never counts.
func fetchMissing(ctx context.Context, c cache, repository string, progress io.Writer) error {
	mvn, err := exec.LookPath("mvn")
	if err != nil && repository == "" {
		return ErrMissingMaven
	}
	part := c.jars() + ".part"
	if err := preparePart(part); err != nil {
		return err
	}
	if repository != "" {
		err = download(ctx, repository, part, progress)
	} else {
		err = runMaven(ctx, mvn, part, progress)
	}
	if err != nil {
		return err
	}
	return finishPart(part, c.jars())
}

func preparePart(part string) error {
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := os.MkdirAll(part, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(part, "pom.xml"), pom, 0o600)
}

func finishPart(part, jars string) error {
	if err := seal(part); err != nil {
		return err
	}
	if err := os.RemoveAll(jars); err != nil { // a damaged one
		return err
	}
	return os.Rename(part, jars)
}

// runMaven runs Maven, and shows how many files it has downloaded: it copies them to their place only at the end. Files
// in Maven's own cache are not downloaded again.
func runMaven(ctx context.Context, mvn, dir string, progress io.Writer) error {
	cmd := exec.CommandContext(ctx, mvn, "-B", copyJars, "-DoutputDirectory=lib")
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, childEnviron(), pipeTimeout
	output := new(mavenOutput)
	read, write := io.Pipe()
	cmd.Stdout, cmd.Stderr = write, write
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		output.read(read)
	}()
	stop := showProgress(progress, fmt.Sprintf("fetching Neo4j %s with Maven (%d jars, about %d MB)", Version, jarCount, jarMB), output.downloaded)
	err := cmd.Run()
	stop()
	_ = write.Close()
	<-drained
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("mvn: %w; its output ends:\n%s", err, strings.Join(output.last, "\n"))
	}
	return nil
}

// mavenOutput parses Maven's output.
type mavenOutput struct {
	jars atomic.Int64
	last []string // may be read after read has returned
}

func (m *mavenOutput) downloaded() string {
	if n := m.jars.Load(); n > 0 {
		return fmt.Sprintf("%d jars, ", n)
	}
	return ""
}

func (m *mavenOutput) read(from io.Reader) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.Contains(line, "Downloaded from ") && strings.Contains(line, ".jar "):
			m.jars.Add(1)
		case strings.Contains(line, "Download"):
		default:
			m.last = append(m.last, line)
			m.last = m.last[max(0, len(m.last)-mavenKeep):]
		}
	}
	_, _ = io.Copy(io.Discard, from) // after a line too long to scan
}
