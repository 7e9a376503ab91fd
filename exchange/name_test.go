package exchange

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kith/internal/fault"
)

// names draws names of relationships in many scripts, among them some that differ in little.
var names = rapid.OneOf(
	rapid.StringMatching(`[ a-zA-Z0-9_!?.-]{1,70}`),
	rapid.StringMatching(`\p{Han}{1,4}|\p{Hangul}{1,6}|\p{Hiragana}{1,5}|\p{Cyrillic}{1,9}|\p{Arabic}{1,8}|\p{Greek}{1,8}|\p{Devanagari}{1,8}|\p{Thai}{1,8}`),
	rapid.StringMatching(`[kK]n[oóöO]ws[!? ]?`),
	rapid.SampledFrom([]string{"part_of", "contains", "PART_OF", "mentions", "has_message", "r_has_message", "system_relationship", "related_to", "Related to", "\n", "\u00a0"}),
	rapid.Map(rapid.StringN(100, 400, -1), func(s string) string { return strings.ReplaceAll(s, "\x00", "") }),
)

// TestNamesOfRelationshipsStayApart checks that no two names become the same relationship.
func TestNamesOfRelationshipsStayApart(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	rapid.Check(t, func(t *rapid.T) {
		known := map[[2]string]string{}
		for _, name := range rapid.SliceOfNDistinct(names, 2, 30, rapid.ID).Draw(t, "names") {
			kind, word, qualifier := RelationshipType(name)
			if !pattern.MatchString(kind) || slices.Contains(reservedTypes, kind) || word != "" && word != name || qualifier != "" && !fault.ValidKey(qualifier) {
				t.Fatalf("%q: type %q, word %q, qualifier %q", name, kind, word, qualifier)
			}
			if other, again := known[[2]string{kind, qualifier}]; again {
				t.Fatalf("%q and %q are both %q, %q", other, name, kind, qualifier)
			}
			known[[2]string{kind, qualifier}] = name
		}
	})
}

// relationships returns the relationships that a reader makes, by their ends, type and qualifier.
func relationships(t testing.TB, format Format, file string) map[[4]string]int {
	t.Helper()
	all := map[[4]string]int{}
	for _, line := range readAll(t, format, strings.NewReader(file)) {
		_, raw, found := strings.Cut(line, " relationship ")
		if !found {
			continue
		}
		var w wireRelationship
		if err := json.Unmarshal([]byte(raw), &w); err != nil {
			t.Fatal(err)
		}
		all[[4]string{w.From, w.Type, w.To, w.Qualifier}]++
	}
	return all
}

// TestFactsStayApart checks files with several relationships between the same two things.
func TestFactsStayApart(of *testing.T) {
	of.Parallel()
	rapid.Check(of, func(t *rapid.T) {
		some := rapid.SliceOfNDistinct(names.Filter(func(name string) bool { return name != "MENTIONS" && name != "" }), 1, 12, rapid.ID).Draw(t, "names")
		var edges, twice, lines, triples, cognee []any
		for i, name := range some {
			edge := map[string]any{"uuid": fmt.Sprint("f", i), "source_node_uuid": "a", "target_node_uuid": "b", "name": name, "fact": "x"}
			again := map[string]any{"uuid": fmt.Sprint("g", i), "source_node_uuid": "a", "target_node_uuid": "b", "name": name, "fact": "y"}
			edges, twice = append(edges, edge), append(twice, edge, again)
			lines = append(lines, map[string]any{"type": "relation", "from": "A", "to": "B", "relationType": name})
			triples = append(triples, map[string]any{"source": "A", "target": "B", "relationship": name})
			cognee = append(cognee, map[string]any{"source": "a", "target": "b", "relationship_name": name})
		}
		for _, file := range []struct {
			format  Format
			content any
			want    int
		}{
			{Graphiti, map[string]any{"edges": edges}, len(some)},
			{Graphiti, map[string]any{"edges": twice}, 2 * len(some)},
			{Zep, map[string]any{"edges": twice}, 2 * len(some)},
			{MCPMemory, lines, len(some)},
			{Mem0, map[string]any{"results": []any{}, "relations": triples}, len(some)},
			{Cognee, map[string]any{"nodes": []any{map[string]any{"id": "a", "name": "A"}, map[string]any{"id": "b", "name": "B"}}, "edges": cognee}, len(some)},
		} {
			raw, err := json.Marshal(file.content)
			if err != nil {
				t.Fatal(err)
			}
			got := relationships(of, file.format, sections(string(raw)))
			if len(got) != file.want {
				t.Errorf("%s: %d relationships of %d: %s", file.format, len(got), file.want, raw)
			}
			if diff := cmp.Diff(got, relationships(of, file.format, sections(string(raw)))); diff != "" {
				t.Errorf("%s: read again: %s", file.format, diff)
			}
		}
	})
}

// sections puts the nodes of a document before its edges, which json.Marshal sorts.
func sections(document string) string {
	edges, nodes, found := strings.Cut(document, `,"nodes":`)
	if !found {
		return document
	}
	return `{"nodes":` + strings.TrimSuffix(nodes, "}") + "," + strings.TrimPrefix(edges, "{") + "}"
}

