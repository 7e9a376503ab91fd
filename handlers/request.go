package handlers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
)

var errOtherTeam = fmt.Errorf("the key belongs to another team: %w", auth.ErrForbidden)

// scopeFor returns the scope in which the caller acts: its team, and the user of the request or of the key.
func scopeFor(ctx context.Context, needs, teamID, userID string) (graph.Scope, error) {
	p := principal(ctx)
	if teamID != "" && teamID != p.TeamID {
		return graph.Scope{}, errOtherTeam
	}
	return p.For(needs, userID)
}

// splitList returns the words of a parameter that is repeated, has commas, or both.
func splitList(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return strings.Split(strings.Join(list, ","), ",")
}

// chooseIdempotencyKey returns the key of the header or of the body. Two different keys are an error.
func chooseIdempotencyKey(header, body string) (string, error) {
	if header != "" && body != "" && header != body {
		return "", fault.Invalid(fault.At("body").Field("idempotency_key"), fault.Contrary, "must be the same as the header Idempotency-Key")
	}
	return max(header, body), nil
}

// timeOrNil returns nil for the zero time.
func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// joinInvalid returns one InvalidError with the fields of all errors that err joins. It returns err if one of them is not an InvalidError.
func joinInvalid(err error) error {
	var all fault.InvalidError
	if several, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // errors.Join's own form
		for _, one := range several.Unwrap() {
			var invalid *fault.InvalidError
			if !errors.As(one, &invalid) {
				return err
			}
			all.Fields = append(all.Fields, invalid.Fields...)
		}
	}
	return &all
}
