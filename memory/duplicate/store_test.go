package duplicate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/erasure"
	"kith/memory/feed"
	"kith/tests/graphtest"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// env is a team, and a worker that looks when the test says so.
type env struct {
	*graphtest.Env
	store  *Store
	worker *Worker
	counts map[string]int64
}

func fresh(t *testing.T, merge float64) *env {
	t.Helper()
	e := &env{Env: graphtest.New(t), counts: map[string]int64{}}
	e.store = NewStore(e.Store, feed.NewStore(e.Store))
	e.worker = e.newWorker(merge)
	return e
}

func (e *env) newWorker(merge float64) *Worker {
	w := NewWorker(e.store, Options{Merge: merge, Every: 1, Observe: func(what string, count int64) { e.counts[what] += count }})
	w.held = time.Now().Add(time.Hour) // other tests have workers too
	return w
}

// look has the worker look at the team, and returns how many nodes it compared.
func (e *env) look() int64 {
	e.Helper()
	e.counts[Compared] = 0
	for e.lookOnce() {
	}
	return e.counts[Compared]
}

// lookOnce reports whether more is left.
func (e *env) lookOnce() (more bool) {
	e.Helper()
	rows, err := findProgress.Read(e.Context(), e.Store.DB(), map[string]any{"teams": []string{e.Team}, "limit": 1})
	for _, p := range rows {
		if err == nil {
			more, err = e.worker.look(e.Context(), p, time.Now().Add(time.Hour))
		}
	}
	if err != nil {
		e.Fatal(err)
	}
	return more
}

// waits reports whether the team is among those with something to look at.
func (e *env) waits() bool {
	e.Helper()
	teams, err := findTeams.Read(e.Context(), e.Store.DB(), map[string]any{"after": e.Team[:len(e.Team)-1], "limit": 1000})
	if err != nil {
		e.Fatal(err)
	}
	return slices.Contains(teams, e.Team)
}

// list returns the keys of the listed pairs.
func (e *env) list(user string, q Query) []string {
	e.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	page, err := e.store.Proposals(e.Context(), e.As(user), q)
	if err != nil {
		e.Fatal(err)
	}
	pairs := []string{}
	for _, p := range page.Proposals {
		keys := []string{p.Nodes[0].EntityKey, p.Nodes[1].EntityKey}
		slices.Sort(keys)
		pairs = append(pairs, strings.Join(keys, " "))
	}
	return pairs
}

func named(kind, key, name string, aliases ...string) graph.NodeWrite {
	w := graphtest.Node(kind, key, 0.5)
	w.Name = graph.Some(name)
	if len(aliases) > 0 {
		w.OwnFields = &graph.OwnFields{Aliases: graph.Some(aliases)}
	}
	return w
}

func TestProposals(t *testing.T) {
	e := fresh(t, 0)
	e.Write("u1", []graph.NodeWrite{
		named("person", "bob", "Bob Miller"), named("person", "robert", "Robert Miller"), named("person", "olga", "Olga Petrova"),
		named("entity", "acme", "Acme Inc."), named("entity", "acme2", "ACME Holding"), named("concept", "acme3", "Acme Ltd"),
	})
	e.Write("u2", []graph.NodeWrite{named("person", "bob2", "Bobby Miller"), named("entity", "acme4", "Acme GmbH")})
	e.Write("u2", []graph.NodeWrite{named("entity", "team", "Acme Corp", "ACME Corporation")}, nil...)
	e.look()
	e.Same("of the first user", []string{"acme acme2", "bob robert"}, e.list("u1", Query{}))
	e.Same("persons", []string{"bob robert"}, e.list("u1", Query{Kind: "person"}))
	e.Same("probable ones", []string{"acme acme2"}, e.list("u1", Query{MinProbability: 0.95}))
	e.Same("of the second user", []string{"acme4 team"}, e.list("u2", Query{}))
	e.Same("of the team", []string{}, e.list("", Query{}))
	e.Same("of another team", []string{}, (&env{Env: e.Neighbour(), store: e.store}).list("u1", Query{}))

	page, err := e.store.Proposals(e.Context(), e.As("u1"), Query{Limit: 1})
	if err != nil || page.Next == "" || *page.Proposals[0].Probability < 0.95 || len(page.Proposals[0].Reasons) == 0 {
		t.Errorf("first page: %+v, %v", page, err)
	}
	e.Same("second page", []string{"bob robert"}, e.list("u1", Query{Limit: 1, Cursor: page.Next}))
	if _, err := e.store.Proposals(e.Context(), e.As("u1"), Query{Limit: 1, Refused: true, Cursor: page.Next}); err == nil {
		t.Error("a cursor of another list is accepted")
	}
}

