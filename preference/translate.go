package preference

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"kith/graph"
)

var errStatement = errors.New("postgresql refused the statement")

// translate turns what the driver reports into graph's errors. The driver's text does not leave: it can hold values, and
// the address. What stays is PostgreSQL's own error code.
func translate(operation string, err error) error {
	var db *pgconn.PgError
	switch {
	case err == nil || errors.Is(err, graph.ErrSchemaNewer) || errors.Is(err, graph.ErrConflict) || errors.Is(err, errEncoding):
		return err
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", operation, context.Canceled)
	case errors.As(err, &db):
		return fmt.Errorf("%s: postgresql: %s: %w", operation, db.Code, class(db.Code))
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: postgresql did not answer in time: %w", operation, graph.ErrUnavailable)
	default:
		return fmt.Errorf("%s: postgresql cannot be reached: %w", operation, graph.ErrUnavailable)
	}
}

// class says what an error code of PostgreSQL means to a caller. Only a fault of the statement itself, or of what it was
// given, is not a matter of the database's state.
func class(code string) error {
	if strings.HasPrefix(code, "22") || code == "42601" { // data exception, syntax error
		return errStatement
	}
	return graph.ErrUnavailable // no rights, no table, read-only, full, shutting down …
}

// brokenConnection says that a connection which was there is not any more; not that none can be made, and not that the
// caller gave up.
func brokenConnection(err error) bool {
	var (
		connecting *pgconn.ConnectError
		db         *pgconn.PgError
	)
	switch {
	case err == nil, errors.Is(err, graph.ErrConflict), errors.As(err, &connecting), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	case errors.As(err, &db): // class 57P: the server says that it ends the connection
		return strings.HasPrefix(db.Code, "57P")
	default:
		return true
	}
}
