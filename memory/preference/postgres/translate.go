package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"kith/graph"
	"kith/internal/fault"
)

var errStatement = errors.New("postgresql refused the statement")

// translate converts the driver's errors into graph's. It drops the driver's text, which can contain values and the
// address, and keeps PostgreSQL's error code.
func translate(operation string, err error) error {
	var db *pgconn.PgError
	switch {
	case err == nil || errors.Is(err, graph.ErrSchemaNewer) || errors.Is(err, fault.ErrConflict) || errors.Is(err, errEncoding):
		return err
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", operation, context.Canceled)
	case errors.As(err, &db):
		return fmt.Errorf("%s: postgresql: %s: %w", operation, db.Code, errorClass(db.Code))
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: postgresql did not answer in time: %w", operation, graph.ErrUnavailable)
	default:
		return fmt.Errorf("%s: postgresql unavailable: %w", operation, graph.ErrUnavailable)
	}
}

// errorClass returns graph's error for an error code of PostgreSQL. All errors but those of the statement or its
// values depend on the state of the database.
func errorClass(code string) error {
	if strings.HasPrefix(code, "22") || code == "42601" { // data exception, syntax error
		return errStatement
	}
	return graph.ErrUnavailable // no rights, no table, read-only, full, shutting down …
}

// isUnclear reports whether a transaction may be committed although its commit failed: PostgreSQL did not answer, or answered that it does
// not know, or that it is shutting down. Every other answer means that nothing was stored.
func isUnclear(err error) bool {
	var db *pgconn.PgError
	if errors.As(err, &db) {
		return strings.HasPrefix(db.Code, "08") || strings.HasPrefix(db.Code, "57P") || strings.HasPrefix(db.Code, "58") || db.Code == "40003"
	}
	return err != nil && !errors.Is(err, pgx.ErrTxCommitRollback)
}

// isBrokenConnection reports whether an existing connection broke. It is false if no connection could be made or the
// caller's context ended.
func isBrokenConnection(err error) bool {
	var (
		connecting *pgconn.ConnectError
		db         *pgconn.PgError
	)
	switch {
	case err == nil, errors.Is(err, fault.ErrConflict), errors.As(err, &connecting), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	case errors.As(err, &db): // class 57P: the server says that it ends the connection
		return strings.HasPrefix(db.Code, "57P")
	default:
		return true
	}
}
