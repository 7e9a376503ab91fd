package neo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"kith/internal/fault"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

func TestErrorsOfTheDriverAreTranslated(t *testing.T) {
	t.Parallel()
	db := func(code string) error { return &neo4j.Neo4jError{Code: code, Msg: "name: " + secret} }
	for name, c := range map[string]struct{ in, want error }{
		"read-only":      {db("Neo.ClientError.General.WriteOnReadOnlyAccessDbDatabase"), ErrUnavailable},
		"forbidden":      {db("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase"), ErrUnavailable},
		"not a leader":   {db("Neo.ClientError.Cluster.NotALeader"), ErrUnavailable},
		"disk full":      {db("Neo.DatabaseError.General.IOError"), ErrUnavailable},
		"memory":         {db("Neo.TransientError.General.MemoryPoolOutOfMemoryError"), ErrTooLarge},
		"memory of all":  {&neo4j.Neo4jError{Code: "Neo.TransientError.General.MemoryPoolOutOfMemoryError", Msg: "db.memory.transaction.total.max " + secret}, ErrNoMemory},
		"deadlock":       {db("Neo.TransientError.Transaction.DeadlockDetected"), ErrUnavailable},
		"password":       {db("Neo.ClientError.Security.Unauthorized"), ErrUnavailable},
		"shutting down":  {db("Neo.TransientError.General.DatabaseUnavailable"), ErrUnavailable},
		"constraint":     {db("Neo.ClientError.Schema.ConstraintValidationFailed"), fault.ErrConflict},
		"deleted":        {db("Neo.ClientError.Statement.EntityNotFound"), fault.ErrConflict},
		"syntax":         {db("Neo.ClientError.Statement.SyntaxError"), ErrStatement},
		"wrapped":        {fmt.Errorf("x: %w", db("Neo.ClientError.Statement.TypeError")), ErrStatement},
		"no connection":  {&neo4j.ConnectivityError{Inner: errors.New(secret)}, ErrUnavailable},
		"tried too long": {&neo4j.TransactionExecutionLimit{Cause: "timeout", Errors: []error{errors.New(secret)}}, ErrUnavailable},
		"too often":      {&neo4j.TransactionExecutionLimit{Cause: "timeout", Errors: []error{errors.New(secret), db("Neo.TransientError.General.TransactionOutOfMemoryError")}}, ErrTooLarge},
		"deadline":       {fmt.Errorf("x: %w", context.DeadlineExceeded), ErrUnavailable},
		"canceled":       {fmt.Errorf("x: %w", context.Canceled), context.Canceled},
		"anything else":  {errors.New(secret), ErrUnavailable},
		"our own":        {fmt.Errorf("find: %w", fault.ErrNotFound), fault.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Translate("memory_write", c.in)
			if !errors.Is(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			for _, other := range []error{ErrUnavailable, fault.ErrConflict, fault.ErrNotFound, ErrStatement, ErrTooLarge} {
				if !errors.Is(c.want, other) && errors.Is(got, other) {
					t.Errorf("%v is also %v", got, other)
				}
			}
			if strings.Contains(got.Error(), secret) {
				t.Errorf("reveals the driver's message: %v", got)
			}
			if errors.Is(got, fault.ErrConflict) && (strings.Contains(got.Error(), "Neo.") || strings.Contains(got.Error(), "memory_write")) {
				t.Errorf("callers see %v", got)
			}
			var driver *neo4j.Neo4jError
			if errors.As(got, &driver) {
				t.Error("the driver's error leaves the package")
			}
		})
	}
	if err := Translate("x", nil); err != nil {
		t.Error(err)
	}
}

func TestBadAddressIsNotRepeated(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{"http://user:" + secret + "@host", secret, "bolt://host:port" + secret, ""} {
		s, err := Open(Connection{URI: uri}, Options{})
		if err == nil {
			_ = s.Close(t.Context())
			t.Errorf("%q is accepted", uri)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("the error repeats the address: %v", err)
		}
	}
}

// secret stands for text of the driver that errors must not repeat.
const secret = "Xyzzy"
