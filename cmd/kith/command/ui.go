package command

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"kith/access/auth"
	"kith/clients/page"
	"kith/cmd/kith/internal/terminal"
	"kith/text/markup"
)

// uiCmd opens the page of a running Kith, signed in.
type uiCmd struct {
	config
	URL    string  `env:"KITH_URL" help:"Address of the running Kith. Default: that of KITH_LISTEN."`
	Team   string  `default:"default" help:"Team whose memory to show."`
	User   *string `help:"Show this user alone. Default: all users of the team."`
	NoOpen bool    `help:"Print the address, and open no browser."`
}

// pageKeyTime is how long a key of the page is valid.
const pageKeyTime = time.Hour

// Run makes a key that only reads, prints the address of the page with it, and opens that in a browser if there is one.
func (c *uiCmd) Run(ctx context.Context, std Streams) error {
	if page.Files() == nil {
		return errors.New("this kith was built without the page: build it with Node 20 or newer (make build)")
	}
	base := c.URL
	if base == "" {
		base = "http://" + reachable(c.Listen)
	}
	return c.withKeys(ctx, std, func(keys *auth.Keys) error {
		secret, id, err := keys.Create(ctx, pageKey(c.Team, c.User))
		if err == nil {
			err = c.writeAudit("kith ui", std, c.Team, id)
		}
		if err != nil {
			return err
		}
		user := ""
		if c.User != nil {
			user = *c.User
		}
		address := pageAddress(base, secret, user)
		_, err = fmt.Fprintln(std.Out, address)
		_, _ = fmt.Fprintf(std.Err, "key id %s, team %s: it reads, for an hour\n", id, markup.Plain(c.Team))
		if err == nil && !c.NoOpen && terminal.IsTerminal(std.Out) {
			err = openBrowser(ctx, address)
		}
		return err
	})
}

// pageKey describes a key for the page.
func pageKey(team string, user *string) auth.Spec {
	end := time.Now().Add(pageKeyTime)
	return auth.Spec{TeamID: team, UserID: user, Scopes: []string{"read"}, ExpiresAt: &end}
}

// pageAddress returns the address of the page for a user, or of the list of users. The key is in the fragment, which
// browsers do not send.
func pageAddress(base, key, user string) string {
	address := strings.TrimRight(base, "/") + "/ui/"
	if user != "" {
		address += "context?user=" + url.QueryEscape(user)
	}
	return address + "#key=" + url.QueryEscape(key)
}

// browserReadTime is how long a browser has to read the file that leads to the page.
const browserReadTime = 10 * time.Second

// openBrowser opens an address in the browser of the desktop, and does nothing where there is none. The address may have a secret, and other
// users of the machine see the arguments of processes: the browser gets the name of a private file that leads there, which is removed
// after ten seconds or when ctx is done.
func openBrowser(ctx context.Context, address string) error {
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
	case <-time.After(browserReadTime):
	}
	return nil
}
