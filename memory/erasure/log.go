package erasure

import (
	"context"
	"crypto/rand"

	"kith/graph/neo"
)

var fillLog = neo.Load[neo.None]("log_fill")

// logFill is more than an embedded Neo4j writes into one transaction log.
const logFill = 5 << 18 // bytes

// RotateLogs makes Kith's own Neo4j begin a new transaction log, so that a later checkpoint drops the earlier logs with the
// erased data. Neo4j begins one only when the log is full, so RotateLogs fills it.
func (s *Store) RotateLogs(ctx context.Context) error {
	filler := make([]byte, logFill)
	_, _ = rand.Read(filler) // never fails
	for _, value := range []any{filler, nil} {
		err := s.transaction(ctx, "log_fill", func(t neo.Execer) error {
			return fillLog.Run(t, map[string]any{"properties": map[string]any{"filler": value}})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
