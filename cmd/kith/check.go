package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"kith/embedded"
	"kith/graph"
)

// checkCmd looks over the database itself, so it needs no key.
type checkCmd struct {
	config
	Fix  bool   `help:"Repair what needs no choice."`
	Team string `help:"Only this team, and not the schema."`
	JSON bool   `name:"json" help:"One JSON object a line: the findings, and last the counts."`
}

// Run tells of everything that breaks the rules of the store; the exit status is 1 if there was something.
func (c *checkCmd) Run(ctx context.Context, std streams) error {
	if c.Neo4jURI == "" && !embedded.Exists(c.Data) {
		return fmt.Errorf("check: there is no database in %s (KITH_DATA)", c.Data)
	}
	log := slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	db, err := c.besideDatabase(ctx, log, std)
	if err != nil {
		return err
	}
	defer func() { _ = db.close(context.WithoutCancel(ctx)) }()
	store, err := graph.Open(db.Connection, graph.Options{Log: log, Types: c.RelationshipTypes.names})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close(context.WithoutCancel(ctx)) }()
	result, err := store.Audit(ctx, graph.AuditOptions{
		TeamID: c.Team, Fix: c.Fix,
		Report:   func(f graph.Finding) { c.report(std.out, f) },
		Progress: func(team string, nodes int64) { _, _ = fmt.Fprintf(std.err, "team %s: %d nodes\n", team, nodes) },
	})
	if err != nil {
		return err
	}
	c.conclude(std.out, result)
	if result.Findings > 0 {
		return errSilent
	}
	return nil
}

func (c *checkCmd) report(out io.Writer, f graph.Finding) {
	if c.JSON {
		_ = json.NewEncoder(out).Encode(f)
		return
	}
	outcome := "repaired"
	if !f.Repaired {
		outcome = f.Advice
	}
	where := ""
	if f.TeamID != "" {
		where = "team " + f.TeamID + ": "
	}
	_, _ = fmt.Fprintf(out, "%s: %s%s %s %s (%s)\n", f.Check, where, f.Kind, f.Key, f.Detail, outcome)
}

func (c *checkCmd) conclude(out io.Writer, r graph.AuditResult) {
	if c.JSON {
		_ = json.NewEncoder(out).Encode(r)
		return
	}
	_, _ = fmt.Fprintf(out, "%d teams, %d nodes: %d findings, %d repaired\n", r.Teams, r.Nodes, r.Findings, r.Repaired)
}
