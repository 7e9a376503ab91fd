package graph

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// ChatRef is what a prompt refers to, by a token @Type:key (S5-4). It stays as it is when the entity is gone.
type ChatRef struct {
	EntityType   string `json:"entity_type" doc:"a kind in CamelCase"`
	EntityID     string `json:"entity_id" doc:"its key"`
	DisplayLabel string `json:"display_label" doc:"what stands for it where it is not known"`
}

// ChatToken is where in a prompt a reference stands.
type ChatToken struct {
	ChatRef
	Begin, End int // bytes
}

var refPattern = regexp.MustCompile(`(?:^|[^\pL\pN_@])@([A-Z][A-Za-z]*):(\S+)`)

// afterRef is what ends a sentence or closes a bracket: it is not of the key before it.
const afterRef = `.,;:!?)]}>"'’”»…`

// ChatTokens are the references of a prompt, in their order.
func ChatTokens(prompt string) []ChatToken {
	var tokens []ChatToken
	for _, at := range refPattern.FindAllStringSubmatchIndex(prompt, -1) {
		key := strings.TrimRight(prompt[at[4]:at[5]], afterRef)
		if key == "" || utf8.RuneCountInString(key) > MaxKeyLength || !ValidKey(key) {
			continue
		}
		kind := prompt[at[2]:at[3]]
		tokens = append(tokens, ChatToken{ChatRef{kind, key, "@" + key}, at[2] - 1, at[4] + len(key)})
	}
	return tokens
}

// storedRefs are the references of a prompt as they are stored, each once.
func storedRefs(prompt string) []string {
	refs := []string{}
	seen := map[string]bool{}
	for _, t := range ChatTokens(prompt) {
		if ref := t.EntityType + ":" + t.EntityID; !seen[ref] {
			seen[ref] = true
			refs = append(refs, ref)
		}
	}
	return refs
}

func chatRefsFrom(stored []string) []ChatRef {
	refs := make([]ChatRef, len(stored))
	for i, ref := range stored {
		kind, key, _ := strings.Cut(ref, ":")
		refs[i] = ChatRef{kind, key, "@" + key}
	}
	return refs
}
