package traverse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"kith/graph"
	"kith/internal/fault"
	"kith/text/tokens"
)

// Schema describes what statements can query: kinds, properties, relationship types and counts.
type Schema struct {
	Kinds             []KindSchema         `json:"kinds" doc:"kinds with nodes in the scope, the most frequent first"`
	CommonProperties  map[string]string    `json:"common_properties" doc:"of nodes of every kind, with their types"`
	RelationshipTypes []RelationshipSchema `json:"relationship_types" doc:"the most frequent first"`
	RelationshipProps map[string]string    `json:"relationship_properties" doc:"of relationships of every type, with their types"`
	Rules             []string             `json:"rules"`
	Examples          []Example            `json:"examples"`
	Sampled           bool                 `json:"sampled" doc:"only a part was counted"`
	Cut               int                  `json:"cut,omitempty" doc:"so many of the kinds and relationship types, the rarest, did not fit into max_tokens"`
}

// KindSchema is a kind of node.
type KindSchema struct {
	Label      string            `json:"label"`
	Count      int64             `json:"count"`
	Properties map[string]string `json:"properties,omitempty" doc:"beside the common ones"`
	StateKeys  []string          `json:"state_keys,omitempty" doc:"the known values of state_key"`
}

// RelationshipSchema is a type of relationships between two kinds.
type RelationshipSchema struct {
	Pattern string `json:"pattern" example:"(:Person)-[:thinks_about]->(:Concept)"`
	Count   int64  `json:"count"`
}

// Example is a statement that can be run.
type Example struct {
	Question   string         `json:"question"`
	Cypher     string         `json:"cypher"`
	Parameters map[string]any `json:"parameters,omitempty"`
}

// Bounds and default of max_tokens of a schema.
const (
	MinSchemaTokens     = 1000
	MaxSchemaTokens     = 100_000
	DefaultSchemaTokens = 4000
)

var rules = []string{ //nolint:gochecknoglobals // constant
	"Statements only read: MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, CALL { … }, UNION, RETURN, ORDER BY, SKIP, LIMIT.",
	"Only what the user may see is there; no condition on teams or users is needed.",
	"A relationship is current when coalesce(r.valid_from <= datetime(), true) AND coalesce(r.valid_to > datetime(), true); others have ended, or will begin.",
	"Paths of varying length need an upper bound of at most 6: -[*1..3]- or -[:depends_on]->{1,3}.",
	"Names are found as toLower(n.name) CONTAINS 'word', or n.name = 'Full Name'; regular expressions are not allowed.",
	"At most 1,000 rows, 1 MB and 2 seconds.",
	"Salience is from 0 to 1, as of the last time it changed; attitude and proximity are from 1 to 5.",
}

var examples = []Example{ //nolint:gochecknoglobals // constant
	{
		Question:   "What is Ada linked with, and why?",
		Cypher:     "MATCH (p:Person {name: $name})-[r]-(x) WHERE coalesce(r.valid_from <= datetime(), true) AND coalesce(r.valid_to > datetime(), true) RETURN type(r) AS how, x.name AS what, r.description AS why ORDER BY r.salience DESC LIMIT 10",
		Parameters: map[string]any{"name": "Ada"},
	},
	{
		Question: "What was talked about most in the last week?",
		Cypher:   "MATCH (s:Source)-[:mentions]->(c:Concept) WHERE s.started_at >= datetime() - duration('P7D') RETURN c.name AS concept, count(DISTINCT s) AS times ORDER BY times DESC, concept LIMIT 10",
	},
	{
		Question:   "How are Ada and Grace connected?",
		Cypher:     "MATCH path = shortestPath((a:Person {name: $from})-[*..4]-(b:Person {name: $to})) RETURN [n IN nodes(path) | n.name] AS names, [r IN relationships(path) | type(r)] AS types",
		Parameters: map[string]any{"from": "Ada", "to": "Grace"},
	},
}

