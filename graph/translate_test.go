package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/internal/fault"
)

func TestErrorsOfTheDriverAreTranslated(t *testing.T) {
	t.Parallel()
	db := func(code string) error { return &neo4j.Neo4jError{Code: code, Msg: "name: " + secret} }
	for name, c := range map[string]struct{ in, want error }{
		"read-only":        {db("Neo.ClientError.General.WriteOnReadOnlyAccessDbDatabase"), ErrUnavailable},
		"forbidden":        {db("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase"), ErrUnavailable},
		"not a leader":     {db("Neo.ClientError.Cluster.NotALeader"), ErrUnavailable},
		"disk full":        {db("Neo.DatabaseError.General.IOError"), ErrUnavailable},
		"memory":           {db("Neo.TransientError.General.MemoryPoolOutOfMemoryError"), ErrUnavailable},
		"deadlock":         {db("Neo.TransientError.Transaction.DeadlockDetected"), ErrUnavailable},
		"password":         {db("Neo.ClientError.Security.Unauthorized"), ErrUnavailable},
		"shutting down":    {db("Neo.TransientError.General.DatabaseUnavailable"), ErrUnavailable},
		"constraint":       {db("Neo.ClientError.Schema.ConstraintValidationFailed"), ErrConflict},
		"syntax":           {db("Neo.ClientError.Statement.SyntaxError"), errStatement},
		"wrapped":          {fmt.Errorf("x: %w", db("Neo.ClientError.Statement.TypeError")), errStatement},
		"no connection":    {&neo4j.ConnectivityError{Inner: errors.New(secret)}, ErrUnavailable},
		"tried too long":   {&neo4j.TransactionExecutionLimit{Cause: "timeout", Errors: []error{errors.New(secret)}}, ErrUnavailable},
		"deadline":         {fmt.Errorf("x: %w", context.DeadlineExceeded), ErrUnavailable},
		"canceled":         {fmt.Errorf("x: %w", context.Canceled), context.Canceled},
		"anything else":    {errors.New(secret), ErrUnavailable},
		"our own":          {fmt.Errorf("find: %w", ErrNotFound), ErrNotFound},
		"our own, located": {&fault.InvalidError{Fields: []fault.FieldError{{Path: fault.At("name"), Message: "is required"}}}, ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := translate("memory_write", c.in)
			if !errors.Is(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			for _, other := range []error{ErrUnavailable, ErrConflict, ErrInvalid, ErrNotFound, errStatement} {
				if !errors.Is(c.want, other) && errors.Is(got, other) {
					t.Errorf("%v is also %v", got, other)
				}
			}
			if strings.Contains(got.Error(), secret) {
				t.Errorf("reveals the driver's message: %v", got)
			}
			var driver *neo4j.Neo4jError
			if errors.As(got, &driver) {
				t.Error("the driver's error leaves the package")
			}
		})
	}
	if err := translate("x", nil); err != nil {
		t.Error(err)
	}
}

func TestAtLeast(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"5.26.0": true, "5.26.24": true, "5.27.1": true, "5.26": true, "2025.01.0": true, "6.0.0": true,
		"5.25.9": false, "4.4.40": false, "5": false, "": false, "x.y.z": false, "5.2.6": false, "5.26-aura": false,
	} {
		if got := atLeast(version, 5, 26); got != want {
			t.Errorf("%q: %v", version, got)
		}
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
