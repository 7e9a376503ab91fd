// Package cursors writes and reads the cursors of lists.
package cursors

import (
	"encoding/base64"
	"fmt"

	"kith/internal/fault"
)

// Encode returns the cursor of a page that ended at a place. It is opaque but not secret: its node is looked up in the
// caller's scope.
func Encode(after string) string { return base64.RawURLEncoding.EncodeToString([]byte(after)) }

// Decode returns the place at which the page before ended. It returns an InvalidError for an invalid cursor.
func Decode(cursor string) (string, error) {
	after, err := base64.RawURLEncoding.DecodeString(cursor)
	f := &fault.List{}
	if f.Text(fault.At("cursor"), string(after), 4096); err != nil || len(cursor) > 4096 || f.Len() > 0 {
		return "", Invalid()
	}
	return string(after), nil
}

// Invalid returns the error for an invalid cursor.
func Invalid() error {
	return fmt.Errorf("list: %w", fault.Invalid(fault.At("cursor"), fault.Malformed, "invalid cursor"))
}
