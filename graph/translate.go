package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// translate converts errors of the driver to errors of this package. It drops the driver's text, which can contain
// values, and keeps the error code of the database.
func translate(operation string, err error) error {
	if err == nil || own(err) {
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

var (
	errDriver    = errors.New("the database driver failed")
	errStatement = errors.New("the database refused the statement")
	errProcedure = fmt.Errorf("a procedure of the database failed: %w", ErrUnavailable)
)

func own(err error) bool {
	for _, sentinel := range []error{ErrNotFound, ErrInvalid, ErrConflict, ErrUnavailable, ErrBusy, ErrQuota, ErrSchemaNewer, ErrModel, errStatement} {
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
	case strings.HasPrefix(code, "Neo.ClientError.Statement."):
		return errStatement
	case code == "Neo.ClientError.Procedure.ProcedureCallFailed":
		return errProcedure
	case code == "Neo.ClientError.Schema.ConstraintValidationFailed":
		return ErrConflict
	default: // transient, security, read-only, disk full, shutting down …
		return ErrUnavailable
	}
}
