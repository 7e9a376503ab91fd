package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kith/graph"
)

// randomTeam draws the lines of a memory: every kind, every property, and unusual texts. Some lines are invalid, and the
// import refuses them.
type randomTeam struct {
	*rapid.T
	keys, sources []string
	lines         strings.Builder
}

var oddTexts = []string{
	"", " ", "Ada", "a\nb\tc\r", "\u2028<&>\u2029", "🦊 ünal", "e\u0301 é", `"quoted" \ / \u0041`, "\u202eright to left", "goal", "ß ſ İ ı",
	"\ufeff", "\u00a0", "\x01\x7f", "null", "-0", strings.Repeat("long ", 60),
}

var oddUsers = []string{"u1", "ü 🦊", "u/3?#%"}

func (r *randomTeam) some(what string) bool { return rapid.Bool().Draw(r.T, what+"?") }

func (r *randomTeam) text(what string) string {
	text := rapid.OneOf(rapid.SampledFrom(oddTexts), rapid.StringN(0, 12, -1)).Draw(r.T, what)
	return strings.ReplaceAll(text, "\x00", "0") // which refuses the whole line
}

// word draws a text without the characters that a word may not have.
func (r *randomTeam) word(what string) string {
	word := strings.Map(func(c rune) rune {
		if !unicode.IsGraphic(c) {
			return -1
		}
		return c
	}, r.text(what))
	return "w" + string([]rune(word)[:min(20, utf8.RuneCountInString(word))])
}

// freeFields lists the fields that accept any text.
var freeFields = []string{"Description", "Summary", "Text", "Content", "Goal", "NextStepShort", "NextStepLong", "Outcome", "Rationale"}

func (r *randomTeam) json(depth int) any {
	switch rapid.IntRange(0, 6+depth).Draw(r.T, "JSON") {
	case 0:
		return nil
	case 1:
		return r.some("true")
	case 2:
		return json.Number(rapid.SampledFrom([]string{"0", "-0.0", "1e-7", "12345678901234567890", "2.50", "1E400"}).Draw(r.T, "number"))
	case 3, 4, 5:
		return r.text("text")
	case 6:
		return []any{}
	case 7:
		return []any{r.json(depth - 1), r.json(depth - 1)}
	}
	return map[string]any{r.text("name"): r.json(depth - 1)}
}

// value draws a value for a field by its type and tags.
func (r *randomTeam) value(f reflect.StructField, of reflect.Type) any {
	switch {
	case f.Tag.Get("oneof") != "":
		return rapid.SampledFrom(strings.Fields(f.Tag.Get("oneof"))).Draw(r.T, f.Name)
	case f.Name == "State":
		return rapid.SampledFrom(graph.States).Draw(r.T, f.Name)
	case f.Name == "TTLPolicy":
		return rapid.SampledFrom(graph.TTLPolicies).Draw(r.T, f.Name)
	case f.Name == "Notes":
		return []string{}
	case f.Name == "MergedKeys": // never a project_id: no export has a node with the former key of its project
		return []string{"merged " + r.word(f.Name), "merged b"}
	case f.Name == "FormerKey":
		return "former " + r.word(f.Name)
	case of == reflect.TypeFor[json.RawMessage]():
		return map[string]any{r.text("name"): r.json(2)}
	case of == reflect.TypeFor[time.Time]():
		return time.UnixMilli(rapid.Int64Range(1_600_000_000_000, 1_760_000_000_000).Draw(r.T, f.Name)).UTC()
	}
	switch of.Kind() { //nolint:exhaustive // there are no others
	case reflect.Bool:
		return r.some(f.Name)
	case reflect.Int64:
		return rapid.Int64Range(1, 5).Draw(r.T, f.Name)
	case reflect.Float64:
		return rapid.SampledFrom([]float64{0, 0.1, 0.5, 1.0 / 3, 1, 1e-9}).Draw(r.T, f.Name)
	case reflect.Slice:
		return []string{r.word(f.Name), "b", r.word(f.Name)}
	}
	if slices.Contains(freeFields, f.Name) {
		return r.text(f.Name)
	}
	return r.word(f.Name)
}

// fields draws some optional fields of a struct for a kind.
func (r *randomTeam) fields(line map[string]any, structure reflect.Type, kind string) {
	for i := range structure.NumField() {
		f := structure.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if kinds := f.Tag.Get("kinds"); kinds != "" && !slices.Contains(strings.Fields(kinds), kind) ||
			slices.Contains([]string{"if_version", "user_id"}, name) || line[name] != nil {
			continue
		}
		if f.Type.Kind() == reflect.Struct && f.Type.NumField() == 3 && r.some(f.Name) {
			line[name] = r.value(f, f.Type.Field(2).Type)
		}
	}
}

