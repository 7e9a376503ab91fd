package command

import (
	"context"
	"fmt"
	"strconv"

	"kith/cmd/kith/internal/terminal"
	"kith/graph"
	"kith/internal/fault"
)

// teamCmd manages teams directly in the database, so it needs no API key.
type teamCmd struct {
	config
	Quota teamQuotaCmd `cmd:"" help:"Show the usage and quota of a team, or set a quota for it."`
	Purge teamPurgeCmd `cmd:"" help:"Purge the deleted data of a team before KITH_KEEP_DELETED has passed."`
}

type teamPurgeCmd struct {
	Team string `arg:"" help:"The team."`
}

// Run purges the deleted data and prints how much it was.
func (c *teamPurgeCmd) Run(ctx context.Context, std Streams, parent *teamCmd) error {
	return parent.withStore(ctx, std, func(store *graph.Store) error {
		purged, err := store.PurgeTeam(ctx, c.Team)
		if err == nil {
			err = parent.writeAudit("kith team purge", std, c.Team)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(std.Out, "purged: %d nodes and relationships\n", purged)
		return err
	})
}

type teamQuotaCmd struct {
	Team          string `arg:"" help:"The team."`
	Nodes         string `placeholder:"N" help:"Nodes that the team may store. 0: unlimited. standard: the service's quota."`
	Relationships string `placeholder:"N" help:"Relationships that the team may store. 0: unlimited. standard: the service's quota."`
	Text          string `placeholder:"N" help:"Characters of text that the team may store. 0: unlimited. standard: the service's quota."`
	JSON          bool   `name:"json" help:"Print JSON."`
}

// printJSON prints the quota and usage of a team. A limit of 0 means unlimited.
func (c *teamQuotaCmd) printJSON(std Streams, own graph.OwnQuota, standard *teamCmd, has graph.Usage) error {
	share := func(own *int64, standard, used int64) map[string]any {
		limit := standard
		if own != nil {
			limit = *own
		}
		return map[string]any{"limit": limit, "own": own != nil, "used": used}
	}
	return terminal.PrintJSON(std.Out, map[string]any{
		"team_id": c.Team, "nodes": share(own.Nodes, standard.QuotaNodes, has.Nodes),
		"relationships": share(own.Relationships, standard.QuotaLinks, has.Relationships),
		"characters":    share(own.Text, standard.QuotaText, has.Text), "deleted": has.Deleted,
	})
}

// Run sets the limits that were passed, and prints the quota and usage.
func (c *teamQuotaCmd) Run(ctx context.Context, std Streams, parent *teamCmd) error {
	return parent.withStore(ctx, std, func(store *graph.Store) error {
		own, has, err := store.TeamQuota(ctx, c.Team)
		if err == nil && c.Nodes+c.Relationships+c.Text != "" {
			if err = c.setQuota(ctx, store, &own); err == nil {
				err = parent.writeAudit("kith team quota", std, c.Team)
			}
		}
		if err != nil {
			return err
		}
		if parent.QuotaNodes+parent.QuotaLinks+parent.QuotaText == 0 {
			_, _ = fmt.Fprintln(std.Err, "quotas are disabled unless KITH_QUOTA_NODES, KITH_QUOTA_RELATIONSHIPS or KITH_QUOTA_TEXT is set")
		}
		if c.JSON {
			return c.printJSON(std, own, parent, has)
		}
		_, err = fmt.Fprintf(std.Out, "nodes: %d of %s\nrelationships: %d of %s\ncharacters: %d of %s\n"+
			"of these, deleted but not purged: %d nodes and relationships\n",
			has.Nodes, limitText(own.Nodes, parent.QuotaNodes), has.Relationships, limitText(own.Relationships, parent.QuotaLinks),
			has.Text, limitText(own.Text, parent.QuotaText), has.Deleted)
		return err
	})
}

func (c *teamQuotaCmd) setQuota(ctx context.Context, store *graph.Store, own *graph.OwnQuota) (err error) {
	if own.Nodes, err = parseLimit(c.Nodes, own.Nodes); err != nil {
		return err
	}
	if own.Relationships, err = parseLimit(c.Relationships, own.Relationships); err != nil {
		return err
	}
	if own.Text, err = parseLimit(c.Text, own.Text); err != nil {
		return err
	}
	return store.SetTeamQuota(ctx, c.Team, *own)
}

// parseLimit returns the limit that a flag sets: empty keeps the current one, standard removes it.
func parseLimit(flag string, was *int64) (*int64, error) {
	switch flag {
	case "":
		return was, nil
	case "standard":
		return nil, nil
	}
	n, err := strconv.ParseInt(flag, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("--nodes, --relationships and --text take a number or standard: %w", fault.ErrInvalid)
	}
	return &n, nil
}

// limitText returns a limit of a team, and whether it is the team's own or the standard.
func limitText(own *int64, standard int64) string {
	by := "own"
	if own == nil {
		own, by = &standard, "standard"
	}
	if *own == 0 {
		return "unlimited (" + by + ")"
	}
	return fmt.Sprintf("%d (%s)", *own, by)
}
