package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"kith/graph"
	"kith/internal/pack"
	"kith/neo"
)

var (
	recordServed = neo.Load[neo.None]("replay_record")
	keepBodies   = neo.Load[neo.None]("replay_keep")
	trimBodies   = neo.Load[int64]("replay_trim")
	recordEvents = neo.Load[neo.None]("served_record")
	findServed   = neo.Load[foundRow]("replay_find")
	listServed   = neo.Load[servedRow]("served_list")
)

// Store keeps records in Neo4j. It is safe for concurrent use.
type Store struct {
	db    *neo.DB
	graph *graph.Store
}

// NewStore returns the store of the records in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{db: g.DB(), graph: g} }

// save stores a batch, and returns how many bodies it removed for newer ones.
func (s *Store) save(ctx context.Context, b batch) (trimmed int64, err error) {
	bodies, err := b.bodies()
	if err != nil {
		return 0, err
	}
	err = s.graph.Transaction(ctx, "replay_record", func(t *graph.Tx) error {
		t.Changes(nil)
		for _, step := range []struct {
			query neo.Query[neo.None]
			rows  []map[string]any
		}{{keepBodies, bodies}, {recordServed, b.rows()}, {recordEvents, b.events()}} {
			if len(step.rows) == 0 {
				continue
			}
			if err := step.query.Run(t, map[string]any{"team_id": b.team, "rows": step.rows}); err != nil {
				return err
			}
		}
		if len(bodies) == 0 {
			return nil
		}
		trimmed, err = trimBodies.ExecOne(t, map[string]any{"team_id": b.team, "rows": days(bodies), "most": mostBodies})
		return err
	})
	return trimmed, err
}

// rows returns the rows of the records.
func (b *batch) rows() []map[string]any {
	rows := make([]map[string]any, len(b.records))
	for i, one := range b.records {
		rows[i] = map[string]any{"user_id": one.id, "view": hashOf(one.view), "at": one.at, "until": one.until, "sum": one.sum}
	}
	return rows
}

// bodies returns the rows of what new records were made from, each once.
func (b *batch) bodies() ([]map[string]any, error) {
	type body struct {
		user
		sum string
	}
	var rows []map[string]any
	seen := map[body]bool{}
	for _, one := range b.records {
		if of := (body{one.user, one.sum}); one.entry.Raw != nil && !seen[of] {
			seen[of] = true
			packed, err := pack.Pack(one.entry.Raw)
			if err != nil {
				return nil, err
			}
			rows = append(rows, map[string]any{
				"user_id": one.id, "sum": one.sum, "encoded": packed, "size": len(packed), "day": dayOf(one.at), "at": one.at,
			})
		}
	}
	return rows, nil
}

// days returns the users and days of bodies, each once.
func days(bodies []map[string]any) []map[string]any {
	var rows []map[string]any
	seen := map[[2]any]bool{}
	for _, b := range bodies {
		if of := [2]any{b["user_id"], b["day"]}; !seen[of] {
			seen[of] = true
			rows = append(rows, map[string]any{"user_id": b["user_id"], "day": b["day"]})
		}
	}
	return rows
}

// hashOf returns a short name for a view.
func hashOf(view string) string {
	sum := sha256.Sum256([]byte(view))
	return hex.EncodeToString(sum[:16])
}
