package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// scopeToken stands in indexes for what one user may see, or for what a team shares (no user): a word that no text of a
// memory has, that says nothing of the ids it is made from, and that English stemming leaves alone, as it ends in a digit.
func scopeToken(teamID, userID string) string {
	sum := sha256.Sum256([]byte(teamID + "\x1f" + userID))
	return "k" + hex.EncodeToString(sum[:16]) + "0"
}

// searchScope is the property search_scope of a node: by which callers full-text indexes may find it.
func searchScope(teamID, userID string, participants []string) string {
	tokens := []string{scopeToken(teamID, userID)}
	for _, p := range participants {
		if p != userID {
			tokens = append(tokens, scopeToken(teamID, p))
		}
	}
	return strings.Join(tokens, " ")
}

// searchTokens are the scopes that a caller may search: the team's, and the user's own.
func searchTokens(scope Scope) []string {
	tokens := []string{scopeToken(scope.TeamID, "")}
	if scope.UserID != "" {
		tokens = append(tokens, scopeToken(scope.TeamID, scope.UserID))
	}
	return tokens
}