func TestOnlyChangesAreLookedAt(t *testing.T) {
	e := fresh(t, 0)
	e.Write("u1", []graph.NodeWrite{named("person", "bob", "Bob Miller"), named("person", "olga", "Olga Petrova"), named("concept", "sea", "Sea")})
	e.Same("a new team waits", true, e.waits())
	e.look()
	e.Same("looked through", false, e.waits())
	e.Same("nothing has changed", int64(0), e.look())
	e.Write("u1", []graph.NodeWrite{named("person", "robert", "Robert Miller")})
	e.Same("changed", true, e.waits())
	e.Same("one was written", int64(1), e.look())
	e.Same("it meets an old one", []string{"bob robert"}, e.list("u1", Query{}))
	e.Write("u1", []graph.NodeWrite{named("person", "robert", "Gustav Klimt")})
	e.look()
	e.Same("another name", []string{}, e.list("u1", Query{}))
	e.Write("u1", []graph.NodeWrite{named("person", "robert", "Robert Miller")})
	e.look()
	e.Remove("u1", "person", "bob")
	e.Same("deleted, before the next look", []string{}, e.list("u1", Query{}))
	e.look()
	e.Same("stored", int64(0), e.Raw(`MATCH (d:Duplicate {team_id: $team}) RETURN count(d)`)[0][0])
	if _, err := e.Store.RestoreNode(e.Context(), e.As("u1"), graph.PersonKind, "bob"); err != nil {
		t.Fatal(err)
	}
	e.look()
	e.Same("restored", []string{"bob robert"}, e.list("u1", Query{}))
}

// TestFirstLook looks at a team that was written before, page by page.
func TestFirstLook(t *testing.T) {
	e := fresh(t, 0)
	nodes := []graph.NodeWrite{named("person", "z1", "Bob Miller"), named("person", "a1", "Robert Miller")}
	for i := range 600 {
		nodes = append(nodes, graphtest.Node("concept", fmt.Sprintf("c%03d", i), 0.5))
	}
	for some := range slices.Chunk(nodes, 200) {
		e.Write("u1", some)
	}
	now := time.Now()
	e.worker.now = func() time.Time { return now }
	e.worker.compare = func(ctx context.Context, team string, b batch) ([]found, error) {
		now = now.Add(teamShare)
		return e.store.examine(ctx, team, b)
	}
	r := newRound(now)
	for range 2 { // the second time it waits for the next turn
		if err := e.worker.lookAt(e.Context(), []string{e.Team}, r); err != nil {
			t.Fatal(err)
		}
		e.Same("more is left after its share", []any{true, int64(examineBatch)}, []any{r.left, e.counts[Compared]})
	}
	e.Same("it waits", true, e.waits())
	e.look()
	e.Same("proposals", []string{"a1 z1"}, e.list("u1", Query{Kind: "person"}))
	e.Raw(`MATCH (l:DuplicateLook {team_id: $team}) SET l.next_seq = 2`) // older than what is kept
	e.look()
	if n := e.look(); n < 602 {
		t.Errorf("looked at %d nodes anew", n)
	}
	e.Same("then nothing", int64(0), e.look())
}

