package duplicate

import (
	"context"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	exportRefusals = neo.Load[exported]("export_refusals")
	findMerged     = neo.Load[end]("duplicate_merged")
)

// exported is a row of export_refusals.
type exported struct {
	Pair      string
	FirstKey  string
	SecondKey string
	RefusedAt time.Time
	Exported  bool // with its nodes: neither is deleted
}

// Line is a refusal in an export. Whose it is follows from its nodes, which come before it.
type Line struct {
	Pair
	RefusedAt *time.Time `json:"refused_at,omitempty"`
}

// Check adds the faults of a line of an import.
func (l *Line) Check(f *fault.List) {
	if f.Word(fault.At("first"), l.First, 256) && f.Word(fault.At("second"), l.Second, 256) && l.First == l.Second {
		f.Add(fault.At("second"), fault.Contrary, "is the first")
	}
}

const exportedRefusals = 1000 // of one read

// ExportRefusals reads the refusals of a team in order, without those of deleted nodes, which an export has not. It stops at the first error of visit and returns it.
func (s *Store) ExportRefusals(ctx context.Context, teamID string, visit func(*Line) error) error {
	for after := ""; ; {
		rows, err := exportRefusals.Read(ctx, s.db, map[string]any{"team_id": teamID, "after": after, "limit": exportedRefusals})
		if err != nil {
			return err
		}
		for i := range rows {
			r := &rows[i]
			after = r.Pair
			if !r.Exported {
				continue
			}
			at := r.RefusedAt.UTC()
			if err := visit(&Line{Pair{r.FirstKey, r.SecondKey}, &at}); err != nil {
				return err
			}
		}
		if len(rows) < exportedRefusals {
			return nil
		}
	}
}

// RestoreRefusals stores refusals of an import in the scope; without a user in it of all users of the team. It returns how many are
// new, and the numbers of the lines that it refuses, because the import has not both nodes, or they are of different kinds or users.
// With the plan of a dry run it returns the same of the nodes that would be stored, and stores nothing.
func (s *Store) RestoreRefusals(ctx context.Context, scope graph.Scope, lines []Line, plan *graph.RestorePlan) (created int64, bad []int, err error) {
	err = s.graph.TryTransaction(ctx, "duplicate_refuse", plan != nil, func(t *graph.Tx) error {
		t.Changes(nil)
		ends, err := importedEnds(t, scope.TeamID, lines, plan)
		if err != nil {
			return err
		}
		var rows []map[string]any
		created, bad = 0, nil
		seen := map[string]bool{} // a statement does not see what its rows before have stored
		for i, l := range lines {
			first, second := ends[l.First], ends[l.Second]
			if first == nil || second == nil || *first != *second || scope.UserID != "" && first.user != scope.UserID {
				bad = append(bad, i)
				continue
			}
			r := row(l.Pair, first.kind, first.user)
			if seen[l.key()] {
				continue
			}
			seen[l.key()] = true
			if r["refused_at"] = s.graph.Now(); l.RefusedAt != nil {
				r["refused_at"] = l.RefusedAt.UTC()
			}
			rows = append(rows, r)
		}
		created, err = s.keep(t, scope.TeamID, rows)
		return err
	})
	return created, bad, err
}

// importedEnd is the kind and user of a node of a line.
type importedEnd struct{ kind, user string }

// importedEnds finds the nodes of some lines by their keys, or those of nodes that were merged into them, also those that a dry run would
// have stored.
func importedEnds(t *graph.Tx, team string, lines []Line, plan *graph.RestorePlan) (map[string]*importedEnd, error) {
	pairs := make([]Pair, len(lines))
	for i, l := range lines {
		pairs[i] = l.Pair
	}
	keys := keysOf(pairs)
	found, err := findEnds.Exec(t, map[string]any{"team_id": team, "entity_keys": graph.Distinct(slices.Clone(keys))})
	if err != nil {
		return nil, err
	}
	merged, err := findMerged.Exec(t, map[string]any{"team_id": team, "entity_keys": keys})
	if err != nil {
		return nil, err
	}
	ends := map[string]*importedEnd{}
	found = append(merged, found...)
	for i := range found {
		ends[found[i].EntityKey] = &importedEnd{found[i].Labels.Kind().Name, found[i].user()}
	}
	for _, key := range keys {
		kind, user, planned, err := plan.Planned(key)
		if err != nil {
			return nil, err
		}
		if planned && slices.Contains(Kinds, kind.Name) {
			ends[key] = &importedEnd{kind.Name, user}
		}
	}
	return ends, nil
}
