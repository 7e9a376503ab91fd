package graph

import (
	"context"
	"math"
	"slices"
	"strings"

	"kith/graph/neo"
	"kith/graph/searchscope"
)

var (
	findMissing = neo.Load[[]string]("integrity_missing")
	setLabel    = neo.Load[neo.None]("integrity_label_set")
)

// checkedNames are the properties of a node that the integrity check reads.
var checkedNames = []string{
	"entity_key", "user_id", "name", "canonical_name", "aliases", "evidence", "trust", "least_trust", "content_type", "type", "system", "namespace", "natural_key", "is_owner", "owner_of", "salience",
	"project_id", "anchor_key", "vector_scope", "participants", "started_at", "at", "search_scope", "search_name",
	"source_count", "first_mentioned_at", "last_mentioned_at", "mention_weight", "distinct_source_days",
}

// checkedRow is a row of integrity_nodes. Found holds the values of checkedNames.
type checkedRow struct {
	EntityKey string
	Labels    []string
	Found     []any
}

// checkedNode is a node with the properties that the integrity check reads.
type checkedNode struct {
	stored
	kinds []string // its labels except Memory
}

// checkedPage is a page of a team's nodes.
type checkedPage struct {
	team  string
	nodes []checkedNode
}

func newCheckedPage(team string, rows []checkedRow) checkedPage {
	p := checkedPage{team: team, nodes: make([]checkedNode, len(rows))}
	for i, row := range rows {
		n := &p.nodes[i]
		n.kinds = slices.DeleteFunc(row.Labels, func(l string) bool { return l == "Memory" })
		n.Properties = NamedProperties(checkedNames, row.Found)
		if len(n.kinds) == 1 {
			n.kind = KindOfLabel(n.kinds[0])
		}
	}
	return p
}

// keys returns the keys of the nodes of a kind; empty: of all.
func (p *checkedPage) keys(kind string) []string {
	keys := []string{}
	for i := range p.nodes {
		if kind == "" || p.nodes[i].kind.Name == kind {
			keys = append(keys, p.nodes[i].key())
		}
	}
	return keys
}

func (c *checker) page(ctx context.Context, p checkedPage) error {
	for i := range p.nodes {
		if err := c.node(ctx, p.team, &p.nodes[i]); err != nil {
			return err
		}
	}
	for _, check := range []func(context.Context, checkedPage) error{c.references, c.messages, c.sources, c.duplicates, c.keyed, c.relationships, c.places} {
		if err := check(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// node checks the properties of one node by itself.
func (c *checker) node(ctx context.Context, team string, n *checkedNode) error {
	f := Finding{TeamID: team, Kind: n.kind.Name, Key: n.key()}
	if was, known := n.was(); n.kind.Name == "" || known && was != n.kind {
		return c.kind(ctx, f, n)
	}
	if wrong := n.changesTo(n.expected(team)); len(wrong) > 0 {
		names := make([]string, 0, len(wrong))
		for name := range wrong {
			names = append(names, name)
		}
		slices.Sort(names)
		f.Check, f.Detail = "property", "has a wrong "+strings.Join(names, ", ")
		if slices.Contains(names, "natural_key") {
			f.Check, f.Advice = "natural_key", "another node of its kind may have its name (names are compared in NFC, without blanks at the ends): "+
				"rename or delete one of them, then run kith check --fix"
		}
		if slices.Contains(names, "vector_scope") { // vector readers that go on from a number find the node by its new number
			wrong["embed_due"] = c.store.Now().UnixMilli()
		}
		return c.report(ctx, f, c.settle(team, n.key(), wrong))
	}
	return nil
}

// settle returns a repair that sets the right properties of a node, and the rank of its relationships.
func (c *checker) settle(team, key string, right Properties) func(context.Context) error {
	return func(ctx context.Context) error {
		return c.store.Transaction(ctx, "node_update", func(t *Tx) error {
			if err := t.writeRows(updateNodes, team, []map[string]any{{"entity_key": key, "properties": map[string]any(right)}}); err != nil {
				return err
			}
			return t.rank(team, key)
		})
	}
}

// expected returns the properties that the node should have.
func (n *checkedNode) expected(team string) Properties {
	p := n.clone()
	p.putUnless(p["vector_scope"] == nil, "vector_scope", searchscope.Owner(team, n.user()))
	if n.isDated() {
		(&stored{n.kind, p}).putSearchScope(team)
	}
	p.dropHiddenMentions()
	natural := naturalKey(n.kind, p)
	p.putUnless(natural == "", "natural_key", natural)
	if n.kind == PersonKind {
		p.putUnless(!n.owns(), "owner_of", n.user())
	}
	if value, ok := p["salience"]; ok {
		salience, isNumber := value.(float64)
		switch {
		case !isNumber || math.IsNaN(salience):
			p["salience"] = DefaultSalience
		case salience < 0 || salience > 1:
			p["salience"] = min(1, max(0, salience))
		}
	}
	return p
}

// was returns the kind that the node had when its natural key was made. The kind of a node never changes.
func (n *checkedNode) was() (Kind, bool) {
	name, _, _ := strings.Cut(n.Text("natural_key"), KeySeparator)
	return KindOf(name)
}

// kind reports a node without a kind, with several kinds, or with a different kind than before. The repair restores its former
// kind.
func (c *checker) kind(ctx context.Context, f Finding, n *checkedNode) error {
	f.Check, f.Detail = "kind", "has the kind labels "+strings.Join(n.kinds, ", ")
	if len(n.kinds) == 0 {
		f.Detail = "has no kind label"
	}
	kind, known := n.was()
	if !known {
		f.Advice = "its former kind is unknown: set the label of one kind by hand, or delete it"
		return c.report(ctx, f, nil)
	}
	return c.report(ctx, f, c.run(setLabel, map[string]any{
		"team_id": f.TeamID, "entity_key": f.Key, "label": kind.Label,
		"others": slices.DeleteFunc(slices.Clone(n.kinds), func(l string) bool { return l == kind.Label }),
	}))
}

// references reports keys of nodes that do not exist.
func (c *checker) references(ctx context.Context, p checkedPage) error {
	var named []string
	for i := range p.nodes {
		named = append(named, p.nodes[i].Text("anchor_key"))
	}
	named = slices.DeleteFunc(Distinct(named), func(key string) bool { return key == "" })
	if len(named) == 0 {
		return nil
	}
	missing, err := findMissing.ReadOne(ctx, c.store.db, map[string]any{"team_id": p.team, "entity_keys": named})
	if err != nil {
		return err
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if !slices.Contains(missing, n.Text("anchor_key")) {
			continue
		}
		f := Finding{Check: "reference", TeamID: p.team, Kind: n.kind.Name, Key: n.key(), Detail: "anchor_key names a node that does not exist",
			Advice: "write the missing node, or delete this one"}
		if err := c.report(ctx, f, nil); err != nil {
			return err
		}
	}
	return nil
}
