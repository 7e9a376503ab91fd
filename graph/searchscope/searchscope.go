// Package searchscope makes the tokens of the property search_scope, which full-text queries use besides the words of the caller:
// who may see a node or relationship, its kind or type, and the day of a message or source. Tokens end in a digit, so that
// English stemming does not change them.
package searchscope

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"kith/internal/fault"
)

// Owner returns the token of what one user may see, or of a team's shared memory (no user). It does not occur in texts and does
// not reveal the ids it is made from.
func Owner(teamID, userID string) string {
	sum := sha256.Sum256([]byte(teamID + "\x1f" + userID))
	return "k" + hex.EncodeToString(sum[:16]) + "0"
}

// Doubted returns the token of messages and sources with so little trust that searches find them only if they ask for them. It takes
// the place of the token of the owner.
func Doubted(teamID, userID string) string { return "q" + Owner(teamID, userID)[1:] }

// Kind returns the token of a kind of nodes.
func Kind(name string) string { return "x" + strings.ReplaceAll(name, "_", "") + "0" }

// Namespaces returns the tokens of an item's namespace: its own and those of the namespaces around it.
func Namespaces(namespace []string) []string {
	var tokens []string
	for i := range namespace {
		tokens = append(tokens, Namespace(namespace[:i+1]))
	}
	return tokens
}

// Namespace returns the token of a namespace of items, and of all within it.
func Namespace(parts []string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x1f")))
	return "n" + hex.EncodeToString(sum[:16]) + "0"
}

// Alias returns the token of an alias of a team's node. It does not occur in texts and does not reveal the alias.
func Alias(teamID, alias string) string {
	sum := sha256.Sum256([]byte(teamID + "\x1f" + alias))
	return "a" + hex.EncodeToString(sum[:16]) + "0"
}

// Source returns the token of what rests on a team's source. It does not occur in texts and does not reveal the key.
func Source(teamID, key string) string {
	sum := sha256.Sum256([]byte(teamID + "\x1f" + key))
	return "s" + hex.EncodeToString(sum[:16]) + "0"
}

// Type returns the token of a relationship type.
func Type(name string) string { return "t" + name + "0" }

// Day returns the token of a day; tokens sort like days.
func Day(at time.Time) string { return "d" + at.UTC().Format("20060102") }

// Relationship returns the property search_scope of a relationship.
func Relationship(teamID, userID, typ string) string { return Owner(teamID, userID) + " " + Type(typ) }

// Node returns the property search_scope of a node without a time.
func Node(teamID, userID, kind string) string { return Owner(teamID, userID) + " " + Kind(kind) }

// Visible returns the tokens of what a caller may see: the team's shared memory and, if there is a user, the user's.
func Visible(teamID, userID string) []string {
	tokens := []string{Owner(teamID, "")}
	if userID != "" {
		tokens = append(tokens, Owner(teamID, userID))
	}
	return tokens
}

// AllVisible returns the tokens of what a caller may see, with what has little trust.
func AllVisible(teamID, userID string) []string {
	tokens := append(Visible(teamID, userID), Doubted(teamID, ""))
	if userID != "" {
		tokens = append(tokens, Doubted(teamID, userID))
	}
	return tokens
}

// Filter returns a clause of a full-text query that matches what has one of some tokens, from the day since to the day until.
func Filter(visible []string, since, until *time.Time) string {
	return "+search_scope:(" + strings.Join(visible, " ") + ")^0" + Days(since, until)
}

// Days returns a clause of a full-text query that matches messages and sources from the day since to the day until; empty if
// both are nil.
func Days(since, until *time.Time) string {
	if since == nil && until == nil {
		return ""
	}
	from, to := Day(fault.Earliest), Day(fault.Latest)
	if since != nil {
		from = Day(*since)
	}
	if until != nil {
		to = Day(*until)
	}
	return " +search_scope:[" + from + " TO " + to + "]^0"
}
