package embedded

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// jarList names the jars that Maven resolves from pom.xml: SHA-256, size, path in a Maven repository. A test compares them.
//
//go:embed jars.txt
var jarList []byte

const (
	downloadsAtOnce = 4
	downloadTries   = 3
	downloadTimeout = 10 * time.Minute // of one jar; the largest has 20 MB
	answerTimeout   = 30 * time.Second
)

// jar is a file of Neo4j in a Maven repository.
type jar struct {
	sum  string
	size int64
	path string
}

func listJars() ([]jar, error) {
	var jars []jar
	lines := bufio.NewScanner(bytes.NewReader(jarList))
	for lines.Scan() {
		var j jar
		if _, err := fmt.Sscan(lines.Text(), &j.sum, &j.size, &j.path); err != nil {
			return nil, fmt.Errorf("read list of jars: %w", err)
		}
		jars = append(jars, j)
	}
	return jars, lines.Err()
}

// download copies the jars from the Maven repository at address into dir, with their checksums compared.
func download(ctx context.Context, address, dir string, progress io.Writer) error {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") {
		return errors.New("KITH_NEO4J_REPOSITORY must be the http or https address of a Maven repository")
	}
	jars, err := listJars()
	if err != nil {
		return err
	}
	lib := filepath.Join(dir, "lib")
	if err := os.MkdirAll(lib, 0o700); err != nil {
		return err
	}
	var fetched atomic.Int64
	stop := showProgress(progress, fmt.Sprintf("fetching Neo4j %s from %s (%d jars, about %d MB)", Version, base.Host, len(jars), jarMB), func() string {
		return fmt.Sprintf("%d MB, ", fetched.Load()>>20)
	})
	defer stop()
	transport := http.DefaultTransport.(*http.Transport).Clone() // with the proxy of the environment
	transport.ResponseHeaderTimeout = answerTimeout
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: downloadTimeout}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(downloadsAtOnce)
	for _, j := range jars {
		group.Go(func() error {
			if err := downloadJar(ctx, client, base, j, lib); err != nil {
				return err
			}
			fetched.Add(j.size)
			return nil
		})
	}
	return group.Wait()
}

// downloadJar tries several times to get a jar.
func downloadJar(ctx context.Context, client *http.Client, base *url.URL, j jar, lib string) error {
	var err error
	for try := range downloadTries {
		if try > 0 && !wait(ctx, time.Duration(try)*time.Second) {
			return ctx.Err()
		}
		if err = downloadOnce(ctx, client, base.JoinPath(j.path), j, lib); err == nil || ctx.Err() != nil {
			break
		}
	}
	return err
}

func downloadOnce(ctx context.Context, client *http.Client, at *url.URL, j jar, lib string) (err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err // has the address, without a password in it
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: %s", at.Redacted(), response.Status)
	}
	file, err := os.OpenFile(filepath.Join(lib, path.Base(j.path)), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(file, sum), io.LimitReader(response.Body, j.size+1))
	if err != nil {
		return fmt.Errorf("get %s: %w", at.Redacted(), err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); size != j.size || got != j.sum {
		return fmt.Errorf("get %s: it is not the file that Kith was tested with (SHA-256 %s, want %s)", at.Redacted(), got, j.sum)
	}
	return nil
}