func (r *randomTeam) line(kind string, line map[string]any) {
	for after, before := range map[string]string{"valid_to": "valid_from", "ended_at": "started_at"} {
		if from, ok := line[before].(time.Time); ok && line[after] != nil {
			line[after] = from.Add(time.Hour)
		}
	}
	if kind != "preference" && r.some("properties") {
		line["properties"] = map[string]any{r.text("name"): r.json(3)}
	}
	if kind != "preference" && r.some("history") {
		history := map[string]any{}
		r.fields(history, reflect.TypeFor[graph.History](), "")
		delete(history, "system")
		delete(history, "seq")
		line["history"] = history
	}
	if kind == "relationship" && line["type"] == "system_relationship" {
		line["history"] = map[string]any{"system": "s", "seq": len(r.lines.String())}
	}
	raw, err := json.Marshal(map[string]any{kind: line})
	if err != nil {
		r.Fatal(err)
	}
	r.lines.Write(append(raw, '\n'))
}

func (r *randomTeam) node(n int) {
	kind := rapid.SampledFrom(graph.Kinds).Draw(r.T, "kind").Name
	if n < 2 { // or messages would seldom have a source
		kind = []string{"source", "message"}[n]
	}
	line := map[string]any{"kind": kind, "entity_key": fmt.Sprintf("%d %s", n, r.word("key")), "name": fmt.Sprintf("%s %d", r.word("name"), n)}
	if user := rapid.SampledFrom(append([]string{""}, oddUsers...)).Draw(r.T, "user"); user != "" {
		line["user_id"] = user
	}
	switch kind {
	case "person":
	case "source":
		line["user_id"] = oddUsers[n%len(oddUsers)]
	case "message":
		delete(line, "name")
		delete(line, "user_id")
		line["role"], line["source_key"] = "user", "none"
		if len(r.sources) > 0 {
			line["source_key"] = rapid.SampledFrom(r.sources).Draw(r.T, "source")
		}
	case "item":
		line["namespace"] = []string{"notes", "of tests"}
	case "system_entity":
		delete(line, "user_id")
		line["system"], line["type"] = "s", "t"
	}
	if own := reflect.TypeFor[graph.NodeWrite](); kind != "message" {
		r.fields(line, own, kind)
	}
	for _, name := range []string{"is_owner", "canonical_name"} {
		if kind != "person" {
			delete(line, name)
		}
	}
	if kind != "concept" {
		delete(line, "is_goal")
	}
	if kind != "entity" && kind != "system_entity" {
		delete(line, "type")
	}
	r.fields(line, reflect.TypeFor[graph.OwnFields](), kind)
	r.keys = append(r.keys, line["entity_key"].(string))
	if kind == "source" {
		r.sources = append(r.sources, line["entity_key"].(string))
	}
	r.line("node", line)
}

func (r *randomTeam) relationship(n int) {
	line := map[string]any{
		"from": rapid.SampledFrom(r.keys).Draw(r.T, "from"), "to": rapid.SampledFrom(r.keys).Draw(r.T, "to"), "key": fmt.Sprintf("r%d %s", n, r.word("key")),
		"type": rapid.SampledFrom([]string{"relates_to", "has_relationship_with", "contains", "has_task", "mentions", "system_relationship", "free_type", "about", "includes"}).Draw(r.T, "type"),
	}
	r.fields(line, reflect.TypeFor[graph.RelationshipWrite](), "")
	r.line("relationship", line)
}

func (r *randomTeam) draw() string {
	for n := range rapid.IntRange(1, 25).Draw(r.T, "nodes") {
		r.node(n)
	}
	for n := range rapid.IntRange(0, 40).Draw(r.T, "relationships") {
		r.relationship(n)
	}
	for n := range rapid.IntRange(0, 3).Draw(r.T, "preferences") {
		r.line("preference", map[string]any{"user_id": oddUsers[n], "key": r.word("key"), "value": r.json(2)})
	}
	return r.lines.String()
}

// An import of a team's export into an empty team gives the same export, byte for byte.
func TestExportOfRandomTeamsComesBack_slow(t *testing.T) {
	t.Parallel()
	s := shared(t)
	var relationships int64
	kinds := map[string]bool{}
	rapid.Check(t, func(r *rapid.T) {
		from := s.team(t)
		report, status := from.imported(t, (&randomTeam{T: r}).draw())
		if status != http.StatusOK {
			r.Fatalf("%d %+v", status, report)
		}
		relationships += report.Relationships.Created
		diff := "not compared"
		for attempt := 0; attempt < 3 && diff != ""; attempt++ { // maintenance may archive nodes between the two exports
			to, file := s.team(t), from.exported(t)
			for _, kind := range graph.Kinds {
				kinds[kind.Name] = kinds[kind.Name] || strings.Contains(file, `{"kind":"`+kind.Name+`"`)
			}
			if report, status = to.imported(t, file); status != http.StatusOK || len(report.Refused)+len(report.Warnings) > 0 {
				r.Fatalf("%d %+v of\n%s", status, report, file)
			}
			lines := func(file string) []string { return strings.Split(storyDue.ReplaceAllString(file, ""), "\n") } // maintenance removes it at any time
			diff = cmp.Diff(lines(file), lines(to.exported(t)))
		}
		if diff != "" {
			r.Fatalf("-from +to:\n%s", diff)
		}
	})
	for kind, seen := range kinds {
		if !seen {
			t.Errorf("no %s was among them", kind)
		}
	}
	if relationships < 50 {
		t.Errorf("only %d relationships", relationships)
	}
}
