package traverse

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
)

// bothWays follows all relationships except those to messages.
var bothWays = Walk{Outgoing: true, Incoming: true}

// around returns the links of nodes, each as from>to or from<to.
func (e *env) around(user string, w Walk, kinds []graph.Kind, keys ...string) string {
	e.Helper()
	found, err := e.walkStore.Around(e.Context(), e.As(user), w, keys, kinds, 100, e.Now)
	if err != nil {
		e.Fatal(err)
	}
	var all []string
	for _, a := range found {
		if len(a.Links) == 0 {
			all = append(all, a.Key)
		}
		for _, l := range a.Links {
			arrow := map[bool]string{true: ">", false: "<"}[l.Outgoing]
			if l.Wanted {
				arrow += "!"
			}
			all = append(all, a.Key+arrow+l.To)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// edges returns the same walk in short form: from-to.
func (e *env) edges(user string, w Walk, keys ...string) string {
	e.Helper()
	found, err := e.walkStore.Edges(e.Context(), e.As(user), w, keys, 100, e.Now)
	if err != nil {
		e.Fatal(err)
	}
	var all []string
	for _, a := range found {
		if len(a.Ends) != len(a.Strengths) {
			e.Fatalf("%d ends and %d strengths", len(a.Ends), len(a.Strengths))
		}
		if len(a.Ends) == 0 {
			all = append(all, a.Key)
		}
		for _, end := range a.Ends {
			all = append(all, a.Key+"-"+end)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// walks compares both ways to walk from some nodes.
func (e *env) walks(what, user string, w Walk, want string, keys ...string) {
	e.Helper()
	e.Same(what+": around", want, strings.ReplaceAll(e.around(user, w, nil, keys...), "!", ""))
	short := strings.Fields(strings.NewReplacer(">", "-", "<", "-").Replace(want))
	slices.Sort(short)
	e.Same(what+": edges", strings.Join(short, " "), e.edges(user, w, keys...))
}

// web gives u1 nodes of several kinds around a, relationships of two types, a past one, and a source with a message.
func (e *env) web() {
	e.Helper()
	e.Write("u1", []graph.NodeWrite{
		node("concept", "a", 0.5), node("concept", "b", 0.6), node("person", "p", 0.7), node("entity", "shared", 0.8, shared), node("concept", "past", 0.9),
	}, link("a", "relates_to", "b", 0.5), link("p", "thinks_about", "a", 0.4), link("a", "involves", "shared", 0.3), link("a", "relates_to", "past", 0.9))
	e.Now = e.Now.Add(time.Hour)
	e.Write("u1", nil, closed("a", "relates_to", "past", e.Now))
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m1", "x"), said("m2", "y")}, Mentions: []string{"a"}})
}

func TestWalkDirectionsAndTypes(t *testing.T) {
	e := fresh(t)
	e.web()
	for what, c := range map[string]struct {
		walk Walk
		keys string
		want string
	}{
		"outgoing":                   {Walk{Outgoing: true}, "a", "a>b a>shared"},
		"incoming":                   {Walk{Incoming: true}, "a", "a<p a<s"},
		"both":                       {bothWays, "a", "a<p a<s a>b a>shared"},
		"neither":                    {Walk{}, "a", "a"},
		"several nodes":              {Walk{Outgoing: true}, "p a b", "a>b a>shared b p>a"},
		"a type":                     {Walk{Outgoing: true, Incoming: true, Types: []string{"relates_to"}}, "a", "a>b"},
		"types":                      {Walk{Outgoing: true, Incoming: true, Types: []string{"relates_to", "thinks_about"}}, "a", "a<p a>b"},
		"a type that nothing has":    {Walk{Outgoing: true, Types: []string{"of_nothing_at_all"}}, "a", "a"},
		"without a type":             {Walk{Outgoing: true, Incoming: true, Without: []string{"relates_to"}}, "a", "a<p a<s a>shared"},
		"without a type of nothing":  {Walk{Outgoing: true, Without: []string{"of_nothing_at_all"}}, "a", "a>b a>shared"},
		"a type without another":     {Walk{Outgoing: true, Types: []string{"relates_to", "involves"}, Without: []string{"involves"}}, "a", "a>b"},
		"no messages":                {bothWays, "s", "s>a"},
		"messages":                   {Walk{Outgoing: true, Incoming: true, Messages: true}, "s", "s>a s>m1 s>m2"},
		"messages by type":           {Walk{Outgoing: true, Types: []string{"has_message"}}, "s", "s>m1 s>m2"},
		"messages, without a type":   {Walk{Outgoing: true, Messages: true, Without: []string{"mentions"}}, "s", "s>m1 s>m2"},
		"no messages, without types": {Walk{Outgoing: true, Without: []string{"mentions"}}, "s", "s"},
		"of a message":               {Walk{Incoming: true, Messages: true}, "m1", "m1<s"},
		"one that is not there":      {bothWays, "gone", ""},
		"some that are not there":    {Walk{Outgoing: true}, "gone p", "p>a"},
	} {
		e.walks(what, "u1", c.walk, c.want, strings.Fields(c.keys)...)
	}
	e.Same("no type is left", "a", e.around("u1", Walk{Outgoing: true, Types: []string{"involves"}, Without: []string{"involves"}}, nil, "a", "gone"))
}

// Nodes of other kinds are returned too: they may be on the way to requested ones.
func TestWalkKinds(t *testing.T) {
	e := fresh(t)
	e.web()
	for kinds, want := range map[string]string{
		"":               "a<!p a<!s a>!b a>!shared",
		"person":         "a<!p a<s a>b a>shared",
		"entity concept": "a<p a<s a>!b a>!shared",
		"task":           "a<p a<s a>b a>shared",
	} {
		var list []graph.Kind
		for _, name := range strings.Fields(kinds) {
			k, _ := graph.KindOf(name)
			list = append(list, k)
		}
		e.Same("of kinds "+kinds, want, e.around("u1", bothWays, list, "a"))
	}
}

// Past relationships are not followed, and have no details; a reopened one is followed.
func TestWalkIsOfTheCurrent(t *testing.T) {
	e := fresh(t)
	e.web()
	e.walks("a past one", "u1", Walk{Outgoing: true, Types: []string{"relates_to"}}, "a>b", "a")
	e.walks("from its end", "u1", bothWays, "past", "past")
	e.Same("in full", "nil", e.stepped("u1", bothWays, Wish{From: "a", To: "past"}))
	e.Write("u1", nil, link("a", "relates_to", "past", 0.2))
	e.walks("open again", "u1", Walk{Outgoing: true, Types: []string{"relates_to"}}, "a>b a>past", "a")
	e.Same("in full", "a relates_to past 0.2 of past, outgoing", e.stepped("u1", bothWays, Wish{From: "a", To: "past"}))
}

// stepped returns the details of steps, each as its relationship, the node to which it leads, and the direction.
func (e *env) stepped(user string, w Walk, wishes ...Wish) string {
	e.Helper()
	steps, err := e.walkStore.Steps(e.Context(), e.As(user), w, wishes, e.Now)
	if err != nil {
		e.Fatal(err)
	}
	all := make([]string, len(steps))
	for i, s := range steps {
		if all[i] = "nil"; s != nil {
			r := &s.Relationship
			all[i] = fmt.Sprint(r.From, " ", r.Type, " ", r.To, " ", r.Salience, " of ", s.Node.EntityKey, ", ", r.Direction)
		}
	}
	return strings.Join(all, "; ")
}

func TestWalkSteps(t *testing.T) {
	e := fresh(t)
	e.web()
	result := e.Write("u1", nil, link("b", "relates_to", "a", 0.3), link("a", "thinks_about", "b", 0.8))
	yes, no := true, false
	for what, c := range map[string]struct {
		walk Walk
		wish Wish
		want string
	}{
		"the most salient":           {bothWays, Wish{From: "a", To: "b"}, "a thinks_about b 0.8 of b, outgoing"},
		"from the other end":         {bothWays, Wish{From: "b", To: "a"}, "a thinks_about b 0.8 of a, incoming"},
		"of a type":                  {Walk{Types: []string{"relates_to"}}, Wish{From: "a", To: "b"}, "a relates_to b 0.4996 of b, outgoing"},
		"without a type":             {Walk{Without: []string{"thinks_about"}}, Wish{From: "a", To: "b"}, "a relates_to b 0.4996 of b, outgoing"},
		"back":                       {bothWays, Wish{From: "a", To: "b", Outgoing: &no}, "b relates_to a 0.3 of b, incoming"},
		"forth":                      {bothWays, Wish{From: "b", To: "a", Outgoing: &yes}, "b relates_to a 0.3 of a, outgoing"},
		"by key":                     {bothWays, Wish{From: "a", To: "b", Key: result.Relationships[0].Key}, "b relates_to a 0.3 of b, incoming"},
		"by key, the wrong way":      {bothWays, Wish{From: "a", To: "b", Key: result.Relationships[0].Key, Outgoing: &yes}, "nil"},
		"by a key of others":         {bothWays, Wish{From: "p", To: "a", Key: result.Relationships[0].Key}, "nil"},
		"between what is not linked": {bothWays, Wish{From: "p", To: "b"}, "nil"},
		"from what is not there":     {bothWays, Wish{From: "gone", To: "b"}, "nil"},
		"to what is not there":       {bothWays, Wish{From: "a", To: "gone"}, "nil"},
		"a message":                  {Walk{Messages: true}, Wish{From: "s", To: "m1"}, "s has_message m1 0 of m1, outgoing"},
		"a message by its type":      {Walk{Types: []string{"has_message"}}, Wish{From: "s", To: "m1"}, "s has_message m1 0 of m1, outgoing"},
		"no message":                 {bothWays, Wish{From: "s", To: "m1"}, "nil"},
		"no type is left":            {Walk{Types: []string{"involves"}, Without: []string{"involves"}}, Wish{From: "a", To: "b"}, "nil"},
	} {
		e.Same(what, c.want, e.stepped("u1", c.walk, c.wish))
	}
	e.Same("each in its place", "nil; p thinks_about a 0.3997 of a, outgoing; nil; a involves shared 0.2998 of shared, outgoing",
		e.stepped("u1", bothWays, Wish{From: "gone", To: "a"}, Wish{From: "p", To: "a"}, Wish{From: "a", To: "past"}, Wish{From: "a", To: "shared"}))
	e.Same("none", "", e.stepped("u1", bothWays))
}

// nodesByKey returns the nodes of keys, in the order received.
func (e *env) nodesByKey(user string, keys ...string) string {
	e.Helper()
	nodes, err := e.walkStore.NodesByKey(e.Context(), e.As(user), keys)
	if err != nil {
		e.Fatal(err)
	}
	var all []string
	for i := range nodes {
		all = append(all, nodes[i].Kind+" "+nodes[i].EntityKey)
	}
	return strings.Join(all, ", ")
}

func TestWalkNodes(t *testing.T) {
	e := fresh(t)
	e.web()
	e.Same("in the order of the keys", "message m2, entity shared, source s, concept a, person p", e.nodesByKey("u1", "m2", "shared", "gone", "s", "a", "p"))
	e.Same("none", "", e.nodesByKey("u1"))
	e.Remove("u1", "concept", "a")
	e.Same("a deleted one", "concept b", e.nodesByKey("u1", "a", "b"))
	e.walks("from a deleted one", "u1", bothWays, "b", "a", "b")
	e.Same("to a deleted one", "nil", e.stepped("u1", bothWays, Wish{From: "p", To: "a"}))
}

// Data of other users is neither returned nor walked through; shared nodes and sources with the user as a participant
// are.
func TestWalkIsolated(t *testing.T) {
	e := fresh(t)
	e.web()
	e.Write("u2", []graph.NodeWrite{node("concept", "theirs", 0.5), node("entity", "shared2", 0.5, shared)},
		link("theirs", "relates_to", "shared", 0.9), link("theirs", "relates_to", "shared2", 0.9), link("shared", "relates_to", "shared2", 0.1))
	e.Source("u2", graph.SourceWrite{EntityKey: "met", Participants: []string{"u1"}, Messages: []graph.MessageWrite{said("m3", "z")}, Mentions: []string{"shared", "theirs"}})
	other := e.neighbour()
	other.web()

	messages := Walk{Outgoing: true, Incoming: true, Messages: true}
	for _, c := range []struct{ user, keys, want string }{
		{"u1", "shared", "shared<a shared<met shared>shared2"},
		{"u2", "shared", "shared<met shared<theirs shared>shared2"},
		{"", "shared", "shared>shared2"},
		{"u3", "shared", "shared>shared2"},
		{"u2", "a", ""},
		{"", "a theirs s", ""},
		{"u1", "theirs", ""},
		{"u1", "met", "met>shared"}, // without its messages
		{"u2", "met", "met>m3 met>shared met>theirs"},
		{"u1", "m3", ""},
		{"u2", "s m1", ""},
		{"u1", "theirs shared2 gone", "shared2<shared"},
	} {
		e.walks(c.user+" around "+c.keys, c.user, messages, c.want, strings.Fields(c.keys)...)
	}
	for _, wish := range []Wish{{From: "shared", To: "theirs"}, {From: "theirs", To: "shared"}, {From: "met", To: "theirs"}, {From: "met", To: "m3"}} {
		e.Same(wish.From+" to "+wish.To, "nil", e.stepped("u1", messages, wish))
		e.Same(wish.From+" to "+wish.To+" for the team", "nil", e.stepped("", messages, wish))
	}
	e.Same("nodes", "entity shared, source met", e.nodesByKey("u1", "theirs", "m3", "shared", "met"))
	e.Same("nodes of the team", "entity shared", e.nodesByKey("", "a", "theirs", "m3", "shared", "met", "s", "m1"))
	other.walks("from another team", "u2", messages, "", "theirs", "met", "shared2")
	other.Same("nodes from another team", "", other.nodesByKey("u2", "theirs", "met", "shared2"))
	other.Same("steps from another team", "nil", other.stepped("u2", messages, Wish{From: "theirs", To: "shared"}))
	e.neighbour().walks("of an empty team", "u1", messages, "", "a", "shared")
}

// A relationship between teams would be an inconsistency in the database. A walk does not follow it.
func TestWalkStaysInItsTeam(t *testing.T) {
	e := fresh(t)
	e.web()
	other := e.neighbour()
	other.Write("u1", []graph.NodeWrite{node("concept", "elsewhere", 0.5)})
	cross := func(change string) {
		e.Raw(`MATCH (a:Memory {team_id: $team, entity_key: 'b'}), (z:Memory {team_id: '` + other.Team + `', entity_key: 'elsewhere'}) ` + change)
	}
	cross(`CREATE (a)-[:relates_to {team_id: $team, key: 'x', salience: 1.0, made_by_test: true}]->(z)`)
	t.Cleanup(func() { cross(`MATCH (a)-[r]->(z) DELETE r`) })
	e.walks("over the border", "u1", bothWays, "b<a", "b")
	other.walks("back over it", "u1", bothWays, "elsewhere", "elsewhere")
	e.Same("in full", "nil", e.stepped("u1", bothWays, Wish{From: "b", To: "elsewhere"}))
	cross(`MATCH (a)-[r]->(z) DELETE r`)
}

// A hub is examined up to a limit, which applies to all relationships that the caller may see, in both directions
// together.
func TestWalkCutsHubs(t *testing.T) {
	e := fresh(t)
	nodes, links := []graph.NodeWrite{node("entity", "hub", 0.5, shared), node("concept", "small", 0.5)}, []graph.RelationshipWrite{link("small", "relates_to", "hub", 0.5)}
	for i := range 20 {
		key := fmt.Sprint("n", i)
		nodes = append(nodes, node("concept", key, 0.5))
		if links = append(links, link("hub", "relates_to", key, 0.5)); i%2 > 0 {
			links[len(links)-1] = link(key, "relates_to", "hub", 0.5)
		}
	}
	e.Write("u1", nodes, links...)
	for _, c := range []struct {
		user          string
		walk          Walk
		each          int
		looked, found int
		cut           bool
	}{
		{"u1", bothWays, 100, 21, 21, false},
		{"u1", bothWays, 12, 12, 12, true},
		{"u1", Walk{Outgoing: true}, 7, 7, 7, true},
		{"u1", Walk{Outgoing: true}, 100, 10, 10, false},
		{"u2", bothWays, 12, 0, 0, false},
		{"", bothWays, 100, 0, 0, false},
	} {
		what := fmt.Sprintf("%d each of %+v for %q", c.each, c.walk, c.user)
		around, err := e.walkStore.Around(t.Context(), e.As(c.user), c.walk, []string{"hub"}, nil, c.each, e.Now)
		if err != nil || len(around) != 1 {
			t.Fatal(around, err)
		}
		e.Same(what, []any{c.looked, c.found, c.cut}, []any{around[0].Looked, len(around[0].Links), around[0].Cut})
		edges, err := e.walkStore.Edges(t.Context(), e.As(c.user), c.walk, []string{"hub"}, c.each, e.Now)
		if err != nil || len(edges) != 1 {
			t.Fatal(edges, err)
		}
		e.Same(what, []any{c.looked, c.found, c.cut}, []any{edges[0].Looked, len(edges[0].Ends), edges[0].Cut})
	}
	// Each node has its own limit.
	around, err := e.walkStore.Around(t.Context(), e.As("u1"), Walk{Outgoing: true}, []string{"hub", "small"}, nil, 5, e.Now)
	if err != nil {
		t.Fatal(err)
	}
	looked := map[string]int{}
	for _, a := range around {
		looked[a.Key] = a.Looked
	}
	e.Same("each", map[string]int{"hub": 5, "small": 1}, looked)
}

// Strength and salience are current at the time of the walk, as in other answers.
func TestWalkStrengthDecays(t *testing.T) {
	e := fresh(t)
	fading := link("a", "relates_to", "b", 0.8)
	fading.Confidence, fading.State = graph.Some(0.2), graph.Some("candidate")
	sure := link("a", "relates_to", "kept", 0.4)
	sure.State = graph.Some("candidate")
	e.Write("u1", []graph.NodeWrite{
		node("concept", "a", 0.5), node("concept", "b", 0.7, func(w *graph.NodeWrite) { w.TTLPolicy = graph.Some("decay") }),
		node("concept", "kept", 0.6, func(w *graph.NodeWrite) { w.TTLPolicy = graph.Some("keep_forever") }),
	}, fading, sure) // does not decay
	last := math.Inf(1)
	for _, days := range []int{-1, 0, 10, 100} {
		e.Now = noon.AddDate(0, 0, days)
		around, err := e.walkStore.Around(t.Context(), e.As("u1"), bothWays, []string{"a"}, nil, 100, e.Now)
		if err != nil || len(around) != 1 || len(around[0].Links) != 2 {
			t.Fatal(around, err)
		}
		edges, err := e.walkStore.Edges(t.Context(), e.As("u1"), bothWays, []string{"a"}, 100, e.Now)
		if err != nil || len(edges) != 1 {
			t.Fatal(edges, err)
		}
		steps, err := e.walkStore.Steps(t.Context(), e.As("u1"), bothWays, []Wish{{From: "a", To: "b"}, {From: "a", To: "kept"}}, e.Now)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range around[0].Links {
			step := steps[slices.Index([]string{"b", "kept"}, l.To)]
			e.Same(fmt.Sprint(l.To, " after ", days), []float64{step.Relationship.Salience, step.Node.Salience}, []float64{shown(l.Strength), shown(l.Salience)})
			e.Same("edge", l.Strength, edges[0].Strengths[slices.Index(edges[0].Ends, l.To)])
			switch {
			case l.To == "kept":
				e.Same("kept", []float64{0.4, 0.6}, []float64{l.Strength, l.Salience})
			case l.Strength > last || days > 0 && l.Strength == last:
				t.Errorf("after %d days %v, before %v", days, l.Strength, last)
			default:
				last = l.Strength
			}
		}
	}
	if last > 0.4 || last < 0 {
		t.Errorf("after 100 days %v is left of 0.8", last)
	}
}

// shown returns a salience as answers show it.
func shown(salience float64) float64 { return math.Round(salience*1e4) / 1e4 }
