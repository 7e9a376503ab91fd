package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"kith/cmd/kith/internal/migrate"
	"kith/cmd/kith/internal/privatefile"
	"kith/cmd/kith/internal/terminal"
)

// migrateCmd reads the memory of a running system of another make, and imports it.
type migrateCmd struct {
	Mem0     migrateMem0Cmd     `cmd:"" name:"mem0" help:"From mem0: its platform, or with --from its open-source server."`
	Graphiti migrateGraphitiCmd `cmd:"" help:"From the Neo4j of Graphiti."`
	Zep      migrateZepCmd      `cmd:"" help:"From Zep Cloud."`
	Letta    migrateLettaCmd    `cmd:"" help:"From Letta: its hosted API, or with --from a server."`
}

// migrateTarget says where the memory goes.
type migrateTarget struct {
	To     string `placeholder:"FILE" help:"Only write this file, which kith import reads. Default: import."`
	DryRun bool   `help:"Read everything, report what an import would do, and store nothing."`
	User   string `help:"Import everything as this user's (default: the users of the other system, if it has any)."`
	Owner  string `help:"Name of the person who is the user; see kith import --help."`
	Strict bool   `help:"Stop at the first fault."`
	URL    string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key    string `env:"KITH_KEY" help:"An API key with the scope write."`
	JSON   bool   `name:"json" help:"Print the report as JSON."`
}

// run has a file written, and imports it. Nothing is imported before all is read.
func (t *migrateTarget) run(ctx context.Context, std Streams, format string, read func(out io.Writer, progress *terminal.Progress) error) error {
	if t.To == "" && t.Key == "" {
		return errors.New("migrate: KITH_KEY is required, an API key with the scope write; or write a file with --to FILE")
	}
	if err := t.checkOptions(); err != nil {
		return err
	}
	path := t.To
	if path == "" {
		folder, err := os.MkdirTemp("", "kith-migrate-")
		if err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		defer func() { _ = os.RemoveAll(folder) }()
		path = filepath.Join(folder, format+".json")
	}
	progress := terminal.NewProgress(std.Err)
	err := privatefile.Write(path, func(out io.Writer) error { return read(out, progress) })
	progress.End()
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("migrate: interrupted; nothing is stored. Run the same command again")
	case err != nil:
		return fmt.Errorf("migrate: %w", err)
	case t.To != "":
		_, err = fmt.Fprintf(std.Out, "wrote %s: import it with kith import %[1]s --format %s\n", terminal.Visible(path), format)
		return err
	}
	file := importFileCmd{
		Path: path, Format: format, DryRun: t.DryRun, User: t.User, Owner: t.Owner, Strict: t.Strict, URL: t.URL, Key: t.Key, JSON: t.JSON,
	}
	return file.Run(ctx, std)
}

// checkOptions refuses options of the import together with --to, which imports nothing.
func (t *migrateTarget) checkOptions() error {
	for _, o := range []struct {
		name string
		set  bool
	}{{"--dry-run", t.DryRun}, {"--user", t.User != ""}, {"--owner", t.Owner != ""}, {"--strict", t.Strict}, {"--json", t.JSON}} {
		if t.To != "" && o.set {
			return fmt.Errorf("migrate: %s is for the import: pass it to kith import", o.name)
		}
	}
	return nil
}

// migrateMem0Cmd reads mem0's memories.
type migrateMem0Cmd struct {
	migrateTarget
	From     string `placeholder:"URL" help:"Address of an open-source server of mem0 (default: the platform)."`
	Hosted   bool   `help:"The server of --from speaks the platform's API."`
	FromUser string `placeholder:"ID" help:"Only the memories of this user of mem0."`
	FromKey  string `name:"mem0-key" env:"MEM0_API_KEY" help:"mem0's API key."`
}

// Run migrates from mem0.
func (c *migrateMem0Cmd) Run(ctx context.Context, std Streams) error {
	o := migrate.Options{Address: c.From, Key: c.FromKey, User: c.FromUser, Hosted: c.Hosted || c.From == ""}
	if c.From == "" {
		o.Address = "https://api.mem0.ai"
	}
	return c.run(ctx, std, "mem0", func(out io.Writer, progress *terminal.Progress) error {
		o.Progress = progress
		return migrate.Mem0(ctx, &o, out)
	})
}

// migrateGraphitiCmd reads Graphiti's graph.
type migrateGraphitiCmd struct {
	migrateTarget
	From     string   `env:"NEO4J_URI" default:"bolt://127.0.0.1:7687" help:"Address of Graphiti's Neo4j."`
	Account  string   `name:"neo4j-user" env:"NEO4J_USER" default:"neo4j" help:"Its user."`
	Password string   `name:"neo4j-password" env:"NEO4J_PASSWORD" help:"Its password."`
	Database string   `default:"neo4j" help:"Its database."`
	Group    []string `placeholder:"ID" help:"Only these group_ids (default: all)."`
}

// Run migrates from Graphiti.
func (c *migrateGraphitiCmd) Run(ctx context.Context, std Streams) error {
	return c.run(ctx, std, "graphiti", func(out io.Writer, progress *terminal.Progress) error {
		return migrate.Graphiti(ctx, &migrate.GraphitiOptions{
			Address: c.From, Account: c.Account, Password: c.Password, Database: c.Database, Groups: c.Group, Progress: progress,
		}, out)
	})
}

// migrateZepCmd reads a project of Zep.
type migrateZepCmd struct {
	migrateTarget
	From     string `default:"https://api.getzep.com/api/v4" help:"Address of Zep's API, version 4."`
	FromUser string `placeholder:"ID" help:"Only this user of Zep, by user_id or UUID."`
	FromKey  string `name:"zep-key" env:"ZEP_API_KEY" help:"Zep's API key."`
}

// Run migrates from Zep.
func (c *migrateZepCmd) Run(ctx context.Context, std Streams) error {
	return c.run(ctx, std, "zep", func(out io.Writer, progress *terminal.Progress) error {
		return migrate.Zep(ctx, &migrate.Options{Address: c.From, Key: c.FromKey, User: c.FromUser, Progress: progress}, out)
	})
}

// migrateLettaCmd reads the agents of a Letta server.
type migrateLettaCmd struct {
	migrateTarget
	From    string `default:"https://api.letta.com" help:"Address of the server."`
	Agent   string `placeholder:"ID" help:"Only this agent."`
	FromKey string `name:"letta-key" env:"LETTA_API_KEY" help:"Letta's API key."`
}

// Run migrates from Letta.
func (c *migrateLettaCmd) Run(ctx context.Context, std Streams) error {
	return c.run(ctx, std, "letta", func(out io.Writer, progress *terminal.Progress) error {
		return migrate.Letta(ctx, &migrate.Options{Address: c.From, Key: c.FromKey, Agent: c.Agent, Progress: progress}, out)
	})
}
