package loader

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"kith/internal/fault"
	"kith/memory/system"
	"kith/text/tokens"
)

// wheel is a hub, with so many others that it uses, and one of which nobody knows more.
func wheel(spokes int) system.Memory {
	m := system.Memory{Entities: []system.Entity{{Name: "alone", Type: "ticket", Properties: json.RawMessage("{}")}}}
	for i := range spokes {
		name := fmt.Sprint("spoke-", i)
		m.Entities = append(m.Entities, system.Entity{
			Name: name, Type: "service", Description: "Does one thing,\nand that well", Tags: []string{"go"}, Properties: json.RawMessage(`{"n":1.0}`),
		})
		m.Relationships = append(m.Relationships, system.Relationship{From: "hub", To: name, Type: "uses", Properties: json.RawMessage("{}")})
	}
	m.Entities = append(m.Entities, system.Entity{Name: "hub", Type: "gateway", Tags: []string{"core"}, Properties: json.RawMessage("{}")})
	return m
}

func renderSystem(t *testing.T, m system.Memory, r SystemRequest) string {
	t.Helper()
	text, err := SystemText("orders", m, r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Without anything asked for, the text is the file.
func TestSystemTextIsTheFile(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile("../memory/system/testdata/context.json")
	if err != nil {
		t.Fatal(err)
	}
	var m system.Memory
	if err := json.Unmarshal(golden, &m); err != nil {
		t.Fatal(err)
	}
	// What stands in the file is indented; what is stored is not.
	for i := range m.Entities {
		m.Entities[i].Properties = compacted(t, m.Entities[i].Properties)
	}
	for i := range m.Relationships {
		m.Relationships[i].Properties = compacted(t, m.Relationships[i].Properties)
	}
	if text := renderSystem(t, m, SystemRequest{}); text != string(golden) {
		t.Error(text)
	}
}

func compacted(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	out, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSystemTextCompact(t *testing.T) {
	t.Parallel()
	want := `# System orders

## Entities

- **alone** (ticket)
- **spoke-0** (service) [go]: Does one thing, and that well {"n":1.0}
- **hub** (gateway) [core]

## Relationships

- hub → spoke-0: uses
`
	if text := renderSystem(t, wheel(1), SystemRequest{Format: CompactFormat}); text != want {
		t.Error(text)
	}
}

func TestSystemTextFilters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r    SystemRequest
		want string // names of the entities, and the number of relationships
	}{
		{SystemRequest{}, "alone spoke-0 spoke-1 hub 2"},
		{SystemRequest{Types: []string{"service", "ticket"}}, "alone spoke-0 spoke-1 0"},
		{SystemRequest{Tags: []string{"core", "go"}}, "spoke-0 spoke-1 hub 2"},
		{SystemRequest{Types: []string{"service"}, Tags: []string{"core"}}, "0"},
		{SystemRequest{Names: []string{"spoke-1"}}, "spoke-1 hub 1"},
		{SystemRequest{Names: []string{"alone"}}, "alone 0"},
		{SystemRequest{Names: []string{"hub"}, Tags: []string{"core"}}, "hub 0"},
		{SystemRequest{Names: []string{"none"}}, "0"},
	} {
		var got system.Memory
		if err := json.Unmarshal([]byte(renderSystem(t, wheel(2), c.r)), &got); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range got.Entities {
			names = append(names, e.Name)
		}
		if text := strings.Join(append(names, fmt.Sprint(len(got.Relationships))), " "); text != c.want {
			t.Errorf("%+v: %s, want %s", c.r, text, c.want)
		}
	}
}

// Within a budget the best connected stay, what stays is valid, and the text says what went.
func TestSystemTextKeepsTheBudget(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{JSON, CompactFormat} {
		m, last := wheel(50), -1
		for _, budget := range []int{tokens.Least, 300, 1000, tokens.Most} {
			text := renderSystem(t, m, SystemRequest{Format: format, MaxTokens: budget})
			if n, err := tokens.Count(text); n > budget || err != nil {
				t.Errorf("%s: %d tokens of %d, %v", format, n, budget, err)
			}
			spokes := strings.Count(text, "Does one thing")
			if spokes <= last || budget > tokens.Least && !strings.Contains(text, "gateway") || strings.Contains(text, "alone") != (spokes == 50) {
				t.Errorf("%s: %d spokes in %d tokens, %d in fewer: %s", format, spokes, budget, last, text)
			}
			last = spokes
			said := fmt.Sprintf("Left out to keep the token budget: %d entities, %d relationships", 51-spokes, 50-spokes)
			if format == JSON {
				said = fmt.Sprintf("\"left_out\": {\n    \"entities\": %d,\n    \"relationships\": %d\n", 51-spokes, 50-spokes)
			}
			if strings.Contains(text, said) != (spokes < 50) || format == JSON && !json.Valid([]byte(text)) {
				t.Errorf("%s: does not say what went: %s", format, text)
			}
		}
	}
	name := strings.Repeat("🚢", 256)
	text, err := SystemText(name, wheel(9), SystemRequest{Format: CompactFormat, MaxTokens: tokens.Least})
	if n, _ := tokens.Count(string(text)); n > tokens.Least || err != nil {
		t.Errorf("a long name: %d tokens, %v", n, err)
	}
}

func TestSystemRequestFaults(t *testing.T) {
	t.Parallel()
	for budget, want := range map[int]bool{0: true, tokens.Least - 1: false, tokens.Least: true, tokens.Most: true, tokens.Most + 1: false, -1: false} {
		if err := (SystemRequest{MaxTokens: budget}).Validate(); (err == nil) != want || err != nil && !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%d: %v", budget, err)
		}
	}
}
