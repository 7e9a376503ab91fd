package graph

import (
	"slices"
	"strings"

	"kith/graph/neo"
	"kith/graph/searchscope"
	"kith/text/clip"
	"kith/text/words"
)

// setNear updates the words of neighbours in messages of a source.
var setNear = neo.Load[neo.None]("message_near")

// isDated reports whether the node has the time that putSearchScope needs, as all have that Kith has written.
func (s *stored) isDated() bool {
	return s.kind != SourceKind && s.kind != MessageKind || s.Moment("started_at") != nil || s.Moment("at") != nil
}

// putSearchScope sets the tokens by which indexes find a node: who may see it, its kind, and the day of a message or
// source. It also sets the name by which texts mention it.
func (s *stored) putSearchScope(teamID string) {
	token := searchscope.Owner
	if s.isDoubted() {
		token = searchscope.Doubted
	}
	tokens := []string{token(teamID, s.user())}
	for _, p := range s.Texts("participants") {
		if p != s.user() {
			tokens = append(tokens, token(teamID, p))
		}
	}
	switch s.kind {
	case SourceKind:
		tokens = append(tokens, searchscope.Day(*s.Moment("started_at")))
	case MessageKind:
		tokens = append(tokens, searchscope.Day(*s.Moment("at")))
	default:
		tokens = append(tokens, searchscope.Kind(s.kind.Name))
	}
	tokens = append(tokens, searchscope.Namespaces(s.Texts("namespace"))...)
	tokens = append(tokens, aliasTokens(teamID, s.aliasKeys())...)
	tokens = append(tokens, s.evidenceTokens(teamID)...)
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

// numbered returns a row for a statement about messages of a source.
func numbered(sourceKey string, numbers []int64) map[string]any {
	return map[string]any{"source_key": sourceKey, "numbers": numbers}
}

// around returns the numbers of messages and of those before and after them.
func around(numbers []int64) []int64 {
	all := make([]int64, 0, (2*nearby+1)*len(numbers))
	for _, n := range numbers {
		all = append(all, numbersFrom(n-nearby, 2*nearby+1)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// renewNear updates the words of neighbours in messages of sources; see numbered.
func (t *Tx) renewNear(teamID string, sources ...map[string]any) error {
	return setNear.Run(t, map[string]any{"team_id": teamID, "sources": sources})
}

// moved updates the messages around one that was deleted or restored.
func (t *Tx) moved(teamID string, n *stored) error {
	if n.kind != MessageKind {
		return nil
	}
	return t.renewNear(teamID, numbered(n.Text("source_key"), around([]int64{n.integer("seq")})))
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
