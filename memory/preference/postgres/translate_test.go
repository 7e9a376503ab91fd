package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Only a commit that was not refused may have happened.
func TestUnclearCommits(t *testing.T) {
	t.Parallel()
	code := func(code string) error { return fmt.Errorf("commit: %w", &pgconn.PgError{Code: code}) }
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"committed":         {nil, false},
		"no answer":         {io.ErrUnexpectedEOF, true},
		"no answer in time": {context.DeadlineExceeded, true},
		"something else":    {errors.New("x"), true},
		"not known":         {code("40003"), true},
		"shutting down":     {code("57P01"), true},
		"connection":        {code("08006"), true},
		"disk":              {code("58030"), true},
		"serialization":     {code("40001"), false},
		"deadlock":          {code("40P01"), false},
		"constraint":        {code("23505"), false},
		"out of memory":     {code("53200"), false},
		"canceled":          {code("57014"), false},
		"rolled back":       {pgx.ErrTxCommitRollback, false},
	} {
		if got := isUnclear(c.err); got != c.want {
			t.Errorf("%s: unclear: %t", name, got)
		}
	}
}
