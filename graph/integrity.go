package graph

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/graph/neo"
)

var (
	integrityTeams = neo.Load[string]("integrity_teams")
	integrityNodes = neo.Load[checkedRow]("integrity_nodes")
)

// Finding is an inconsistency that no write of Kith leaves behind. It holds keys, and no content of memories.
type Finding struct {
	Check    string `json:"check"`
	TeamID   string `json:"team_id,omitempty"`
	Kind     string `json:"kind,omitempty"` // kind of a node, or type of a relationship
	Key      string `json:"key,omitempty"`
	Detail   string `json:"detail"`
	Repaired bool   `json:"repaired"`
	Advice   string `json:"advice,omitempty"` // what to do if it is not repaired
}

// IntegrityOptions say what to check and where to report it.
type IntegrityOptions struct {
	TeamID   string // empty: all teams, and the schema
	Fix      bool
	Report   func(Finding)                    // one call at a time; the teams in no order
	Progress func(teamID string, nodes int64) // after every page of nodes; one call at a time
}

// serial returns the options with functions that several teams may call at the same time.
func (o IntegrityOptions) serial() IntegrityOptions {
	var mu sync.Mutex
	report, progress := o.Report, o.Progress
	o.Report = func(f Finding) {
		mu.Lock()
		defer mu.Unlock()
		if report != nil {
			report(f)
		}
	}
	o.Progress = func(team string, nodes int64) {
		mu.Lock()
		defer mu.Unlock()
		if progress != nil {
			progress(team, nodes)
		}
	}
	return o
}

// IntegrityResult counts what an integrity check has read, found and repaired.
type IntegrityResult struct {
	Teams    int64 `json:"teams"`
	Nodes    int64 `json:"nodes"`
	Findings int64 `json:"findings"`
	Repaired int64 `json:"repaired"`
}

func (r *IntegrityResult) add(other IntegrityResult) {
	r.Teams += other.Teams
	r.Nodes += other.Nodes
	r.Findings += other.Findings
	r.Repaired += other.Repaired
}

const (
	readCheckedPage = 1000
	checkSide       = 4              // teams that are checked at the same time
	checkTries      = 4              // one repair may uncover a fault that the next one repairs
	checkGrace      = 24 * time.Hour // how long maintenance may take to delete expired records
)

// CheckIntegrity checks the store page by page and reports every inconsistency. With Fix it repairs those that have only one possible
// repair. Writers may run at the same time: the check does not see uncommitted writes.
func (s *Store) CheckIntegrity(ctx context.Context, o IntegrityOptions) (IntegrityResult, error) {
	c := &checker{store: s, options: o.serial()}
	if o.TeamID == "" {
		if err := c.schema(ctx); err != nil {
			return c.result, err
		}
	}
	if err := c.unkeyed(ctx); err != nil {
		return c.result, err
	}
	if o.TeamID != "" {
		return c.result, c.team(ctx, o.TeamID)
	}
	return c.result, c.teams(ctx)
}

// checker is a running integrity check.
type checker struct {
	store   *Store
	options IntegrityOptions
	result  IntegrityResult

	workspaces map[[2]string]bool // workspaces of the team by project and user; their nodes say that they are counted there
}

// report counts and reports a finding. With Fix it first runs the repair, if there is one. If the repair fails, the advice stays.
func (c *checker) report(ctx context.Context, f Finding, repair func(context.Context) error) error {
	if c.options.Fix && repair != nil {
		err := repair(ctx)
		if ctx.Err() != nil {
			return err
		}
		f.Repaired = err == nil
		if err != nil && f.Advice == "" {
			f.Advice = "the repair failed: " + err.Error()
		}
	}
	if f.Repaired {
		f.Advice = ""
		c.result.Repaired++
	} else if f.Advice == "" {
		f.Advice = "kith check --fix repairs it"
	}
	c.result.Findings++
	c.options.Report(f)
	return nil
}

// run returns a repair that consists of one statement.
func (c *checker) run(repair neo.Query[neo.None], params map[string]any) func(context.Context) error {
	return func(ctx context.Context) error {
		return c.store.Transaction(ctx, repair.Name, func(t *Tx) error { return repair.Run(t, params) })
	}
}

// teams checks all teams, some at the same time.
func (c *checker) teams(ctx context.Context) error {
	var mu sync.Mutex
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(checkSide)
	for after := ""; groupCtx.Err() == nil; {
		teams, err := integrityTeams.Read(groupCtx, c.store.db, map[string]any{"after": after})
		if err != nil {
			return errors.Join(err, group.Wait())
		}
		if len(teams) == 0 {
			break
		}
		after = teams[0]
		group.Go(func() error {
			one := &checker{store: c.store, options: c.options}
			err := one.team(groupCtx, teams[0])
			mu.Lock()
			defer mu.Unlock()
			c.result.add(one.result)
			return err
		})
	}
	return group.Wait()
}

// team checks one team.
func (c *checker) team(ctx context.Context, team string) error {
	c.result.Teams++
	c.workspaces = map[[2]string]bool{}
	var nodes int64
	for after := ""; ; {
		rows, err := integrityNodes.Read(ctx, c.store.db, map[string]any{"team_id": team, "after": after, "names": checkedNames, "limit": readCheckedPage})
		if err != nil {
			return err
		}
		if err := c.page(ctx, newCheckedPage(team, rows)); err != nil {
			return err
		}
		nodes += int64(len(rows))
		c.result.Nodes += int64(len(rows))
		c.options.Progress(team, nodes)
		if len(rows) < readCheckedPage {
			return errors.Join(c.workspacesOf(ctx, team), c.chats(ctx, team), c.past(ctx, team), c.merged(ctx, team), c.expired(ctx, team), c.reviews(ctx, team))
		}
		after = rows[len(rows)-1].EntityKey
	}
}

// keyPage is a page of what a check reads in the order of keys: how many were read, the last key, and the wrong ones.
type keyPage[T any] struct {
	Seen  int64
	Last  string
	Wrong []T
}

// checkPages runs a statement page by page and calls visit with each fault that it returns.
func checkPages[T any](ctx context.Context, c *checker, read neo.Query[keyPage[T]], team string, visit func(wrong T) error) error {
	for after := ""; ; {
		page, err := read.ReadOne(ctx, c.store.db, map[string]any{"team_id": team, "after": after, "limit": readCheckedPage})
		if err != nil {
			return err
		}
		for _, wrong := range page.Wrong {
			if err := visit(wrong); err != nil {
				return err
			}
		}
		if page.Seen < readCheckedPage {
			return nil
		}
		after = page.Last
	}
}
