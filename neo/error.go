package neo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kith/internal/fault"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

var (
	// ErrUnavailable reports that the database is down, full, read-only, or did not answer in time.
	ErrUnavailable = errors.New("database unavailable")
	// ErrInDoubt reports that a commit was sent and not answered: the transaction may be committed, also later. It comes with an error
	// that says why.
	ErrInDoubt = errors.New("the commit was not answered")
	// ErrStatement reports that the database refused a statement for what it is, and not for its state.
	ErrStatement = errors.New("the database refused the statement")
	// ErrUnreachable reports that a member of a cluster cannot be reached.
	ErrUnreachable = fmt.Errorf("the member cannot be reached: %w", ErrUnavailable)
	// ErrProcedure reports that a procedure failed, for example because an index is missing.
	ErrProcedure = fmt.Errorf("a procedure of the database failed: %w", ErrUnavailable)

	errDriver = errors.New("the database driver failed")
)

// Error codes of Neo4j.
const (
	procedureFailed  = "Neo.ClientError.Procedure.ProcedureCallFailed" // also because its index does not exist
	constraintFailed = "Neo.ClientError.Schema.ConstraintValidationFailed"
	entityNotFound   = "Neo.ClientError.Statement.EntityNotFound" // it was deleted after the statement had found it
)

// Translate converts errors of the driver to errors of this package. It drops the driver's text, which can contain
// values, and keeps the error code of the database.
func Translate(operation string, err error) error {
	if err == nil || known(err) {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", operation, context.Canceled)
	}
	var db *neo4j.Neo4jError
	if errors.As(err, &db) {
		return fmt.Errorf("%s: %s: %w", operation, db.Code, class(db.Code))
	}
	var limit *neo4j.TransactionExecutionLimit
	if errors.Is(err, context.DeadlineExceeded) || neo4j.IsConnectivityError(err) || errors.As(err, &limit) {
		return fmt.Errorf("%s: %w", operation, ErrUnavailable)
	}
	return fmt.Errorf("%s: %w", operation, errors.Join(errDriver, ErrUnavailable))
}

// known reports whether an error is of this package, or of what it runs statements for.
func known(err error) bool {
	for _, sentinel := range []error{fault.ErrNotFound, fault.ErrConflict, ErrUnavailable, ErrStatement} {
		if errors.Is(err, sentinel) {
			return true
		}
	}
	return false
}

// class maps an error code of Neo4j to an error for callers. Only errors of the statement itself do not depend on the
// state of the database.
func class(code string) error {
	switch {
	case code == constraintFailed, code == entityNotFound:
		return fault.ErrConflict
	case strings.HasPrefix(code, "Neo.ClientError.Statement."):
		return ErrStatement
	case code == procedureFailed:
		return ErrProcedure
	default: // transient, security, read-only, disk full, shutting down …
		return ErrUnavailable
	}
}
