package command

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"kith/cmd/kith/internal/terminal"
	"kith/graph"
	"kith/internal/embedded"
	"kith/text/markup"
)

// checkCmd checks the database directly, so it needs no API key.
type checkCmd struct {
	config
	Fix  bool   `help:"Repair the inconsistencies that have only one possible repair."`
	Team string `help:"Check only this team, and not the schema."`
	JSON bool   `name:"json" help:"Print one JSON object per line: the findings, then the counts."`
}

// Run prints every inconsistency of the database. It fails if there are any.
func (c *checkCmd) Run(ctx context.Context, std Streams) error {
	if c.Neo4jURI == "" && !embedded.Exists(c.Data) {
		return fmt.Errorf("check: no database in %s (KITH_DATA)", c.Data)
	}
	log := c.newLogger(std.Err, slog.LevelWarn)
	db, err := c.attachDatabase(ctx, log, std)
	if err != nil {
		return err
	}
	defer func() { _ = db.close(context.WithoutCancel(ctx)) }()
	store, err := graph.Open(db.Connection, graph.Options{Log: log, Types: c.RelationshipTypes.names})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close(context.WithoutCancel(ctx)) }()
	result, err := store.CheckIntegrity(ctx, graph.IntegrityOptions{
		TeamID: c.Team, Fix: c.Fix,
		Report: func(f graph.Finding) { c.printFinding(std.Out, f) },
		Progress: func(team string, nodes int64) {
			_, _ = fmt.Fprintf(std.Err, "team %s: %d nodes\n", markup.Plain(team), nodes)
		},
	})
	if err != nil {
		return err
	}
	c.printSummary(std.Out, result)
	if result.Findings > 0 {
		return errSilent
	}
	return nil
}

func (c *checkCmd) printFinding(out io.Writer, f graph.Finding) {
	if c.JSON {
		_ = terminal.PrintLine(out, f)
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
	_, _ = fmt.Fprintln(out, markup.Plain(fmt.Sprintf("%s: %s%s %s %s (%s)", f.Check, where, f.Kind, f.Key, f.Detail, outcome)))
}

func (c *checkCmd) printSummary(out io.Writer, r graph.IntegrityResult) {
	if c.JSON {
		_ = terminal.PrintLine(out, r)
		return
	}
	_, _ = fmt.Fprintf(out, "%d teams, %d nodes: %d findings, %d repaired\n", r.Teams, r.Nodes, r.Findings, r.Repaired)
}
