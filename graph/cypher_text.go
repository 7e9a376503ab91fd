package graph

import (
	"reflect"
	"strconv"
	"strings"
)

// longestOfNotes is how many characters the notes of something have together, as texts of JSON.
const longestOfNotes = 500_000

// longestTexts are the characters that the longest text of a property may have, by its name. What is not a text is short.
func longestTexts() map[string]int {
	longest := map[string]int{}
	for _, p := range append(CommonProperties(), RelationshipProperties...) {
		if p.Type == "float" || p.Type == "integer" || p.Type == "datetime" {
			longest[p.Name] = len("2026-01-01T00:00:00.000000000Z")
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[NodeWrite](), reflect.TypeFor[RelationshipWrite](), reflect.TypeFor[OwnFields]()} {
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			most, err := strconv.Atoi(field.Tag.Get("max"))
			if field.Type == reflect.TypeFor[Optional[string]]() && err == nil {
				longest[name] = max(longest[name], most)
			}
		}
	}
	longest["notes"] = longestOfNotes
	return longest
}
