package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"kith/internal/clip"
	"kith/internal/fault"
	"kith/internal/words"
	"kith/neo"
)

// setNear updates the words of neighbours in messages of a source.
var setNear = neo.Load[neo.None]("message_near")

// The property search_scope holds tokens that full-text queries use besides the words of the caller. They end in a
// digit, so that English stemming does not change them.

// ScopeToken returns the token of what one user may see, or of a team's shared memory (no user). It does not occur in
// texts and does not reveal the ids it is made from.
func ScopeToken(teamID, userID string) string {
	sum := sha256.Sum256([]byte(teamID + "\x1f" + userID))
	return "k" + hex.EncodeToString(sum[:16]) + "0"
}

// kindToken returns the token of a kind.
func kindToken(kind Kind) string { return "x" + strings.ReplaceAll(kind.Name, "_", "") + "0" }

// typeToken returns the token of a relationship type.
func typeToken(kind string) string { return "t" + kind + "0" }

// relationshipScope returns the property search_scope of a relationship: who may see it, and its type.
func relationshipScope(teamID, userID, kind string) string {
	return ScopeToken(teamID, userID) + " " + typeToken(kind)
}

// NodeScope returns the property search_scope of a node without a time: who may see it, and its kind.
func NodeScope(teamID, userID string, kind Kind) string {
	return ScopeToken(teamID, userID) + " " + kindToken(kind)
}

// dayToken returns the token of a day; tokens sort like days.
func dayToken(at time.Time) string { return "d" + at.UTC().Format("20060102") }

// putSearchScope sets the tokens by which indexes find a node: who may see it, its kind, and the day of a message or
// source. It also sets the name by which texts mention it.
func (s *stored) putSearchScope(teamID string) {
	tokens := []string{ScopeToken(teamID, s.user())}
	for _, p := range s.Texts("participants") {
		if p != s.user() {
			tokens = append(tokens, ScopeToken(teamID, p))
		}
	}
	switch s.kind {
	case SourceKind:
		tokens = append(tokens, dayToken(*s.Moment("started_at")))
	case MessageKind:
		tokens = append(tokens, dayToken(*s.Moment("at")))
	default:
		tokens = append(tokens, kindToken(s.kind))
	}
	s.Properties["search_scope"] = strings.Join(tokens, " ")
	if s.kind != MessageKind { // the name of a message is its speaker
		s.putSearchName()
	}
}

// putSearchName sets the name by which texts mention a node.
func (p Properties) putSearchName() {
	name := NameKey(p.Text("name"))
	p.putUnless(name == "", "search_name", name)
}

// SearchScopes returns the tokens of what a caller may see: the team's shared memory and the user's.
func SearchScopes(scope Scope) []string {
	tokens := []string{ScopeToken(scope.TeamID, "")}
	if scope.UserID != "" {
		tokens = append(tokens, ScopeToken(scope.TeamID, scope.UserID))
	}
	return tokens
}

// PlainTypes are relationship types without searchable words.
var PlainTypes = []string{mentionsType, SystemRelationshipType, HasMessageType, aboutType, includesType, rootedInType, groupsType}

// searchable reports whether relationships of a type can be found by words.
func searchable(kind string) bool { return !slices.Contains(PlainTypes, kind) }

// What a message stores of the messages around it (message_near.cypher has the same values).
const (
	nearby     = 2     // messages before it, and the same number after it
	nearLength = 2_000 // characters of each
)

// putNear adds the words of neighbouring messages to new messages that follow each other, as far as these are new.
func putNear(rows []map[string]any) {
	said := make([]string, len(rows))
	for i, row := range rows {
		text, _ := row["properties"].(map[string]any)["text"].(string)
		text, _ = clip.Runes(text, nearLength)
		said[i] = text + "\n"
	}
	for i, row := range rows {
		row["properties"].(map[string]any)["near"] = strings.Join(said[max(0, i-nearby):min(len(said), i+nearby+1)], "")
	}
}

// bringNear adds the words of their neighbours to messages and to those before and after them.
func (t *Tx) bringNear(teamID, sourceKey string, numbers []int64) error {
	around := make([]int64, 0, (2*nearby+1)*len(numbers))
	for _, n := range numbers {
		around = append(around, numbersFrom(n-nearby, 2*nearby+1)...)
	}
	slices.Sort(around)
	return t.renewNear(teamID, sourceKey, slices.Compact(around))
}

// renewNear updates the words of neighbours in messages.
func (t *Tx) renewNear(teamID, sourceKey string, numbers []int64) error {
	return setNear.Run(t, map[string]any{"team_id": teamID, "source_key": sourceKey, "numbers": numbers})
}

// moved updates the messages around one that was deleted or restored.
func (t *Tx) moved(teamID string, n *stored) error {
	if n.kind != MessageKind {
		return nil
	}
	return t.bringNear(teamID, n.Text("source_key"), []int64{n.integer("seq")})
}

// numbersFrom returns count numbers, beginning with first.
func numbersFrom(first int64, count int) []int64 {
	all := make([]int64, count)
	for i := range all {
		all[i] = first + int64(i)
	}
	return all
}

// NameKey returns a name for comparison: its words in lower case, without a final part in brackets.
func NameKey(name string) string {
	return strings.ToLower(words.NameText(PlainName(name)))
}

// ScopeFilter returns a clause that matches what the caller may see, from the day since to the day until.
func ScopeFilter(scope Scope, since, until *time.Time) string {
	filter := "+search_scope:(" + strings.Join(SearchScopes(scope), " ") + ")^0"
	if since != nil || until != nil {
		from, to := dayToken(fault.Earliest), dayToken(fault.Latest)
		if since != nil {
			from = dayToken(*since)
		}
		if until != nil {
			to = dayToken(*until)
		}
		filter += " +search_scope:[" + from + " TO " + to + "]^0"
	}
	return filter
}

// KindFilter returns a clause that matches nodes of the given kinds among those in node_words; none means all. It
// lists these kinds or the others, whichever are fewer, because every name costs time.
func KindFilter(kinds []Kind) string {
	var given, others []string
	for _, k := range Kinds {
		switch {
		case k == SourceKind || k == MessageKind: // they have their own indexes
		case slices.Contains(kinds, k):
			given = append(given, kindToken(k))
		default:
			others = append(others, kindToken(k))
		}
	}
	switch {
	case len(kinds) == 0 || len(others) == 0:
		return ""
	case len(others) < len(given):
		return " -search_scope:(" + strings.Join(others, " ") + ")"
	case len(given) == 0:
		return " +search_scope:nothing"
	}
	return " +search_scope:(" + strings.Join(given, " ") + ")^0"
}

// TypeFilter returns a clause that matches relationships of the given types; none means all.
func TypeFilter(types []string) string {
	if len(types) == 0 {
		return ""
	}
	tokens := make([]string, len(types))
	for i, t := range types {
		tokens[i] = typeToken(t)
	}
	return " +search_scope:(" + strings.Join(tokens, " ") + ")^0"
}