func TestOneSourceTellsApart(t *testing.T) {
	e := fresh(t, 0)
	e.Write("u1", []graph.NodeWrite{named("person", "bob", "Bob Miller"), named("person", "robert", "Robert Miller")})
	e.Source("u1", graph.SourceWrite{EntityKey: "s1", Mentions: []string{"bob"}})
	e.Source("u1", graph.SourceWrite{EntityKey: "s2", Mentions: []string{"robert"}})
	e.look()
	e.Same("two sources", []string{"bob robert"}, e.list("u1", Query{}))
	e.Source("u1", graph.SourceWrite{EntityKey: "s3", Mentions: []string{"bob", "robert"}})
	e.look()
	e.Same("one source", []string{}, e.list("u1", Query{}))
}

func TestLinkedNodesAreTwo(t *testing.T) {
	e := fresh(t, 0)
	e.Write("u1", []graph.NodeWrite{named("person", "bob", "Bob Miller"), named("person", "robert", "Robert Miller")})
	e.look()
	e.Same("apart", []string{"bob robert"}, e.list("u1", Query{}))
	e.Write("u1", nil, graph.RelationshipWrite{From: "robert", To: "bob", Type: "has_relationship_with", Description: graph.Some("his son")})
	e.look()
	e.Same("linked", []string{}, e.list("u1", Query{}))
	owner := named("person", "noor", "Noor Verlinde")
	owner.IsOwner = graph.Some(true)
	e.Write("u1", []graph.NodeWrite{owner, named("person", "luc", "N. Verlinde")})
	e.look()
	e.Same("the owner and another", []string{"luc noor"}, e.list("u1", Query{}))
	e.Write("u1", nil, graph.RelationshipWrite{From: "noor", To: "luc", Type: "has_relationship_with"})
	e.look()
	e.Same("linked with the owner", []string{}, e.list("u1", Query{}))
}

func TestRefusals(t *testing.T) {
	e := fresh(t, 0)
	e.Write("u1", []graph.NodeWrite{
		named("person", "bob", "Bob Miller"), named("person", "robert", "Robert Miller"), named("person", "rob", "Gustav Klimt"), named("concept", "sea", "Sea"),
	})
	e.Write("u2", []graph.NodeWrite{named("person", "other", "Olga")})
	e.look()
	pair := []Pair{{"robert", "bob"}}
	decide := func(user string, refuse, admit []Pair) error {
		return e.store.Refuse(e.Context(), e.As(user), refuse, admit)
	}
	for name, bad := range map[string]Pair{"itself": {"bob", "bob"}, "two kinds": {"bob", "sea"}, "another user": {"bob", "other"}, "nothing": {"bob", "x"}} {
		if err := decide("u1", []Pair{bad}, nil); err == nil {
			t.Errorf("%s is refused", name)
		}
	}
	if err := decide("u2", pair, nil); err == nil {
		t.Error("another user refuses")
	}
	if err := decide("u1", pair, nil); err != nil {
		t.Fatal(err)
	}
	e.Same("refused", []string{}, e.list("u1", Query{}))
	e.Same("list of refused ones", []string{"bob robert"}, e.list("u1", Query{Refused: true}))
	e.Same("list of another user", []string{}, e.list("u2", Query{Refused: true}))
	e.Write("u1", []graph.NodeWrite{named("person", "bob", "Bobby Miller")})
	e.look()
	e.Same("still refused with another name", []string{}, e.list("u1", Query{}))

	if _, err := e.Store.MergeNodes(e.Context(), e.As("u1"), graph.PersonKind, "rob", graph.MergeWrite{Other: "robert"}); err != nil {
		t.Fatal(err)
	}
	e.look()
	e.Same("refused as a part of another node", []string{}, e.list("u1", Query{}))
	if _, err := e.Store.RestoreNode(e.Context(), e.As("u1"), graph.PersonKind, "robert"); err != nil {
		t.Fatal(err)
	}
	if err := decide("u1", nil, pair); err != nil {
		t.Fatal(err)
	}
	e.Same("admitted", []string{"bob robert"}, e.list("u1", Query{}))
	e.Same("none is refused", []string{}, e.list("u1", Query{Refused: true}))
}

