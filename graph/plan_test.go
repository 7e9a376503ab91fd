package graph

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher"
)

// operator is one step of a plan with what is under it.
type operator struct {
	name, details string
	hits          int64
	children      []operator
}

// each visits the plan from the top, with whether a Limit stands above.
func (o operator) each(limited bool, visit func(o operator, limited bool)) {
	visit(o, limited)
	limited = limited || strings.HasPrefix(o.name, "Limit")
	for _, c := range o.children {
		c.each(limited, visit)
	}
}

func (o operator) String() string {
	var text strings.Builder
	var write func(o operator, indent string)
	write = func(o operator, indent string) {
		fmt.Fprintf(&text, "%s%s (%d) %s\n", indent, o.name, o.hits, o.details)
		for _, c := range o.children {
			write(c, indent+"  ")
		}
	}
	write(o, "")
	return text.String()
}

// explain asks for the plan of a statement as the store would run it.
func (e *env) explain(q cypher.Query) operator {
	e.Helper()
	summary := e.summary("EXPLAIN ", q)
	return planned(summary.Plan())
}

func planned(p neo4j.Plan) operator {
	o := operator{name: strings.TrimSuffix(p.Operator(), "@neo4j"), details: fmt.Sprint(p.Arguments()["Details"])}
	for _, c := range p.Children() {
		o.children = append(o.children, planned(c))
	}
	return o
}

func profiled(p neo4j.ProfiledPlan) operator {
	o := operator{name: strings.TrimSuffix(p.Operator(), "@neo4j"), details: fmt.Sprint(p.Arguments()["Details"]), hits: p.DbHits()}
	for _, c := range p.Children() {
		o.children = append(o.children, profiled(c))
	}
	return o
}

func (e *env) summary(prefix string, q cypher.Query) neo4j.ResultSummary {
	e.Helper()
	mode := neo4j.AccessModeRead
	if q.Write {
		mode = neo4j.AccessModeWrite
	}
	session := e.store.session(e.Context(), mode)
	defer func() { _ = session.Close(e.Context()) }()
	result, err := session.Run(e.Context(), prefix+q.Text, e.params(q))
	if err != nil {
		e.Fatalf("%s: %v", q.Name, err)
	}
	summary, err := result.Consume(e.Context())
	if err != nil {
		e.Fatalf("%s: %v", q.Name, err)
	}
	return summary
}

// params are values of the right types for a statement's parameters.
func (e *env) params(q cypher.Query) map[string]any {
	e.Helper()
	row := map[string]any{
		"from": "me", "to": "n-1", "type": "thinks_about", "key": "k", "valid_to": nil, "label": "Concept", "entity_key": "n-1",
		"properties": map[string]any{"name": "x"}, "value": `"v"`,
	}
	known := map[string]any{
		"team_id": e.team, "user_id": "u", "week_ago": weekAgo, "now": noon, "started_at": noon, "limit": 10, "from": 0, "version": 1,
		"entity_key": "n-1", "source_key": "s-1", "key_id": "k", "focus_key": "n-1", "focus_label": "Concept",
		"entity_keys": []string{"n-1", "n-2"}, "natural_keys": []string{"x"}, "owner_users": []string{"u"},
		"rows": []map[string]any{row}, "pairs": []map[string]any{row}, "properties": map[string]any{"hash": "x"},
	}
	params := map[string]any{}
	for _, name := range q.Params {
		value, ok := known[name]
		if !ok {
			e.Fatalf("%s: the test knows no value for $%s", q.Name, name)
		}
		params[name] = value
	}
	return params
}

// statements are all of them, and those that contexts are composed of.
func (e *env) statements() []cypher.Query {
	var all []cypher.Query
	for _, name := range cypher.Names() {
		all = append(all, cypher.Load(name))
	}
	for _, sections := range [][]Section{AllSections, append(slices.Clone(AllSections), FocusSection)} {
		q := e.store.combined(sections)
		q.Name = fmt.Sprintf("context of %d sections", len(sections))
		all = append(all, q)
	}
	return all
}

// scans are operators whose cost grows with the database, not with what is asked for.
var scans = regexp.MustCompile(`AllNodesScan|NodeByLabelScan|NodeIndexScan|NodeUniqueIndexScan|UnionNodeByLabelsScan|CartesianProduct|` +
	`AllRelationshipsScan|RelationshipTypeScan|RelationshipTypesScan|RelationshipIndexScan|NodeIndexContains|NodeIndexEndsWith`)

