package main

import (
	"context"
	"fmt"
	"strconv"

	"kith/graph"
)

// teamCmd manages teams in the database itself, so it needs no key.
type teamCmd struct {
	config
	Quota teamQuotaCmd `cmd:"" help:"Show how much a team has and may have, or give it a quota of its own."`
	Purge teamPurgeCmd `cmd:"" help:"Take what a team has deleted away for good, before KITH_KEEP_DELETED has passed."`
}

type teamPurgeCmd struct {
	Team string `arg:"" help:"The team."`
}

// Run purges.
func (c *teamPurgeCmd) Run(ctx context.Context, std streams, parent *teamCmd) error {
	return parent.besideStore(ctx, std, func(store *graph.Store) error {
		purged, err := store.PurgeTeam(ctx, c.Team)
		if err == nil {
			err = parent.audit("kith team purge", std, c.Team)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(std.out, "purged: %d nodes and relationships\n", purged)
		return err
	})
}

type teamQuotaCmd struct {
	Team          string `arg:"" help:"The team."`
	Nodes         string `placeholder:"N" help:"Nodes that it may have; 0: any number, standard: as the service has it."`
	Relationships string `placeholder:"N" help:"Relationships that it may have; 0: any number, standard: as the service has it."`
	Text          string `placeholder:"N" help:"Characters of text that it may have; 0: any number, standard: as the service has it."`
	JSON          bool   `name:"json" help:"As JSON."`
}

// printJSON prints what a team may have and has; a limit of 0 is any number.
func (c *teamQuotaCmd) printJSON(std streams, own graph.OwnQuota, standard *teamCmd, has graph.Usage) error {
	share := func(own *int64, standard, used int64) map[string]any {
		limit := standard
		if own != nil {
			limit = *own
		}
		return map[string]any{"limit": limit, "own": own != nil, "used": used}
	}
	return printJSON(std.out, map[string]any{
		"team_id": c.Team, "nodes": share(own.Nodes, standard.QuotaNodes, has.Nodes),
		"relationships": share(own.Relationships, standard.QuotaLinks, has.Relationships),
		"characters":    share(own.Text, standard.QuotaText, has.Text), "deleted": has.Deleted,
	})
}

// Run sets what is given, and prints what there is.
func (c *teamQuotaCmd) Run(ctx context.Context, std streams, parent *teamCmd) error {
	return parent.besideStore(ctx, std, func(store *graph.Store) error {
		own, has, err := store.TeamQuota(ctx, c.Team)
		if err == nil && c.Nodes+c.Relationships+c.Text != "" {
			if err = c.set(ctx, store, &own); err == nil {
				err = parent.audit("kith team quota", std, c.Team)
			}
		}
		if err != nil {
			return err
		}
		if parent.QuotaNodes+parent.QuotaLinks+parent.QuotaText == 0 {
			_, _ = fmt.Fprintln(std.err, "a service without KITH_QUOTA_NODES, KITH_QUOTA_RELATIONSHIPS and KITH_QUOTA_TEXT bounds no team")
		}
		if c.JSON {
			return c.printJSON(std, own, parent, has)
		}
		_, err = fmt.Fprintf(std.out, "nodes: %d of %s\nrelationships: %d of %s\ncharacters: %d of %s\ndeleted, until they are purged: %d of the nodes and relationships\n",
			has.Nodes, bound(own.Nodes, parent.QuotaNodes), has.Relationships, bound(own.Relationships, parent.QuotaLinks),
			has.Text, bound(own.Text, parent.QuotaText), has.Deleted)
		return err
	})
}

func (c *teamQuotaCmd) set(ctx context.Context, store *graph.Store, own *graph.OwnQuota) (err error) {
	if own.Nodes, err = ownBound(c.Nodes, own.Nodes); err != nil {
		return err
	}
	if own.Relationships, err = ownBound(c.Relationships, own.Relationships); err != nil {
		return err
	}
	if own.Text, err = ownBound(c.Text, own.Text); err != nil {
		return err
	}
	return store.SetTeamQuota(ctx, c.Team, *own)
}

// ownBound is what a flag makes of a bound: empty leaves it, standard takes it away.
func ownBound(flag string, was *int64) (*int64, error) {
	switch flag {
	case "":
		return was, nil
	case "standard":
		return nil, nil
	}
	n, err := strconv.ParseInt(flag, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("--nodes, --relationships and --text take a number, or standard: %w", graph.ErrInvalid)
	}
	return &n, nil
}

// bound is how much a team may have, and by whom.
func bound(own *int64, standard int64) string {
	by := "its own"
	if own == nil {
		own, by = &standard, "standard"
	}
	if *own == 0 {
		return "any number (" + by + ")"
	}
	return fmt.Sprintf("%d (%s)", *own, by)
}
