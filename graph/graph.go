// Package graph is Kith's memory model and its store on Neo4j: one noun a file, with its type, its rules
// (Validate) and its store methods. It knows nothing of HTTP or caches, and no driver error leaves it.
package graph

import "time"

// Scope says for whom a call acts: a team, or a team and one of its users.
// Visible to it is what the team shares (no user id) and what is private to the user.
type Scope struct {
	TeamID string
	UserID string // empty: the team itself
	Bound  bool   // the caller can act for this user alone: what it writes names this user as its author
}

// user is the scope's user as a statement's parameter: nil without one, which equals nothing in Cypher.
func (s Scope) user() any {
	if s.UserID == "" {
		return nil
	}
	return s.UserID
}

// ValidateUser refuses a scope that is not one user's.
func (s Scope) ValidateUser() error {
	if s.UserID == "" {
		return &InvalidError{Fields: []FieldError{{Location: "user_id", Message: "is needed: this is one user's"}}}
	}
	return nil
}

// Week is how far back an agent context looks: recent conversations, mentions and goals in use (S1-7 … S1-11).
const Week = 7 * 24 * time.Hour
