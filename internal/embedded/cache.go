package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const cacheRetry = 200 * time.Millisecond

// cache is the folder of fetched and compiled files, shared by all data folders of a user.
type cache string

func openCache(dir string) (cache, error) {
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("open cache: %w", err)
		}
		dir = filepath.Join(base, "kith")
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("open cache: %w", err)
	}
	return cache(dir), nil
}

// locked runs do while no other process works in the cache.
func (c cache) locked(ctx context.Context, do func() error) error {
	lock := flock.New(filepath.Join(string(c), "lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, cacheRetry); err != nil {
		return fmt.Errorf("lock cache: %w", err)
	}
	defer func() { _ = lock.Close() }()
	return do()
}

func (c cache) jars() string { return filepath.Join(string(c), "neo4j-"+Version) }

// manifest names the jars of a finished fetch with their sizes.
const manifest = "jars.txt"

// isComplete reports whether all files of a fetch are in dir with their full length.
func isComplete(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, manifest))
	if err != nil || len(text) == 0 {
		return false
	}
	for line := range strings.Lines(string(text)) {
		size, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		info, err := os.Stat(filepath.Join(dir, "lib", name))
		if err != nil || strconv.FormatInt(info.Size(), 10) != size {
			return false
		}
	}
	return true
}

// seal writes the manifest of dir, after the jars are safe on disk.
func seal(dir string) error {
	entries, err := os.ReadDir(filepath.Join(dir, "lib"))
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, entry := range entries {
		size, err := syncFile(filepath.Join(dir, "lib", entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%d %s\n", size, entry.Name())
	}
	return writeFile(filepath.Join(dir, manifest), []byte(lines.String()))
}

func syncFile(path string) (size int64, err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), file.Sync()
}
