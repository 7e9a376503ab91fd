package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

// The property search_scope holds words that full-text queries ask for beside those of the caller. They end in a digit,
// so that English stemming leaves them alone.

// scopeToken stands for what one user may see, or for what a team shares (no user). It is a word that no text has, and
// does not tell the ids it is made from.
func scopeToken(teamID, userID string) string {
	sum := sha256.Sum256([]byte(teamID + "\x1f" + userID))
	return "k" + hex.EncodeToString(sum[:16]) + "0"
}

// kindToken stands for nodes of a kind.
func kindToken(kind Kind) string { return "x" + strings.ReplaceAll(kind.Name, "_", "") + "0" }

// typeToken stands for relationships of a type.
func typeToken(kind string) string { return "t" + kind + "0" }

// relationshipScope is the property search_scope of a relationship: who may see it, and its type.
func relationshipScope(teamID, userID, kind string) string {
	return scopeToken(teamID, userID) + " " + typeToken(kind)
}

// dayToken stands for a day, in their order.
func dayToken(at time.Time) string { return "d" + at.UTC().Format("20060102") }

// putSearchScope sets by which words indexes find a node: who may see it, its kind, and the day of what was said; and by
// which name texts tell of it.
func (s *stored) putSearchScope(teamID string) {
	tokens := []string{scopeToken(teamID, s.user())}
	for _, p := range s.texts("participants") {
		if p != s.user() {
			tokens = append(tokens, scopeToken(teamID, p))
		}
	}
	switch s.kind {
	case sourceKind:
		tokens = append(tokens, dayToken(*s.moment("started_at")))
	case messageKind:
		tokens = append(tokens, dayToken(*s.moment("at")))
	default:
		tokens = append(tokens, kindToken(s.kind))
	}
	s.properties["search_scope"] = strings.Join(tokens, " ")
	if s.kind != messageKind { // whose name is that of who spoke
		s.putSearchName()
	}
}

// putSearchName sets by which name texts tell of a node.
func (p properties) putSearchName() {
	name := NameKey(p.text("name"))
	p.putUnless(name == "", "search_name", name)
}

// SearchScopes are the words that stand for what a caller may see: what the team shares, and what is the user's own.
func SearchScopes(scope Scope) []string {
	tokens := []string{scopeToken(scope.TeamID, "")}
	if scope.UserID != "" {
		tokens = append(tokens, scopeToken(scope.TeamID, scope.UserID))
	}
	return tokens
}

// plainTypes are those of relationships that have no words to find them by.
var plainTypes = []string{mentionsType, systemRelationshipType, hasMessageType, aboutType, includesType, rootedInType, groupsType}

// searchable says whether relationships of a type have words to find them by.
func searchable(kind string) bool { return !slices.Contains(plainTypes, kind) }

// What a message has of those around it (message_near.cypher has the same).
const (
	nearby     = 2     // messages before it, and as many after it
	nearLength = 2_000 // characters of each
)

// putNear gives new messages that follow each other the words of their neighbours, as far as these are new too.
func putNear(rows []map[string]any) {
	said := make([]string, len(rows))
	for i, row := range rows {
		text, _ := row["properties"].(map[string]any)["text"].(string)
		if long := []rune(text); len(long) > nearLength {
			text = string(long[:nearLength])
		}
		said[i] = text + "\n"
	}
	for i, row := range rows {
		row["properties"].(map[string]any)["near"] = strings.Join(said[max(0, i-nearby):min(len(said), i+nearby+1)], "")
	}
}

// bringNear gives messages, and those before and after them, the words of their neighbours.
func (t *tx) bringNear(teamID, sourceKey string, numbers []int64) error {
	around := make([]int64, 0, (2*nearby+1)*len(numbers))
	for _, n := range numbers {
		around = append(around, numbersFrom(n-nearby, 2*nearby+1)...)
	}
	slices.Sort(around)
	return t.renewNear(teamID, sourceKey, slices.Compact(around))
}

// renewNear gives messages the words of their neighbours.
func (t *tx) renewNear(teamID, sourceKey string, numbers []int64) error {
	_, err := t.exec("message_near", map[string]any{"team_id": teamID, "source_key": sourceKey, "numbers": numbers})
	return err
}

// moved tells the messages around one that went or came back.
func (t *tx) moved(teamID string, n *stored) error {
	if n.kind != messageKind {
		return nil
	}
	return t.bringNear(teamID, n.text("source_key"), []int64{n.integer("seq")})
}

// numbersFrom are count numbers from first on.
func numbersFrom(first int64, count int) []int64 {
	all := make([]int64, count)
	for i := range all {
		all[i] = first + int64(i)
	}
	return all
}
