package statement

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/cursors"
	"kith/graph/neo"
	"kith/internal/fault"
)

var listVersions = neo.Load[versionRow]("statement_history")

// StoredVersion is a version of a statement: from when until when it was stored, and who wrote it.
type StoredVersion struct {
	From      time.Time  `json:"from" doc:"when it was written"`
	Until     *time.Time `json:"until" doc:"when it was replaced; null: it is stored now"`
	By        string     `json:"by,omitempty" doc:"id of the API key that wrote it; token: the caller had a token"`
	Through   string     `json:"through,omitempty" doc:"an operation of the API, mcp: and a tool, or import: and a format"`
	Statement Statement  `json:"statement"`
}

// VersionPage is a page of versions, the newest first, and the cursor of the next one; empty after the last.
type VersionPage struct {
	Versions []StoredVersion
	Next     string
}

// versionRow is a row of statement_history.
type versionRow struct {
	listed

	Since   time.Time
	Until   int64
	Written string
}

const versionCursor = "statement version" + graph.KeySeparator

// Versions returns a page of the versions of a statement of the scope's user, the newest first. It returns ErrNotFound for an unknown
// statement and an InvalidError for a bad cursor.
func (s *Store) Versions(ctx context.Context, scope graph.Scope, key, cursor string, limit int) (VersionPage, error) {
	page, before := VersionPage{Versions: []StoredVersion{}}, int64(math.MaxInt64)
	after, err := cursors.Decode(cursor)
	if err != nil {
		return page, err
	}
	if place, ok := strings.CutPrefix(after, versionCursor); cursor != "" {
		if before, err = strconv.ParseInt(place, 10, 64); !ok || err != nil {
			return page, cursors.Invalid()
		}
	}
	rows, err := listVersions.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.UserID, "key": key, "before": before, "limit": limit + 1,
	})
	if err == nil && len(rows) == 0 && cursor == "" {
		err = fmt.Errorf("statement: %w", fault.ErrNotFound)
	}
	for i := range rows {
		if i == limit {
			page.Next = cursors.Encode(versionCursor + strconv.FormatInt(rows[i-1].Until, 10))
			break
		}
		page.Versions = append(page.Versions, rows[i].version())
	}
	return page, err
}

func (r *versionRow) version() StoredVersion {
	by := graph.WriterFrom(r.Written)
	v := StoredVersion{From: r.Since, By: by.KeyID, Through: by.Through, Statement: r.statement()}
	if r.Until != graph.StoredNow {
		until := time.UnixMilli(r.Until).UTC()
		v.Until = &until
	}
	return v
}
