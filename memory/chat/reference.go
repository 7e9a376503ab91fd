package chat

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"kith/internal/bounds"
	"kith/internal/fault"
)

// Ref is a reference of a prompt to an entity, by a token @Type:key. It stays when the entity is deleted.
type Ref struct {
	EntityType   string `json:"entity_type" doc:"a kind in CamelCase"`
	EntityID     string `json:"entity_id" doc:"its key"`
	DisplayLabel string `json:"display_label" doc:"shown when the entity is unknown"`
}

// Token is the position of a reference in a prompt.
type Token struct {
	Ref
	Begin, End int // bytes
}

var refPattern = regexp.MustCompile(`(?:^|[^\pL\pN_@])@([A-Z][A-Za-z]*):(\S+)`)

// afterRef holds characters that end a sentence or close a bracket. They do not belong to the key before them.
const afterRef = `.,;:!?)]}>"'’”»…`

// Tokens returns the references of a prompt in their order.
func Tokens(prompt string) []Token {
	var tokens []Token
	for _, at := range refPattern.FindAllStringSubmatchIndex(prompt, -1) {
		key := strings.TrimRight(prompt[at[4]:at[5]], afterRef)
		if key == "" || utf8.RuneCountInString(key) > bounds.KeyLength || !fault.ValidKey(key) {
			continue
		}
		kind := prompt[at[2]:at[3]]
		tokens = append(tokens, Token{Ref{kind, key, "@" + key}, at[2] - 1, at[4] + len(key)})
	}
	return tokens
}

// storedRefs returns the references of a prompt in their stored form, each once.
func storedRefs(prompt string) []string {
	refs := []string{}
	seen := map[string]bool{}
	for _, t := range Tokens(prompt) {
		if ref := t.EntityType + ":" + t.EntityID; !seen[ref] {
			seen[ref] = true
			refs = append(refs, ref)
		}
	}
	return refs
}

func chatRefsFrom(stored []string) []Ref {
	refs := make([]Ref, len(stored))
	for i, ref := range stored {
		kind, key, _ := strings.Cut(ref, ":")
		refs[i] = Ref{kind, key, "@" + key}
	}
	return refs
}