// allowed are the scans that are meant: keys of all teams are listed by their number, and there are a thousand at most
// in an answer that only an administrator asks for.
var allowed = map[string]string{"api_key_list": "NodeByLabelScan"}

// ordered are the sections that are read in the order of an index, with the number of their walks.
var ordered = map[string]int{
	"context_core_beliefs": 1, "context_primary_goals": 2, "context_relationships": 7, "context_sources": 1,
	"context_last_conversation": 1, "context_preferences": 1, "message_list": 1, "context of 7 sections": 13, "context of 8 sections": 13,
}

// checkPlans looks at the plan of every statement.
func (e *env) checkPlans(when string) {
	e.Helper()
	e.raw("CALL db.prepareForReplanning()")
	for _, q := range e.statements() {
		plan := e.explain(q)
		walks := 0
		plan.each(false, func(o operator, limited bool) {
			if found := scans.FindString(o.name); found != "" && allowed[q.Name] != found {
				e.Errorf("%s: %s has %s:\n%s", when, q.Name, o.name, plan)
			}
			if strings.Contains(o.name, "IndexSeek") && limited {
				walks++
			}
		})
		if want, is := ordered[q.Name]; is {
			e.checkOrder(when, q, plan, walks, want)
		}
	}
}

// checkOrder wants every walk of an index under a Limit of its own, and nothing between the two that reads all before
// it gives the first: then the index has the order.
func (e *env) checkOrder(when string, q cypher.Query, plan operator, walks, want int) {
	e.Helper()
	limits := 0
	plan.each(false, func(o operator, _ bool) {
		if !strings.HasPrefix(o.name, "Limit") {
			return
		}
		inner := o.children[0]
		for {
			if strings.Contains(inner.name, "IndexSeek") {
				limits++
				return
			}
			if len(inner.children) != 1 || !slices.Contains([]string{"Filter", "Projection", "CacheProperties"}, inner.name) {
				return
			}
			inner = inner.children[0]
		}
	})
	_ = walks
	if limits < want {
		e.Errorf("%s: %s has %d walks in the order of an index, not %d:\n%s", when, q.Name, limits, want, plan)
	}
}

// huge gives a user of the team as many relationships, beliefs, goals and conversations.
func (e *env) huge(user string, degree int) {
	e.Helper()
	e.write(user, []NodeWrite{owner1("me")})
	const batch = 2500
	for start := 0; start < degree; start += batch {
		var nodes []NodeWrite
		var links []RelationshipWrite
		for i := start; i < min(start+batch, degree); i++ {
			key := fmt.Sprintf("n-%d", i)
			n := node("concept", key, float64(i%97)/100, inState([]string{"core", "active"}[i%2]), accessed(noon), described("goal"))
			n.TTLPolicy = Some([]string{"keep_forever", "decay"}[i/2%2])
			nodes = append(nodes, n)
			links = append(links, link("me", contextTypes[i%7], key, float64(i%89)/100))
		}
		e.write(user, nodes, links...)
	}
	for i := range min(degree/10, 300) {
		w := SourceWrite{EntityKey: fmt.Sprintf("s-%d", i), Summary: Some("x")}
		for m := range 5 {
			w.Mentions = append(w.Mentions, fmt.Sprintf("n-%d", (i*7+m)%degree))
		}
		e.source(user, w)
	}
}

// walkHits are the database hits of the index walks for relationships.
func (e *env) walkHits(user string) (hits int64) {
	e.Helper()
	q := cypher.Load("context_relationships")
	session := e.store.session(e.Context(), neo4j.AccessModeRead)
	defer func() { _ = session.Close(e.Context()) }()
	params := e.params(q)
	params["user_id"] = user
	result, err := session.Run(e.Context(), "PROFILE "+q.Text, params)
	if err != nil {
		e.Fatal(err)
	}
	summary, err := result.Consume(e.Context())
	if err != nil {
		e.Fatal(err)
	}
	plan := profiled(summary.Profile())
	plan.each(false, func(o operator, _ bool) {
		if strings.Contains(o.name, "RelationshipIndexSeek") && strings.Contains(o.details, "owner_key") {
			hits += o.hits
		}
	})
	if hits == 0 {
		e.Fatalf("no walks in:\n%s", plan)
	}
	return hits
}
