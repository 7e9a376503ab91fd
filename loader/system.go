package loader

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kith/graph/trust"
	"kith/internal/fault"
	"kith/memory/system"
	"kith/text/markup"
	"kith/text/tokens"
)

// CompactFormat is a system's knowledge as lines of text; the other format is JSON, as its file has it.
const CompactFormat Format = "compact"

// SystemRequest selects a system's entities and relationships for a text. Types and Tags select entities that have one
// of them. Names select these entities, those one relationship away, and the relationships between both.
type SystemRequest struct {
	Format             Format
	MaxTokens          int // 0: no bound
	Types, Tags, Names []string
}

// Validate checks the request. The error lists every fault with its location.
func (r SystemRequest) Validate() error {
	f := &fault.List{}
	f.OptionalBetween(fault.At("max_tokens"), int64(r.MaxTokens), tokens.Least, tokens.Most)
	return f.Err()
}

// SystemText returns a system as a text for a prompt. To keep the token budget, entities with the fewest relationships
// are omitted first, of equal ones the later, each with its relationships. The text counts them.
func SystemText(system string, m system.Memory, r SystemRequest) ([]byte, error) {
	t := newSystemText(system, r.selected(m), r.Format)
	if r.MaxTokens == 0 {
		return []byte(t.render(len(t.rank))), nil
	}
	return t.fitBudget(r.MaxTokens)
}

// selected returns the requested entities, and the relationships between them.
func (r SystemRequest) selected(m system.Memory) system.Memory {
	kept := map[string]bool{}
	for i := range m.Entities {
		kept[m.Entities[i].Name] = r.fits(&m.Entities[i])
	}
	asked := func(name string) bool { return len(r.Names) == 0 || slices.Contains(r.Names, name) }
	near := map[string]bool{}
	var links []system.Relationship
	for _, l := range m.Relationships {
		if kept[l.From] && kept[l.To] && (asked(l.From) || asked(l.To)) {
			links = append(links, l)
			near[l.From], near[l.To] = true, true
		}
	}
	return system.Memory{
		Entities: slices.DeleteFunc(slices.Clone(m.Entities), func(e system.Entity) bool {
			return !kept[e.Name] || !asked(e.Name) && !near[e.Name]
		}),
		Relationships: links,
	}
}

func (r SystemRequest) fits(e *system.Entity) bool {
	tagged := func(tag string) bool { return slices.Contains(e.Tags, tag) }
	return (len(r.Types) == 0 || slices.Contains(r.Types, e.Type)) && (len(r.Tags) == 0 || slices.ContainsFunc(r.Tags, tagged))
}

// systemText is a system that is rendered as text.
type systemText struct {
	heading string
	memory  system.Memory
	rank    []string       // names of the entities, the first to stay first
	place   map[string]int // of each in rank
	format  Format
}

func newSystemText(system string, m system.Memory, format Format) *systemText {
	t := &systemText{heading: "# System " + markup.Inline(system), memory: m, format: format, place: map[string]int{}}
	degree := map[string]int{}
	for _, l := range m.Relationships {
		degree[l.From]++
		degree[l.To]++
	}
	for _, e := range m.Entities {
		t.rank = append(t.rank, e.Name)
	}
	slices.SortStableFunc(t.rank, func(a, b string) int { return cmp.Compare(degree[b], degree[a]) })
	for i, name := range t.rank {
		t.place[name] = i
	}
	return t
}

// first returns the system with the first n entities of the rank.
func (t *systemText) first(n int) system.Memory {
	m := system.Memory{}
	for _, e := range t.memory.Entities {
		if t.place[e.Name] < n {
			m.Entities = append(m.Entities, e)
		}
	}
	for _, l := range t.memory.Relationships {
		if t.place[l.From] < n && t.place[l.To] < n {
			m.Relationships = append(m.Relationships, l)
		}
	}
	return m
}

func (t *systemText) render(n int) string {
	m := t.first(n)
	entities, relationships := len(t.memory.Entities)-len(m.Entities), len(t.memory.Relationships)-len(m.Relationships)
	if t.format == CompactFormat {
		return t.lines(m, entities, relationships)
	}
	file := string(m.File())
	if entities == 0 {
		return file
	}
	return fmt.Sprintf("%s,\n  \"left_out\": {\n    \"entities\": %d,\n    \"relationships\": %d\n  }\n}",
		strings.TrimSuffix(file, "\n}"), entities, relationships)
}

// lines returns the compact text.
func (t *systemText) lines(m system.Memory, entities, relationships int) string {
	var out strings.Builder
	out.WriteString(t.heading + "\n")
	section := func(heading string, count int) {
		if count > 0 {
			out.WriteString("\n## " + heading + "\n\n")
		}
	}
	section("Entities", len(m.Entities))
	ends := map[string]trust.Told{}
	for _, e := range m.Entities {
		ends[e.Name] = e.Told
		out.WriteString("- " + entityLine(e) + "\n")
	}
	section("Relationships", len(m.Relationships))
	for _, l := range m.Relationships {
		line := markup.Item(l.From) + " → " + markup.Inline(l.To) + ": " + markup.Inline(l.Type) + propertiesSuffix(l.Properties)
		out.WriteString("- " + ends[l.From].Least(ends[l.To]).Line(line) + "\n")
	}
	if entities > 0 {
		fmt.Fprintf(&out, "\n_Left out to keep the token budget: %s, %s._\n",
			Counted(entities, "entity", "entities"), Counted(relationships, "relationship", "relationships"))
	}
	return out.String()
}

func entityLine(e system.Entity) string {
	name := markup.Name(e.Name) + " (" + markup.Inline(e.Type) + ")"
	if len(e.Tags) > 0 {
		name += " [" + markup.Inline(strings.Join(e.Tags, ", ")) + "]"
	}
	return e.Told.Line(described(name, e.Description) + propertiesSuffix(e.Properties))
}

// propertiesSuffix returns properties for the end of a line.
func propertiesSuffix(properties []byte) string {
	if len(properties) == 0 || string(properties) == "{}" {
		return ""
	}
	return " " + markup.JSON(string(properties))
}

// Counted writes a number of things: 1 entity, 2 entities.
func Counted(n int, one, all string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, all)
}

// fitBudget keeps as many entities as the budget allows.
func (t *systemText) fitBudget(budget int) ([]byte, error) {
	n, fits, err := tokens.Fitting(budget, len(t.rank), t.render)
	if !fits {
		t.heading = "# System" // the name alone exceeds the budget
	}
	return []byte(t.render(n)), err
}
