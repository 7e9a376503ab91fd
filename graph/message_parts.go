package graph

import (
	"encoding/json"
	"strings"

	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/text/clip"
)

// checkParts checks the parts of a message: a list of JSON objects.
func (f *Faults) checkParts(at fault.Path, raw json.RawMessage) {
	if raw == nil || !f.JSON(at, raw, bounds.ValueSize, bounds.ValueDepth) {
		return
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil || len(parts) == 0 {
		f.Add(at, fault.WrongType, "must be a list of at least one object")
		return
	}
	for i, part := range parts {
		if part[0] != '{' {
			f.Add(at.Index(i), fault.WrongType, "must be an object")
		}
	}
}

// textOfParts returns the text of a message that was given by its parts alone: their texts, one a line; without any, the types and
// names of the parts, as in [function_call search].
func textOfParts(raw json.RawMessage) string {
	var parts []map[string]any
	if err := json.Unmarshal(raw, &parts); err != nil {
		return ""
	}
	var texts, names []string
	for _, part := range parts {
		texts = appendTexts(texts, part)
		names = append(names, partName(part))
	}
	if len(texts) == 0 {
		texts = names
	}
	text, _ := clip.Runes(withoutNUL(strings.Join(texts, "\n")), bounds.MessageLength)
	return text
}

// textFields are the fields in which the formats of language models have the texts of a part, and the parts within it.
var textFields = [...]string{"text", "content", "output"}

func appendTexts(texts []string, part map[string]any) []string {
	for _, field := range textFields {
		switch v := part[field].(type) {
		case string:
			if strings.TrimSpace(v) != "" {
				texts = append(texts, v)
			}
		case map[string]any:
			texts = appendTexts(texts, v)
		case []any:
			for _, inner := range v {
				if object, ok := inner.(map[string]any); ok {
					texts = appendTexts(texts, object)
				}
			}
		}
	}
	return texts
}

func partName(part map[string]any) string {
	words := []string{"part"}
	if typ, _ := part["type"].(string); typ != "" {
		words[0] = typ
	}
	if name, _ := part["name"].(string); name != "" {
		words = append(words, name)
	}
	return "[" + strings.Join(words, " ") + "]"
}
