package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/access/auth"
	"kith/cmd/kith/machine"
	"kith/internal/embedded"
	"kith/internal/sleep"
)

// hookServerCmd runs the memory of the machine in the background, until nobody has used it for a while. Hooks, and kith mcp
// --shared, start it.
type hookServerCmd struct {
	serveCmd
	Team string        `default:"default" help:"The team."`
	Idle time.Duration `env:"KITH_HOOK_IDLE" default:"30m" help:"How long it runs without requests."`
}

// leastIdle is the shortest time without requests after which the memory of the machine may end.
const leastIdle = time.Second

// Run serves on a free port of the loopback interface. It ends at once if another one runs on the folder.
func (c *hookServerCmd) Run(ctx context.Context, std Streams) error {
	if c.Idle < leastIdle {
		return fmt.Errorf("KITH_HOOK_IDLE must be at least %s", leastIdle)
	}
	folder, err := machine.Folder(c.Data)
	if err != nil {
		return err
	}
	last, release, err := machine.Claim(ctx, folder)
	if errors.Is(err, machine.ErrRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	c.Data, c.Listen, c.AdminListen, c.Demo = folder, "127.0.0.1:0", "", false
	log := c.newLogger(std.Err, max(c.LogLevel, slog.LevelWarn))
	use := &usage{}
	group, ctx := errgroup.WithContext(ctx)
	ctx, cancel := context.WithCancel(ctx)
	group.Go(func() error {
		defer cancel()
		return c.serve(ctx, log, Streams{std.In, std.Err, std.Err}, serving{
			open: func(ctx context.Context, log *slog.Logger, std Streams) (database, error) {
				db, err := c.joinDatabase(ctx, log, std)
				use.joined.Store(db.joined)
				return db, err
			},
			firstKey: func(context.Context, *auth.Keys) (string, error) { return "", nil },
			announce: func(ctx context.Context, url, _ string, keys *auth.Keys) error {
				use.note()
				return c.publish(ctx, folder, url, last, keys)
			},
			count: use.count,
		})
	})
	group.Go(func() error {
		defer cancel()
		return c.waitIdle(ctx, use)
	})
	defer use.end()
	return group.Wait()
}

// publish lets hooks find the server. It uses the key of the last one again, if that is valid and of the same team.
func (c *hookServerCmd) publish(ctx context.Context, folder, url string, last *machine.Server, keys *auth.Keys) error {
	server := &machine.Server{URL: url, Team: c.Team}
	if last != nil && last.Team == c.Team {
		if _, err := keys.Verify(ctx, last.Key); err == nil {
			server.Key = last.Key
		}
	}
	if server.Key == "" {
		key, _, err := keys.Create(ctx, auth.Spec{TeamID: c.Team, Scopes: []string{auth.Read, auth.Write}})
		if err != nil {
			return fmt.Errorf("key for hooks: %w", err)
		}
		server.Key = key
	}
	return server.Publish(folder)
}

// waitIdle returns when nobody has used the server for a while, or when the process ends whose Neo4j it has joined.
func (c *hookServerCmd) waitIdle(ctx context.Context, use *usage) error {
	for sleep.For(ctx, min(c.Idle/10, 10*time.Second)) {
		if use.joined.Load() {
			if _, err := embedded.Attach(c.Data); errors.Is(err, embedded.ErrNotRunning) {
				return nil
			}
		}
		if use.since() < c.Idle {
			continue
		}
		if c.Neo4jURI != "" || use.joined.Load() {
			return nil
		}
		release, err := embedded.Leave(c.Data)
		if err != nil || release != nil {
			use.release = release
			return err
		}
	}
	return nil
}

// usage is who uses a server.
type usage struct {
	last    atomic.Int64 // when the last request began or ended
	joined  atomic.Bool  // another process has started the Neo4j
	release func() error // lets others join the Neo4j again; nil: they could all the time
}

func (u *usage) note() { u.last.Store(time.Now().UnixNano()) }

// since returns for how long the server has been unused, 0 while it starts.
func (u *usage) since() time.Duration {
	if last := u.last.Load(); last > 0 {
		return time.Since(time.Unix(0, last))
	}
	return 0
}

// end is called when the server has stopped.
func (u *usage) end() {
	if u.release != nil {
		_ = u.release()
	}
}

// count returns a handler that notes each request at its beginning and end, once the server has started.
func (u *usage) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if u.last.Load() > 0 {
			u.note()
			defer u.note()
		}
		next.ServeHTTP(w, r)
	})
}
