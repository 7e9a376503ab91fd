package contract

import (
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// Patterns of texts in requests. A word identifies something: it is not blank, and has no control characters. Other
// texts have no NUL, which the database does not accept.
const (
	wordPattern = `[^\x00-\x1F\x7F-\x9F]*[^\s\x00-\x1F\x7F-\x9F][^\x00-\x1F\x7F-\x9F]*`
	textPattern = `[^\x00]*`

	longestWord = 1024 // characters; longer ones may have several lines
)

var (
	// wordFields holds the fields whose values are keys, if their length is bounded.
	wordFields = []string{ //nolint:gochecknoglobals // a constant table
		"user_id", "team_id", "entity_key", "idempotency_key", "key", "session_id", "conversation_id", "project_id", "focus_id", "entity_id",
		"src_id", "dst_id", "parent_id", "id", "from", "to",
	}
	// wordLists holds the lists of words.
	wordLists = []string{"mentions", "participants", "keywords", "entity_keys"} //nolint:gochecknoglobals // a constant table
)

// patterned sets the pattern that the service checks on a field of a request; optional allows an empty value.
func (f field) patterned(name string, s *huma.Schema, optional bool) {
	if s.Type == huma.TypeArray && s.Items != nil && s.Items.Type == huma.TypeString && slices.Contains(wordLists, name) {
		item, most := *s.Items, 256
		item.Pattern, item.MaxLength, s.Items = "^"+wordPattern+"$", &most, &item
		return
	}
	isWord := f.Tag.Get("word") != "" && s.MaxLength != nil && *s.MaxLength <= longestWord || s.MaxLength != nil && slices.Contains(wordFields, name)
	switch {
	case s.Type != huma.TypeString || s.Format != "" || s.Pattern != "" || len(s.Enum) > 0 || s.ContentEncoding != "":
	case isWord && optional:
		s.Pattern = "^(" + wordPattern + ")?$"
	case isWord:
		s.Pattern = "^" + wordPattern + "$"
	default:
		s.Pattern = "^" + textPattern + "$"
	}
}

// Parameters returns an operation's parameters for a document, with the patterns of path parameters and of ids of users
// and teams.
func Parameters(all []*huma.Param) []*huma.Param {
	shown := slices.Clone(all)
	for i, p := range all {
		if s := p.Schema; IsWord(p) && s.Type == huma.TypeString && s.Format == "" && s.Pattern == "" && len(s.Enum) == 0 {
			one, schema := *p, *s
			schema.Pattern = "^" + wordPattern + "$"
			one.Schema, shown[i] = &schema, &one
		}
	}
	return shown
}

// IsWord reports whether a parameter must be a word.
func IsWord(p *huma.Param) bool {
	return p.In == "path" || p.In == "query" && (p.Name == "user_id" || p.Name == "team_id")
}