// TestMerges merges by itself what is probable enough, within a user, and never again what was undone.
func TestMerges(t *testing.T) {
	e := fresh(t, 0.95)
	e.Write("u1", []graph.NodeWrite{named("entity", "acme", "Acme Inc."), named("entity", "acme2", "ACME"), named("person", "bob", "Bob Miller"), named("person", "robert", "Robert Miller")})
	e.Write("u2", []graph.NodeWrite{named("entity", "acme3", "Acme")})
	shared := named("entity", "acme4", "Acme Ltd")
	shared.UserID = graph.Null[string]()
	e.Write("", []graph.NodeWrite{shared})
	e.look()
	e.look()
	e.Same("left", []string{"bob robert"}, e.list("u1", Query{}))
	var keys []string
	for _, row := range e.Raw(`MATCH (n:Entity {team_id: $team}) RETURN n.entity_key ORDER BY 1`) {
		keys = append(keys, row[0].(string)) //nolint:forcetypeassert // a key
	}
	gone := map[bool]string{true: "acme2", false: "acme"}[slices.Contains(keys, "acme")]
	if len(keys) != 3 || !slices.Contains(keys, "acme3") || !slices.Contains(keys, "acme4") {
		t.Fatalf("entities %v", keys)
	}
	if _, err := e.Store.RestoreNode(e.Context(), e.As("u1"), graph.EntityKind, gone); err != nil {
		t.Fatal(err)
	}
	e.look()
	e.look()
	e.Same("undone", int64(4), e.Raw(`MATCH (n:Entity {team_id: $team}) RETURN count(n)`)[0][0])
	e.Same("the undo refuses", []string{"acme acme2"}, e.list("u1", Query{Refused: true}))
}

