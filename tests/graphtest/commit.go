package graphtest

import (
	"context"
	"strconv"
	"strings"

	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
)

// Item returns a change of a node as a commit stores it.
func Item(op, kind, key string, version int64) string {
	return strings.Join([]string{op, kind, key, strconv.FormatInt(version, 10)}, graph.KeySeparator)
}

// LinkItem returns a change of a relationship as a commit stores it.
func LinkItem(op, key string, version int64, relationship, from, to string) string {
	return strings.Join([]string{Item(op, "relationship", key, version), relationship, from, to}, graph.KeySeparator)
}

var commitTeam = cypher.Load("team_commit")

// Commit records a commit of changes of a user's memory, or of what the team shares if user is empty. It returns its number.
func (e *Env) Commit(user string, items ...string) int64 {
	e.Helper()
	row := map[string]any{"items": items, "packed": nil, "user_id": nil}
	if user != "" {
		row["user_id"] = user
	}
	err := e.Store.DB().Write(context.Background(), commitTeam.Name, func(t *neo.Tx) error {
		_, err := t.Exec(commitTeam, map[string]any{
			"team_id": e.Team, "usage": nil, "at": e.Now.UnixMilli(), "written": "key-1 write-memory s 1", "rows": []map[string]any{row},
		})
		return err
	})
	if err != nil {
		e.Fatal(err)
	}
	return e.Raw(`MATCH (f:Feed {team_id: $team}) RETURN f.seq`)[0][0].(int64) //nolint:forcetypeassert // a number
}
