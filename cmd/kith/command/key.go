package command

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"kith/access/audit"
	"kith/access/auth"
	"kith/cmd/kith/internal/terminal"
	"kith/graph"
	"kith/handlers"
	"kith/text/markup"
)

// keyCmd manages API keys directly in the database, so it needs no API key.
type keyCmd struct {
	config
	Create createKeyCmd `cmd:"" help:"Create a key. It is printed once."`
	List   listKeysCmd  `cmd:"" help:"List keys, without their secrets."`
	Revoke revokeKeyCmd `cmd:"" help:"Revoke a key."`
}

type createKeyCmd struct {
	Team    string        `default:"default" help:"Team of the key."`
	User    *string       `help:"Bind the key to this user. Default: it may act for every user of the team."`
	Scopes  []string      `default:"read,write" enum:"read,write,admin" help:"Scopes of the key: read, write, admin."`
	Limit   *int64        `help:"Rate limit in units per minute. 0: unlimited. Default: KITH_RATE_LIMIT."`
	Origin  *string       `help:"Origin of what it writes: user, assistant, tool, external or import."`
	Trust   *float64      `help:"The most that what it writes is believed, 0 to 1. Default: what its origin has."`
	Expires time.Duration `help:"How long the key is valid. 0: it does not expire."`
}

// Run creates a key and prints it.
func (c *createKeyCmd) Run(ctx context.Context, std Streams, parent *keyCmd) error {
	return parent.withKeys(ctx, std, func(keys *auth.Keys) error {
		spec := auth.Spec{TeamID: c.Team, UserID: c.User, Scopes: c.Scopes, RateLimit: c.Limit, Origin: c.Origin, Trust: c.Trust}
		if c.Expires != 0 {
			end := time.Now().Add(c.Expires)
			spec.ExpiresAt = &end
		}
		secret, id, err := keys.Create(ctx, spec)
		if err == nil {
			err = parent.writeAudit("kith key create", std, c.Team, id)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(std.Out, "%s\n", secret)
		_, _ = fmt.Fprintf(std.Err, "key id %s, team %s; the key is not shown again\n", id, markup.Plain(c.Team))
		return err
	})
}

type listKeysCmd struct {
	Team string `help:"List only this team's keys."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// keyJSON is the JSON form of a key.
type keyJSON struct {
	handlers.KeyInfo
	State     string `json:"state"`
	Bootstrap string `json:"bootstrap"`
}

func printKeysJSON(std Streams, keys []auth.APIKey) error {
	all := make([]keyJSON, len(keys))
	for i, k := range keys {
		all[i] = keyJSON{handlers.InfoOf(k), keyState(k, time.Now()), bootstrapState(k)}
	}
	return terminal.PrintJSON(std.Out, all)
}

// Run prints a table of keys.
func (c *listKeysCmd) Run(ctx context.Context, std Streams, parent *keyCmd) error {
	return parent.withKeys(ctx, std, func(keys *auth.Keys) error {
		found, err := keys.List(ctx, c.Team)
		if err != nil {
			return err
		}
		if c.JSON {
			return printKeysJSON(std, found)
		}
		rows := [][]string{{"KEY ID", "TEAM", "USER", "SCOPES", "CREATED", "LAST USED", "STATE", "BOOTSTRAP"}}
		for _, k := range found {
			user := "-"
			if k.UserID != nil {
				user = *k.UserID
			}
			lastUsed := "-"
			if k.LastUsed != nil {
				lastUsed = k.LastUsed.Format(time.DateTime)
			}
			rows = append(rows, []string{
				k.KeyID, k.TeamID, user, strings.Join(k.Scopes, ","), k.CreatedAt.Format(time.DateTime), lastUsed, keyState(k, time.Now()), bootstrapState(k),
			})
		}
		return terminal.PrintTable(std.Out, rows)
	})
}

// bootstrapState returns whether a key is a bootstrap key: the first of the store, or set as KITH_BOOTSTRAP_KEY.
// Keys of older versions have unknown.
func bootstrapState(k auth.APIKey) string {
	switch {
	case k.Bootstrap == nil:
		return "unknown"
	case *k.Bootstrap:
		return "yes"
	}
	return "no"
}

func keyState(k auth.APIKey, now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt == nil:
		return "good"
	case now.Before(*k.ExpiresAt):
		return "good until " + k.ExpiresAt.Format(time.DateTime)
	}
	return "expired"
}

type revokeKeyCmd struct {
	ID string `arg:"" name:"key-id" help:"The key id, as printed by kith key list."`
}

// Run revokes a key.
func (c *revokeKeyCmd) Run(ctx context.Context, std Streams, parent *keyCmd) error {
	return parent.withKeys(ctx, std, func(keys *auth.Keys) error {
		err := keys.Revoke(ctx, "", c.ID)
		if err == nil {
			err = parent.writeAudit("kith key revoke", std, c.ID)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(std.Out, "revoked")
		return err
	})
}

// writeAudit logs a change of keys or teams by a command in the audit log.
func (c *config) writeAudit(operation string, std Streams, ids ...string) error {
	log, err := audit.Open(c.AuditLog, std.Err) // standard output is for results, such as the new key
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	return log.Write(audit.Entry{At: time.Now().UTC(), Operation: operation, TeamID: auth.DefaultTeam, IDs: ids})
}

// withKeys opens the store of keys for a command.
func (c *config) withKeys(ctx context.Context, std Streams, work func(*auth.Keys) error) error {
	return c.withStore(ctx, std, func(store *graph.Store) error {
		keys := auth.New(auth.NewStore(store), time.Now)
		defer keys.Close()
		return work(keys)
	})
}

// withStore opens the store for a command that may run while a service runs.
func (c *config) withStore(ctx context.Context, std Streams, work func(*graph.Store) error) error {
	log := c.newLogger(std.Err, slog.LevelWarn)
	db, err := c.attachDatabase(ctx, log, std)
	if err != nil {
		return err
	}
	defer func() { _ = db.close(context.WithoutCancel(ctx)) }()
	store, err := graph.Open(db.Connection, graph.Options{Log: log})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close(context.WithoutCancel(ctx)) }()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	return work(store)
}