// TestVerdicts asks a model about the pairs that are not certain, once for what a comparison found.
func TestVerdicts(t *testing.T) {
	e := fresh(t, 0.95)
	user := "verdicts of " + e.Team
	var asked []string
	errAway := errors.New("the model is away")
	answers := map[string]any{"bob robert": Same, "karl kate": Other, "sue susan": Unsure, "thomas tom": Other, "liz lizzy": errAway}
	e.worker.options.Judge = func(_ context.Context, kind string, a, b PairNode) (Verdict, error) {
		if a.UserID == nil || *a.UserID != user { // of another test
			return Unsure, nil
		}
		pair := a.EntityKey + " " + b.EntityKey
		asked = append(asked, kind+" "+pair)
		if err, failed := answers[pair].(error); failed {
			return "", err
		}
		return answers[pair].(Verdict), nil //nolint:forcetypeassert // a verdict
	}
	person := func(key, name, other, otherName string) {
		e.Write(user, []graph.NodeWrite{named("person", key, name), named("person", other, otherName), named("entity", key+"-1", "Acme "+key), named("entity", key+"-2", "ACME "+key)})
		e.look()
		e.judgeOwn()
	}
	for _, pair := range [][4]string{{"bob", "Bob Miller", "robert", "Robert Miller"}, {"karl", "Karl Stone", "kate", "K. Stone"}, {"sue", "Sue Hill", "susan", "Susan Hill"}} {
		person(pair[0], pair[1], pair[2], pair[3])
	}
	e.Same("asked about persons, not about what is merged", []string{"person bob robert", "person karl kate", "person sue susan"}, asked)
	page, err := e.store.Proposals(e.Context(), e.As(user), Query{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]string{}
	for _, p := range page.Proposals {
		for _, r := range p.Reasons {
			if strings.HasPrefix(r.Code, "model_") {
				verdicts[p.Nodes[0].EntityKey] = fmt.Sprintf("%s %.1f, below 0.5: %t, from 0.9: %t", r.Code, r.Weight, *p.Probability < 0.5, *p.Probability >= 0.9)
			}
		}
	}
	e.Same("verdicts", map[string]string{"bob": "model_same 2.2, below 0.5: false, from 0.9: true", "karl": "model_other -2.2, below 0.5: true, from 0.9: false"}, verdicts)

	asked = nil
	e.Write(user, []graph.NodeWrite{{Kind: "person", EntityKey: "bob", Description: graph.Some("plays the drums")}})
	e.look()
	e.judgeOwn()
	e.Same("nothing new to ask", 0, len(asked))
	e.Same("the verdict stays", 3, len(e.list(user, Query{})))

	e.Write(user, []graph.NodeWrite{named("person", "liz", "Liz Hall"), named("person", "lizzy", "Elizabeth Hall")})
	e.look()
	e.Now = e.Now.Add(time.Second)
	e.Write(user, []graph.NodeWrite{named("person", "tom", "Tom Reed"), named("person", "thomas", "Thomas Reed")})
	e.look()
	e.Now = e.Now.Add(time.Second)
	if err := e.worker.judge(e.Context()); !errors.Is(err, errAway) {
		t.Errorf("the model failed: %v", err)
	}
	asked = nil
	e.judgeOwn()
	e.Same("after a failure it is not asked for a while", 0, len(asked))
	e.worker.askAgain = time.Time{}
	if err := e.worker.judge(e.Context()); !errors.Is(err, errAway) {
		t.Errorf("the model failed: %v", err)
	}
	e.Same("then about the others first", []string{"person thomas tom", "person liz lizzy"}, asked)
	e.worker.askAgain = time.Time{}
	asked, answers["liz lizzy"] = nil, Same
	e.judgeOwn()
	e.Same("and again", []string{"person liz lizzy"}, asked)
}

// judgeOwn has the model judge until no pair waits.
func (e *env) judgeOwn() {
	e.Helper()
	for {
		waiting, err := e.worker.unjudged(e.Context(), 1)
		if err != nil {
			e.Fatal(err)
		}
		if len(waiting) == 0 {
			return
		}
		if err := e.worker.judge(e.Context()); err != nil {
			e.Fatal(err)
		}
	}
}

func TestErasure(t *testing.T) {
	e := fresh(t, 0)
	for _, user := range []string{"u1", "u2"} {
		e.Write(user, []graph.NodeWrite{named("entity", "a"+user, "Acme Inc."), named("entity", "b"+user, "ACME"), named("person", "x"+user, "Bob Miller"), named("person", "y"+user, "Rob Miller")})
	}
	e.look()
	for _, user := range []string{"u1", "u2"} {
		if err := e.store.Refuse(e.Context(), e.As(user), []Pair{{"x" + user, "y" + user}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := erasure.NewStore(e.Store).EraseUser(e.Context(), e.As("u1"), erasure.Beside{}); err != nil {
		t.Fatal(err)
	}
	e.look()
	e.Same("left, with the owner's blocks", [][]any{{"Duplicate", "u2", int64(1)}, {"DuplicateBlocks", "u2", int64(5)}, {"DuplicateRefusal", "u2", int64(1)}}, e.Raw(`
		MATCH (d:Duplicate|DuplicateBlocks|DuplicateRefusal {team_id: $team}) RETURN labels(d)[0], d.user_id, count(d) ORDER BY 1, 2`))
}

// TestMergesWithRefusals never merges a refused pair through a third node, and a merge that is refused leaves the proposal.
func TestMergesWithRefusals(t *testing.T) {
	e := fresh(t, 0.95)
	e.Write("u1", []graph.NodeWrite{named("entity", "acme1", "Acme Inc."), named("entity", "acme2", "ACME"), named("entity", "acme3", "Acme Ltd")})
	if err := e.store.Refuse(e.Context(), e.As("u1"), []Pair{{"acme1", "acme3"}}, nil); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		e.look()
	}
	e.Same("entities", int64(2), e.Raw(`MATCH (n:Entity {team_id: $team}) RETURN count(n)`)[0][0])

	outer, inner := named("entity", "outer", "Umbra Inc."), named("entity", "inner", "Umbra")
	e.Write("u1", []graph.NodeWrite{outer, inner, named("entity", "middle", "Middle")}, graph.RelationshipWrite{From: "outer", To: "middle", Type: "contains"},
		graph.RelationshipWrite{From: "middle", To: "inner", Type: "contains"})
	e.look()
	e.look()
	e.Same("a ring is not merged", []string{"inner outer"}, e.list("u1", Query{}))
	e.Same("nor refused by anybody", false, slices.Contains(e.list("u1", Query{Refused: true}), "inner outer"))
}

// TestRefusalsMeanwhile neither proposes nor merges a pair that is refused after it was compared, but not committed yet.
func TestRefusalsMeanwhile(t *testing.T) {
	e := fresh(t, 0.5)
	e.Write("u1", []graph.NodeWrite{named("entity", "acme1", "Acme Inc."), named("entity", "acme2", "ACME")})
	keys := []string{"acme1", "acme2"}
	compared, err := e.store.examine(e.Context(), e.Team, batch{keys: keys})
	if err != nil || len(compared) != 1 {
		t.Fatalf("%v, %v", compared, err)
	}
	done := make(chan error, 2)
	err = e.Store.Transaction(e.Context(), "duplicate_refuse", func(tx *graph.Tx) error {
		rows, err := e.store.rows(tx, e.As("u1"), fault.At("refuse"), []Pair{{"acme1", "acme2"}})
		if err != nil {
			return err
		}
		go func() { done <- e.store.propose(e.Context(), e.Team, keys, compared) }()
		go func() { done <- e.worker.merge(e.Context(), e.Team, compared) }()
		for blocked := int64(0); blocked < 2; time.Sleep(10 * time.Millisecond) {
			if len(done) > 0 {
				t.Fatal("they did not wait for the refusal")
			}
			blocked = e.Blocked()
		}
		_, err = e.store.keep(tx, e.Team, rows)
		return err
	})
	if err := errors.Join(err, <-done, <-done); err != nil {
		t.Fatal(err)
	}
	e.Same("proposed", []string{}, e.list("u1", Query{}))
	e.Same("entities", int64(2), e.Raw(`MATCH (n:Entity {team_id: $team}) RETURN count(n)`)[0][0])
}

// TestRefusalsOfMergedNodesAreExported stores refusals of nodes that were merged since, under their own keys.
func TestRefusalsOfMergedNodesAreExported(t *testing.T) {
	e := fresh(t, 0)
	e.Write("u1", []graph.NodeWrite{named("person", "a", "Ada"), named("person", "b", "Bob"), named("person", "c", "Cy"), named("person", "n", "Noor")})
	if err := e.store.Refuse(e.Context(), e.As("u1"), []Pair{{"a", "c"}, {"b", "c"}}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Store.MergeNodes(e.Context(), e.As("u1"), graph.PersonKind, "n", graph.MergeWrite{Other: "a"}); err != nil {
		t.Fatal(err)
	}
	e.Remove("u1", "person", "b")
	var nodes []graph.NodeWrite
	if err := e.Store.ExportNodes(e.Context(), e.Team, func(w *graph.NodeWrite) error { nodes = append(nodes, *w); return nil }); err != nil {
		t.Fatal(err)
	}
	var lines []Line
	if err := e.store.ExportRefusals(e.Context(), e.Team, func(l *Line) error { lines = append(lines, *l); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1 || lines[0].Pair != (Pair{"a", "c"}) {
		t.Fatalf("lines %+v", lines)
	}
	other := &env{Env: e.Neighbour(), store: e.store}
	plan := graph.NewRestorePlan()
	defer func() { _ = plan.Close() }()
	for _, plan := range []*graph.RestorePlan{plan, nil} {
		b := &graph.RestoreBatch{Nodes: nodes, Plan: plan}
		if _, err := e.Store.Restore(e.Context(), other.As("u1"), b, graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, plan != nil); err != nil {
			t.Fatal(err)
		}
		created, bad, err := e.store.RestoreRefusals(e.Context(), other.As("u1"), lines, plan)
		e.Same("stored", []any{int64(1), 0, error(nil)}, []any{created, len(bad), err})
	}
	e.Same("the pair", [][]any{{"a", "c"}}, other.Raw(`MATCH (d:DuplicateRefusal {team_id: $team}) RETURN d.first_key, d.second_key`))
}
