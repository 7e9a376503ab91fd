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
	// ErrTooLarge reports that a transaction needs more memory than the database gives to one. Trying it again does not help.
	ErrTooLarge = errors.New("too large for one transaction of the database (db.memory.transaction.max)")
	// ErrNoMemory reports that all transactions together have taken the memory that the database has for them.
	ErrNoMemory = fmt.Errorf("the database has no memory left for transactions: %w", ErrUnavailable)
	// ErrStatement reports that the database refused a statement for what it is, and not for its state.
	ErrStatement = errors.New("the database refused the statement")
	// ErrUnreachable reports that a member of a cluster cannot be reached.
	ErrUnreachable = fmt.Errorf("the member cannot be reached: %w", ErrUnavailable)
	// ErrProcedure reports that a procedure failed, for example because an index is missing.
	ErrProcedure = fmt.Errorf("a procedure of the database failed: %w", ErrUnavailable)

	// errChanged reports that a write lost against others each time that it was tried.
	errChanged = fmt.Errorf("another writer has stored the same key or name meanwhile, or deleted what this one writes: look at what is stored, and try again: %w", fault.ErrConflict)

	errDriver = errors.New("the database driver failed")
)

// Error codes of Neo4j.
const (
	procedureFailed  = "Neo.ClientError.Procedure.ProcedureCallFailed" // also because its index does not exist
	constraintFailed = "Neo.ClientError.Schema.ConstraintValidationFailed"
	entityNotFound   = "Neo.ClientError.Statement.EntityNotFound" // it was deleted after the statement had found it
	deadlock         = "Neo.TransientError.Transaction.DeadlockDetected"
	outOfMemory      = "OutOfMemoryError" // the end of the codes of a transaction, the pool of all, and the heap
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
	var limit *neo4j.TransactionExecutionLimit
	if errors.As(err, &limit) && len(limit.Errors) > 0 {
		err = limit.Errors[len(limit.Errors)-1]
	}
	var db *neo4j.Neo4jError
	if errors.As(err, &db) && (db.Code == constraintFailed || db.Code == entityNotFound) {
		return errChanged // callers see it: what they asked for has no operation or code of a database
	}
	if errors.As(err, &db) {
		return fmt.Errorf("%s: %s: %w", operation, db.Code, class(db))
	}
	var lost *neo4j.ConnectivityError
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &lost) || limit != nil {
		return fmt.Errorf("%s: %w", operation, ErrUnavailable)
	}
	return fmt.Errorf("%s: %w", operation, errors.Join(errDriver, ErrUnavailable))
}

// known reports whether an error is of this package, or of what it runs statements for.
func known(err error) bool {
	for _, sentinel := range []error{fault.ErrNotFound, fault.ErrConflict, ErrUnavailable, ErrTooLarge, ErrStatement} {
		if errors.Is(err, sentinel) {
			return true
		}
	}
	return false
}

// class maps an error of Neo4j to an error for callers. Only errors of the statement itself do not depend on the
// state of the database.
func class(db *neo4j.Neo4jError) error {
	switch {
	case isTooLarge(db):
		return ErrTooLarge
	case strings.HasSuffix(db.Code, outOfMemory):
		return ErrNoMemory
	case strings.HasPrefix(db.Code, "Neo.ClientError.Statement."):
		return ErrStatement
	case db.Code == procedureFailed:
		return ErrProcedure
	default: // transient, security, read-only, disk full, shutting down …
		return ErrUnavailable
	}
}

// isTooLarge reports whether a transaction alone needs too much memory. If the pool of all transactions is used up, only the message of the
// database tells: it names the setting, such as dbms.memory.transaction.total.max.
func isTooLarge(db *neo4j.Neo4jError) bool {
	return strings.HasSuffix(db.Code, outOfMemory) && !strings.Contains(db.Msg, "total.max")
}
