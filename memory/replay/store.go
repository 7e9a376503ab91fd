package replay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"kith/graph"
	"kith/graph/neo"
	"kith/graph/pack"
)

var (
	knownUsers   = neo.Load[string]("replay_users")
	recordServed = neo.Load[neo.None]("replay_record")
	keepBodies   = neo.Load[neo.None]("replay_keep")
	trimBodies   = neo.Load[int64]("replay_trim")
	recordEvents = neo.Load[neo.None]("served_record")
	findServed   = neo.Load[foundRow]("replay_find")
	listServed   = neo.Load[servedRow]("served_list")
	countReads   = neo.Load[usage]("replay_usage")
	removeReads  = neo.Load[int64]("replay_remove")
)

// Store keeps records in Neo4j. It is safe for concurrent use.
type Store struct {
	db    *neo.DB
	graph *graph.Store
}

// NewStore returns the store of the records in a memory's database.
func NewStore(g *graph.Store) *Store { return &Store{db: g.DB(), graph: g} }

// saved says what became of a batch.
type saved struct {
	known   map[string]bool // users who have something in the team: of others nothing is kept
	trimmed int64           // bodies that were removed for newer ones of the day
	reads   graph.Reads
}

// save stores what a batch has of users who have something in the team. Ids can be made up, and nobody would know whom to erase.
func (s *Store) save(ctx context.Context, b batch) (out saved, err error) {
	bodies, err := b.bodies()
	if err != nil {
		return out, err
	}
	records, events := b.rows(), b.events()
	err = s.graph.Transaction(ctx, "replay_record", func(t *graph.Tx) error {
		t.Changes(nil)
		out = saved{known: map[string]bool{}}
		users, err := knownUsers.Exec(t, map[string]any{"team_id": b.team, "users": b.users()})
		if err != nil || len(users) == 0 {
			return err
		}
		for _, id := range users {
			out.known[id] = true
		}
		bodies := rowsOf(bodies, out.known)
		for _, step := range []struct {
			query neo.Query[neo.None]
			rows  []map[string]any
		}{{keepBodies, bodies}, {recordServed, rowsOf(records, out.known)}, {recordEvents, rowsOf(events, out.known)}} {
			if len(step.rows) == 0 {
				continue
			}
			if err := step.query.Run(t, map[string]any{"team_id": b.team, "rows": step.rows}); err != nil {
				return err
			}
		}
		if len(bodies) > 0 {
			out.trimmed, err = trimBodies.ExecOne(t, map[string]any{"team_id": b.team, "rows": days(bodies), "most": mostBodies})
			if err != nil {
				return err
			}
		}
		size := graph.TextIn(bodies) + graph.TextIn(rowsOf(b.begun(), out.known)) + graph.TextIn(rowsOf(events, out.known))
		if size == 0 {
			return nil
		}
		out.reads, err = t.ChargeReads(b.team, size)
		return err
	})
	return out, err
}

// rowsOf returns the rows of some users.
func rowsOf(rows []map[string]any, users map[string]bool) (of []map[string]any) {
	for _, row := range rows {
		if id, _ := row["user_id"].(string); users[id] {
			of = append(of, row)
		}
	}
	return of
}

// users returns the rows of the users of a batch, each once.
func (b *batch) users() (rows []map[string]any) {
	seen := map[string]bool{}
	add := func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		var lists []map[string]any
		for _, name := range graph.WritableKinds() {
			if kind, _ := graph.KindOf(name); kind != graph.MessageKind {
				prefix := graph.ListPrefix(kind, id)
				lists = append(lists, map[string]any{"after": prefix, "end": graph.PrefixEnd(prefix)})
			}
		}
		rows = append(rows, map[string]any{"id": id, "lists": lists})
	}
	for _, one := range b.records {
		add(one.id)
	}
	for _, a := range b.answers {
		add(a.id)
	}
	return rows
}

// rows returns the rows of the records.
func (b *batch) rows() []map[string]any {
	rows := make([]map[string]any, len(b.records))
	for i, one := range b.records {
		rows[i] = map[string]any{"user_id": one.id, "view": hashOf(one.view), "at": one.at, "until": one.until, "sum": one.sum}
	}
	return rows
}

// begun returns the rows of the records that are new. The texts of the others are stored.
func (b *batch) begun() []map[string]any {
	fresh := batch{}
	for _, one := range b.records {
		if one.entry.Raw != nil {
			fresh.records = append(fresh.records, one)
		}
	}
	return fresh.rows()
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
