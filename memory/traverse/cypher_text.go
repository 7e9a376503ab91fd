package traverse

import (
	"reflect"
	"strconv"
	"strings"

	"kith/graph"
)

// longestOfNotes is the most characters of all notes of one record, as JSON texts.
const longestOfNotes = 500_000

// longestTexts returns the most characters of each text property, by its name. Properties that are not texts are short.
func longestTexts() map[string]int {
	longest := map[string]int{}
	for _, p := range append(CommonProperties(), RelationshipProperties...) {
		if p.Type == "float" || p.Type == "integer" || p.Type == "datetime" {
			longest[p.Name] = len("2026-01-01T00:00:00.000000000Z")
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[graph.NodeWrite](), reflect.TypeFor[graph.RelationshipWrite](), reflect.TypeFor[graph.OwnFields]()} {
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			most, err := strconv.Atoi(field.Tag.Get("max"))
			if field.Type == reflect.TypeFor[graph.Optional[string]]() && err == nil {
				longest[name] = max(longest[name], most)
			}
		}
	}
	longest["notes"] = longestOfNotes
	return longest
}