// TestThingsOfOneNameStayApart reads files with several things of one name, which their ids tell apart.
func TestThingsOfOneNameStayApart(t *testing.T) {
	t.Parallel()
	for format, file := range map[Format]string{
		Graphiti:  `{"nodes":[{"uuid":"1","name":"Kim","labels":["Person"]},{"uuid":"2","name":"kim ","labels":["Person"]},{"uuid":"1","name":"Kim","labels":["Person"]}]}`,
		Zep:       `{"nodes":[{"uuid":"1","name":"Kim"},{"uuid":"2","name":"Kim"},{"uuid":"1","name":"Kim"}]}`,
		Cognee:    `{"nodes":[{"id":"1","name":"Kim"},{"id":"2","name":"Kim"},{"id":"1","name":"Kim"}]}`,
		Letta:     `{"agents":[{"id":"1","name":"Kim"},{"id":"2","name":"Kim"},{"id":"1","name":"Kim"}]}`,
		MCPMemory: `[{"name":"Kim","entityType":"person"},{"name":"KIM","entityType":"person"},{"name":"Kim","entityType":"person"}]`,
	} {
		found, warnings := map[string]string{}, 0
		for _, line := range readAll(t, format, strings.NewReader(file)) {
			if strings.HasPrefix(line, "?") && strings.Contains(line, "[1].name: is also that of ") && strings.Contains(line, "[0]") {
				warnings++
			}
			if _, raw, ok := strings.Cut(line, " node "); ok {
				var n wireNode
				if err := json.Unmarshal([]byte(raw), &n); err != nil {
					t.Fatal(err)
				}
				found[n.EntityKey] = strings.ToLower(n.Name)
			}
		}
		values := slices.Sorted(func(yield func(string) bool) {
			for _, name := range found {
				if !yield(name) {
					return
				}
			}
		})
		if len(values) != 2 || values[0] != "kim" || !strings.HasPrefix(values[1], "kim") || values[0] == values[1] || warnings != 1 {
			t.Errorf("%s: %q, %d warnings", format, values, warnings)
		}
	}
}

// TestFaultsNameTheirElement reads documents of one line, in which one element has a fault.
func TestFaultsNameTheirElement(of *testing.T) {
	of.Parallel()
	rapid.Check(of, func(t *rapid.T) {
		count := rapid.IntRange(1, 40).Draw(t, "count")
		faulty := rapid.IntRange(0, count-1).Draw(t, "faulty")
		for _, c := range []struct {
			format                  Format
			begin, good, bad, where string
		}{
			{Graphiti, `{"group":{"x":[1]},"nodes":[`, `{"uuid":"u%d","name":"n%d"}`, `{"uuid":"u%d","name":" "}`, "nodes[%d].name"},
			{Graphiti, `{"edges":[`, `{"uuid":"e%d","source_node_uuid":"a","target_node_uuid":"b"}`, `{"uuid":7}`, "edges[%d].uuid"},
			{Mem0, `{"results":[`, `{"id":"%d","memory":"m"}`, `{"id":"%d"}`, "results[%d].memory"},
			{Mem0, `{"results":[{"id":"1","memory":"m","relations":[`, `{"source":"a%d","relationship":"r","target":"b"}`, `{"source":"a"}`, "results[0].relations[%d].target"},
			{Zep, `{"users":[],"nodes":[`, `{"uuid":"u%d","name":"n%d"}`, `{"name":"n"}`, "nodes[%d].uuid"},
			{Cognee, `{"nodes":[`, `{"id":"%d","name":"n%d"}`, `[]`, "nodes[%d]"},
			{Letta, `{"agents":[{"id":"a","name":"A","messages":[`, `{"id":"m%d","role":"user","content":"x"}`, `{"id":"m","role":"x"}`, "agents[0].messages[%d].role"},
			{MCPMemory, `{"entities":[`, `{"name":"n%d"}`, `{"name":"","entityType":"x"}`, "entities[%d].name"},
		} {
			elements := make([]string, count)
			for i := range elements {
				element := c.good
				if i == faulty {
					element = c.bad
				}
				elements[i] = strings.ReplaceAll(element, "%d", fmt.Sprint(i))
			}
			end := map[bool]string{true: "]}", false: "]}]}"}[strings.Count(c.begin, "[") == 1 || c.format == Zep || strings.Contains(c.begin, "group")]
			var faults []string
			for _, line := range readAll(of, c.format, strings.NewReader(c.begin+strings.Join(elements, ",")+end)) {
				if strings.HasPrefix(line, "!") || strings.HasPrefix(line, "error") {
					faults = append(faults, line)
				}
			}
			if want := "!1 " + fmt.Sprintf(c.where, faulty) + ": "; len(faults) != 1 || !strings.HasPrefix(faults[0], want) {
				t.Errorf("%s: want %s, got %q", c.format, want, faults)
			}
		}
	})
}
