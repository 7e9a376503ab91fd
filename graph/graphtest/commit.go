package graphtest

import (
	"context"
	"strconv"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/graph"
)

// Item returns a change of a node as a commit stores it.
func Item(op, kind, key string, version int64) string {
	return strings.Join([]string{op, kind, key, strconv.FormatInt(version, 10)}, graph.KeySeparator)
}

// LinkItem returns a change of a relationship as a commit stores it.
func LinkItem(op, key string, version int64, relationship, from, to string) string {
	return strings.Join([]string{Item(op, "relationship", key, version), relationship, from, to}, graph.KeySeparator)
}

// recordCommit stores a commit as a transaction of package graph does.
const recordCommit = `MERGE (f:Feed {team_id: $team})
	SET f.team_id = $team
	WITH f
	SET f.seq = coalesce(f.seq, 0) + 1
	CREATE (c:Commit {team_id: $team, seq: f.seq, at: $at, written: $written, user_id: $user, items: $items})
	RETURN f.seq AS seq`

// Commit records a commit of changes of a user's memory, or of what the team shares if user is empty. It returns its number.
func (e *Env) Commit(user string, items ...string) int64 {
	e.Helper()
	ctx := context.Background()
	session := e.Store.DB().Session(ctx, neo4j.AccessModeWrite, "", neo4j.FetchAll)
	defer func() { _ = session.Close(ctx) }()
	seq, err := session.ExecuteWrite(ctx, func(t neo4j.ManagedTransaction) (any, error) { return e.CommitIn(ctx, t, user, items...) })
	if err != nil {
		e.Fatal(err)
	}
	return seq.(int64) //nolint:forcetypeassert // what CommitIn returns
}

// CommitIn does the same as Commit in an open transaction.
func (e *Env) CommitIn(ctx context.Context, t interface {
	Run(ctx context.Context, cypher string, params map[string]any) (neo4j.ResultWithContext, error)
}, user string, items ...string) (any, error) {
	params := map[string]any{"team": e.Team, "at": e.Now.UnixMilli(), "written": "key-1 write-memory s 1", "user": nil, "items": items}
	if user != "" {
		params["user"] = user
	}
	result, err := t.Run(ctx, recordCommit, params)
	if err != nil {
		return nil, err
	}
	record, err := result.Single(ctx)
	if err != nil {
		return nil, err
	}
	return record.Values[0], nil
}