// Schema returns the schema of a scope, in at most maxTokens o200k tokens as text (0: the default). The rarest kinds
// and types are omitted first. Errors: InvalidError for the number, ErrUnavailable.
func (t *Traverser) Schema(ctx context.Context, scope graph.Scope, maxTokens int) (*Schema, error) {
	if maxTokens == 0 {
		maxTokens = DefaultSchemaTokens
	}
	if maxTokens < MinSchemaTokens || maxTokens > MaxSchemaTokens {
		f := &fault.List{}
		f.Between(fault.At("max_tokens"), int64(maxTokens), MinSchemaTokens, MaxSchemaTokens)
		return nil, f.Err()
	}
	c, err := t.store.Census(ctx, scope)
	if err != nil {
		return nil, err
	}
	schema := schemaOf(&c)
	for {
		tokens, err := tokens.Count(schema.Text())
		if err != nil {
			return nil, err
		}
		if tokens <= maxTokens || len(schema.Kinds)+len(schema.RelationshipTypes) == 0 {
			return schema, nil
		}
		schema.shorten()
	}
}

// shorten omits the rarer half of the longer list.
func (s *Schema) shorten() {
	if n := len(s.RelationshipTypes); n >= len(s.Kinds) {
		s.RelationshipTypes, s.Cut = s.RelationshipTypes[:n/2], s.Cut+n-n/2
		return
	}
	n := len(s.Kinds)
	s.Kinds, s.Cut = s.Kinds[:n/2], s.Cut+n-n/2
}

func schemaOf(c *Census) *Schema {
	s := &Schema{
		Kinds: []KindSchema{}, CommonProperties: typesOf(CommonProperties()), RelationshipTypes: []RelationshipSchema{},
		RelationshipProps: typesOf(RelationshipProperties), Rules: rules, Examples: examples, Sampled: c.Part,
	}
	for _, k := range graph.Kinds {
		if n := c.Nodes[k.Name]; n > 0 {
			s.Kinds = append(s.Kinds, KindSchema{Label: k.Label, Count: n, Properties: typesOf(OwnProperties(k)), StateKeys: graph.StateKeys(k)})
		}
	}
	slices.SortStableFunc(s.Kinds, func(a, b KindSchema) int { return cmp.Compare(b.Count, a.Count) })
	for _, r := range c.Relationships {
		from, _ := graph.KindOf(r.From)
		to, _ := graph.KindOf(r.To)
		s.RelationshipTypes = append(s.RelationshipTypes, RelationshipSchema{Pattern: fmt.Sprintf("(:%s)-[:%s]->(:%s)", from.Label, r.Type, to.Label), Count: r.Count})
	}
	slices.SortStableFunc(s.RelationshipTypes, func(a, b RelationshipSchema) int { return cmp.Compare(b.Count, a.Count) })
	return s
}

func typesOf(properties []PropertyType) map[string]string {
	m := map[string]string{}
	for _, p := range properties {
		m[p.Name] = p.Type
	}
	return m
}

// Text returns the schema as Markdown for a prompt.
func (s *Schema) Text() string {
	var t strings.Builder
	t.WriteString("# What Cypher can ask here\n\n## Nodes\n")
	for _, k := range s.Kinds {
		fmt.Fprintf(&t, "- (:%s) %d%s", k.Label, k.Count, listed(k.Properties, ": "))
		if len(k.StateKeys) > 0 {
			t.WriteString("; state_key is " + strings.Join(k.StateKeys, ", "))
		}
		t.WriteString("\n")
	}
	fmt.Fprintf(&t, "All have%s\n\n## Relationships\n", listed(s.CommonProperties, " "))
	for _, r := range s.RelationshipTypes {
		fmt.Fprintf(&t, "- %s %d\n", r.Pattern, r.Count)
	}
	fmt.Fprintf(&t, "All have%s\n\n## Rules\n", listed(s.RelationshipProps, " "))
	for _, rule := range s.Rules {
		t.WriteString("- " + rule + "\n")
	}
	t.WriteString("\n## Examples\n")
	for _, e := range s.Examples {
		t.WriteString("- " + e.Question + "\n  `" + e.Cypher + "`\n")
	}
	if s.Sampled {
		t.WriteString("\n_Counts are those of a part: there is more than is counted._\n")
	}
	if s.Cut > 0 {
		fmt.Fprintf(&t, "\n_Left out, the rarest: %d._\n", s.Cut)
	}
	return t.String()
}

func listed(properties map[string]string, before string) string {
	if len(properties) == 0 {
		return ""
	}
	all := make([]string, 0, len(properties))
	for name, kind := range properties {
		all = append(all, name+" "+kind)
	}
	slices.Sort(all)
	return before + strings.Join(all, ", ")
}
