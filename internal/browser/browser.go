// Package browser opens pages in the browser of the desktop.
package browser

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// readTime is how long a browser has to read the file that leads to the page.
const readTime = 10 * time.Second

// Open opens an address in the browser of the desktop, and does nothing where there is none. The address may have a secret, and other
// users of the machine see the arguments of processes: the browser gets the name of a private file that leads there, which is removed
// after ten seconds or when ctx is done.
func Open(ctx context.Context, address string) error {
	open := "xdg-open"
	switch {
	case runtime.GOOS == "darwin":
		open = "open"
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return nil
	}
	program, err := exec.LookPath(open)
	if err != nil {
		return nil //nolint:nilerr // there is none
	}
	file, err := os.CreateTemp("", "kith-*.html") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = fmt.Fprintf(file, `<!doctype html><meta http-equiv="refresh" content="0; url=%s">`, html.EscapeString(address))
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := exec.CommandContext(ctx, program, file.Name()).Run(); err != nil { //nolint:gosec // the desktop's own program
		return fmt.Errorf("open the browser: %w", err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(readTime):
	}
	return nil
}
