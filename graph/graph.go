// Package graph is Kith's memory model and its store on Neo4j: one noun a file, with its type, its rules
// (Validate) and its store methods. It knows nothing of HTTP or caches, and no driver error leaves it.
package graph

import (
	"time"

	"kith/internal/fault"
)

// Scope says for whom a call acts: a team, or a team and one of its users. It sees what the team shares (no user id) and what is
// private to the user.
type Scope struct {
	TeamID string
	UserID string // empty: the team itself
	Bound  bool   // the caller acts for this user only, and is the author of all its writes
}

// User returns the scope's user as a parameter of statements: nil without one, which equals nothing in Cypher.
func (s Scope) User() any {
	if s.UserID == "" {
		return nil
	}
	return s.UserID
}

// ValidateUser returns an error for a scope without a user.
func (s Scope) ValidateUser() error {
	if s.UserID == "" {
		return fault.Invalid(fault.At("user_id"), fault.Required, "is required")
	}
	return nil
}

// CheckImported adds a fault if the owner of an imported item is another user than the scope's.
func (s Scope) CheckImported(f *fault.List, owner string) {
	if s.UserID != "" && owner != s.UserID {
		f.Add(fault.At("user_id"), fault.NotAllowed, "must be the user that the import is for")
	}
}

// Imported returns the scope of an imported item that may name its user; null is the team. It adds a fault for another user than the
// scope's.
func (s Scope) Imported(f *fault.List, user Optional[string]) Scope {
	of := s
	switch {
	case !user.Given:
		return of
	case user.Null:
		of.UserID = ""
	case !fault.ValidKey(user.Value):
		f.Add(fault.At("user_id"), fault.Malformed, "must not be blank, nor contain control characters")
		return of
	default:
		of.UserID = user.Value
	}
	s.CheckImported(f, of.UserID)
	return of
}

// Week is how far back an agent context reads: recent conversations, mentions and goals in use.
const Week = 7 * 24 * time.Hour

// OrNil returns a text as a parameter or property; nil if it is empty.
func OrNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}
