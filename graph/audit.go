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
	auditTeams = neo.Load[string]("audit_teams")
	auditNodes = neo.Load[auditedNode]("audit_nodes")
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

// AuditOptions say what to check and where to report it.
type AuditOptions struct {
	TeamID   string // empty: all teams, and the schema
	Fix      bool
	Report   func(Finding)                    // one call at a time; the teams in no order
	Progress func(teamID string, nodes int64) // after every page of nodes; one call at a time
}

// serial returns the options with functions that several teams may call at the same time.
func (o AuditOptions) serial() AuditOptions {
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

// AuditResult counts what an integrity check has read, found and repaired.
type AuditResult struct {
	Teams    int64 `json:"teams"`
	Nodes    int64 `json:"nodes"`
	Findings int64 `json:"findings"`
	Repaired int64 `json:"repaired"`
}

func (r *AuditResult) add(other AuditResult) {
	r.Teams += other.Teams
	r.Nodes += other.Nodes
	r.Findings += other.Findings
	r.Repaired += other.Repaired
}

const (
	auditPage  = 1000
	auditSide  = 4              // teams that are checked at the same time
	auditTries = 4              // one repair may uncover a fault that the next one repairs
	auditGrace = 24 * time.Hour // how long maintenance may take to delete expired records
)

// Audit checks the store page by page and reports every inconsistency. With Fix it repairs those that have only one possible
// repair. Writers may run at the same time: the check does not see uncommitted writes.
func (s *Store) Audit(ctx context.Context, o AuditOptions) (AuditResult, error) {
	a := &auditor{store: s, options: o.serial()}
	if o.TeamID == "" {
		if err := a.schema(ctx); err != nil {
			return a.result, err
		}
	}
	if err := a.unkeyed(ctx); err != nil {
		return a.result, err
	}
	if o.TeamID != "" {
		return a.result, a.team(ctx, o.TeamID)
	}
	return a.result, a.teams(ctx)
}

// auditor is a running integrity check.
type auditor struct {
	store   *Store
	options AuditOptions
	result  AuditResult

	workspaces map[[2]string]bool // workspaces of the team by project and user; their nodes say that they are counted there
}

// report counts and reports a finding. With Fix it first runs the repair, if there is one. If the repair fails, the advice stays.
func (a *auditor) report(ctx context.Context, f Finding, repair func(context.Context) error) error {
	if a.options.Fix && repair != nil {
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
		a.result.Repaired++
	} else if f.Advice == "" {
		f.Advice = "kith check --fix repairs it"
	}
	a.result.Findings++
	a.options.Report(f)
	return nil
}

// run returns a repair that consists of one statement.
func (a *auditor) run(repair neo.Query[neo.None], params map[string]any) func(context.Context) error {
	return func(ctx context.Context) error {
		return a.store.Transaction(ctx, repair.Name, func(t *Tx) error { return repair.Run(t, params) })
	}
}

// teams checks all teams, some at the same time.
func (a *auditor) teams(ctx context.Context) error {
	var mu sync.Mutex
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(auditSide)
	for after := ""; groupCtx.Err() == nil; {
		teams, err := auditTeams.Read(groupCtx, a.store.db, map[string]any{"after": after})
		if err != nil {
			return errors.Join(err, group.Wait())
		}
		if len(teams) == 0 {
			break
		}
		after = teams[0]
		group.Go(func() error {
			one := &auditor{store: a.store, options: a.options}
			err := one.team(groupCtx, teams[0])
			mu.Lock()
			defer mu.Unlock()
			a.result.add(one.result)
			return err
		})
	}
	return group.Wait()
}

// team checks one team.
func (a *auditor) team(ctx context.Context, team string) error {
	a.result.Teams++
	a.workspaces = map[[2]string]bool{}
	var nodes int64
	for after := ""; ; {
		rows, err := auditNodes.Read(ctx, a.store.db, map[string]any{"team_id": team, "after": after, "names": auditNames, "limit": auditPage})
		if err != nil {
			return err
		}
		if err := a.page(ctx, newAuditPage(team, rows)); err != nil {
			return err
		}
		nodes += int64(len(rows))
		a.result.Nodes += int64(len(rows))
		a.options.Progress(team, nodes)
		if len(rows) < auditPage {
			return errors.Join(a.workspacesOf(ctx, team), a.chats(ctx, team), a.past(ctx, team), a.merged(ctx, team), a.expired(ctx, team), a.reviews(ctx, team))
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

// auditPages runs a statement page by page and calls visit with each fault that it returns.
func auditPages[T any](ctx context.Context, a *auditor, read neo.Query[keyPage[T]], team string, visit func(wrong T) error) error {
	for after := ""; ; {
		page, err := read.ReadOne(ctx, a.store.db, map[string]any{"team_id": team, "after": after, "limit": auditPage})
		if err != nil {
			return err
		}
		for _, wrong := range page.Wrong {
			if err := visit(wrong); err != nil {
				return err
			}
		}
		if page.Seen < auditPage {
			return nil
		}
		after = page.Last
	}
}
