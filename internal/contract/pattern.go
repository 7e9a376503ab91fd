package contract

import (
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Patterns of texts in requests. A word identifies something: it is not blank, and has no control characters; a trimmed
// one has no blanks around it. Other texts have no NUL, which the database does not accept; a filled one is not blank.
const (
	wordPattern    = `[^\x00-\x1F\x7F-\x9F]*[^\s\x00-\x1F\x7F-\x9F][^\x00-\x1F\x7F-\x9F]*`
	trimmedPattern = `[^\s\x00-\x1F\x7F-\x9F]([^\x00-\x1F\x7F-\x9F]*[^\s\x00-\x1F\x7F-\x9F])?`
	textPattern    = `[^\x00]*`
	filledPattern  = `[^\x00]*[^\s\x00][^\x00]*`

	longestWord = 1024 // characters; longer ones may have several lines
)

var (
	// wordFields holds the fields whose values are keys, if their length is bounded.
	wordFields = []string{ //nolint:gochecknoglobals // a constant table
		"user_id", "team_id", "entity_key", "idempotency_key", "key", "session_id", "conversation_id", "project_id", "focus_id", "entity_id",
		"src_id", "dst_id", "parent_id", "id", "from", "to",
	}
	// wordLists holds the lists of words.
	wordLists = []string{"mentions", "participants", "keywords", "entity_keys", "seed_nodes", "tags", "remove_tags"} //nolint:gochecknoglobals // a constant table
)

// patterned sets the pattern that the service checks on a field of a request; optional allows an empty value.
func (f field) patterned(name string, s *huma.Schema, optional bool) {
	if s.Type == huma.TypeArray && s.Items != nil {
		s.Items = f.patternedItem(name, *s.Items)
		return
	}
	isWord := f.Tag.Get("word") != "" && s.MaxLength != nil && *s.MaxLength <= longestWord || s.MaxLength != nil && slices.Contains(wordFields, name)
	switch {
	case s.Type != huma.TypeString || s.Format != "" || s.Pattern != "" || len(s.Enum) > 0 || s.ContentEncoding != "":
	case f.Tag.Get("word") == "filled":
		s.Pattern = "^" + filledPattern + "$"
	case f.Tag.Get("word") == "trimmed":
		s.Pattern = "^" + trimmedPattern + "$"
	case isWord && optional:
		s.Pattern = "^(" + wordPattern + ")?$"
	case isWord:
		s.Pattern = "^" + wordPattern + "$"
	default:
		s.Pattern = "^" + textPattern + "$"
	}
}

// patternedItem returns the schema of an item of a list of texts, with its pattern.
func (f field) patternedItem(name string, item huma.Schema) *huma.Schema {
	most := 256
	switch {
	case item.Type != huma.TypeString || item.Pattern != "" || len(item.Enum) > 0:
	case slices.Contains(wordLists, name):
		item.Pattern, item.MaxLength = "^"+wordPattern+"$", &most
	case f.Tag.Get("word") == "filled":
		item.Pattern = "^" + filledPattern + "$"
	default:
		item.Pattern = "^" + textPattern + "$"
	}
	return &item
}

// Parameters returns an operation's parameters for a document, with the patterns of path parameters and of ids of users
// and teams.
func Parameters(all []*huma.Param) []*huma.Param {
	shown := slices.Clone(all)
	for i, p := range all {
		isWord := IsWord(p) || p.In == "query" && p.Schema.MinLength != nil && (strings.HasSuffix(p.Name, "_id") || p.Name == "owner")
		if s := p.Schema; isWord && s.Type == huma.TypeString && s.Format == "" && s.Pattern == "" && len(s.Enum) == 0 {
			one, schema := *p, *s
			schema.Pattern = "^" + wordPattern + "$"
			if p.In == "path" && (p.Name == "system" || p.Name == "name") {
				schema.Pattern = "^" + trimmedPattern + "$"
			}
			one.Schema, shown[i] = &schema, &one
		}
	}
	return shown
}

// IsWord reports whether a parameter must be a word.
func IsWord(p *huma.Param) bool {
	return p.In == "path" || p.In == "query" && (p.Name == "user_id" || p.Name == "team_id")
}
