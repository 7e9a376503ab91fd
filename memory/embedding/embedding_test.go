package embedding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
	"kith/graph/searchscope"
	"kith/internal/llm"
	"kith/internal/vector"
	"kith/memory/erasure"
	"kith/memory/system"
	"kith/tests/graphtest"
	"kith/tests/testenv"
)

func TestEmbedding_slow(t *testing.T) {
	t.Parallel()
	server := testenv.StartNeo4j(t)
	db := server.Database()
	e := embedder(t, db, "model-1")
	if err := e.Store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	plain := graphtest.Open(t, db, graph.Options{})
	plain.Write("u", []graph.NodeWrite{node("concept", "before", 0.5, described("was there"))})
	if err := e.store.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		do   func(*env)
	}{
		{"what was there before", func(e *env) {
			e.Team = plain.Team
			e.settle()
			e.embeds("u", map[string]string{"before": "the before\nwas there"})
		}},
		{"every kind", embedKinds},
		{"changes", embedChanges},
		{"deleted and restored", embedRestored},
		{"a text that changes while it is embedded", embedChanging},
		{"systems", embedSystems},
		{"imports", embedImports},
		{"a restart", func(e *env) { embedRestart(e, db) }},
		{"two at once", func(e *env) { embedTwice(e, db) }},
		{"an embedder that is away", embedAway},
		{"an embedder that fails for a text", embedFailing},
		{"teams in turn", func(e *env) { embedInTurn(e, db) }},
		{"an embedder that refuses", embedRefused},
		{"an embedder that answers wrongly", embedWrong},
		{"an erased user", embedErased},
		{"answers hold nothing of it", embedHidden},
		{"kith check", embedChecked},
		{"times without an embedder", func(e *env) { embedPaused(e, db) }},
		{"another model", func(e *env) { embedOther(e, db) }},
		{"many messages", embedMany},
	} {
		t.Run(step.name, func(t *testing.T) {
			next := embedder(t, db, "model-1")
			step.do(next)
			next.worker.release(t.Context())
			next.CheckIntegrity()
		})
	}
}

func embedKinds(e *env) {
	e.Write("u", []graph.NodeWrite{{Kind: "person", EntityKey: "gran", Name: graph.Some("Grandma"), OwnFields: &graph.OwnFields{Aliases: graph.Some([]string{"Oma"})}}})
	fields := map[string]*graph.OwnFields{"requirement": {Text: graph.Some("must hold\nin every storm")}, "signal": {Channel: graph.Some("quay")}}
	want := map[string]string{"requirement": "what it is\nmust hold\nin every storm", "signal": "quay\nwhat it is"}
	var nodes []graph.NodeWrite
	for _, kind := range graph.Kinds {
		if slices.Contains([]string{"message", "source", "system_entity", "storyline", "macro"}, kind.Name) {
			continue
		}
		n := graph.NodeWrite{Kind: kind.Name, EntityKey: kind.Name, Description: graph.Some("what it is"), OwnFields: fields[kind.Name]}
		if kind == graph.ItemKind {
			n.OwnFields = &graph.OwnFields{Namespace: graph.Some([]string{"notes"})}
		}
		if fields[kind.Name] == nil {
			n.Name = graph.Some("its name")
			want[kind.Name] = "its name\nwhat it is"
		}
		nodes = append(nodes, n)
	}
	e.Write("u", nodes)
	e.Write("", []graph.NodeWrite{{Kind: "system_entity", EntityKey: "api", Name: graph.Some("API"), Description: graph.Some("answers"),
		OwnFields: &graph.OwnFields{System: graph.Some("kith")}}})
	e.Source("u", graph.SourceWrite{EntityKey: "s", Summary: graph.Some("Talked."), Keywords: []string{"pier", "rope"}, Messages: []graph.MessageWrite{
		{EntityKey: "m-1", Role: "user", Name: "Ada", Text: "Hello."}, {EntityKey: "m-2", Role: "assistant", Text: "Hi."},
		{EntityKey: "m-3", Role: "user", Text: " "},
	}})
	want["s"], want["m-1"], want["m-2"] = "Talked.\npier, rope", "Ada: Hello.", "Hi."
	want["gran"] = "Grandma\nOma"
	e.settle()
	e.embeds("u", want)
	e.embeds("", map[string]string{"api": "API\nanswers"})
	e.embeds("v", map[string]string{})
	backlog, err := e.store.Backlog(e.Context())
	e.Same("waits", []any{Backlog{}, nil}, []any{backlog, err})
	e.Same("kinds and times", []any{"message", noon.UnixMilli()}, func() []any {
		rows, _ := e.searches().Vectors(e.Context(), searchscope.Owner(e.Team, "u"), 0, 1000)
		i := slices.IndexFunc(rows, func(r vector.Row) bool { return r.Key == "m-1" })
		return []any{graph.Kinds[rows[i].Kind].Name, rows[i].At}
	}())
}

func embedChanges(e *env) {
	e.Write("u", []graph.NodeWrite{node("concept", "c", 0.5, described("first"))})
	e.settle()
	asked := len(e.embedder.asked)
	e.Write("u", []graph.NodeWrite{{Kind: "concept", EntityKey: "c", Salience: graph.Some(0.7)}}) // the text is the same
	if _, err := e.Store.AddNotes(e.Context(), e.As("u"), graph.ConceptKind, "c", []graph.NoteWrite{{Content: "x"}}); err != nil {
		e.Fatal(err)
	}
	e.settle()
	e.Same("asked for", asked, len(e.embedder.asked))
	before := e.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'c'}) RETURN n.version`)[0][0]
	e.Write("u", []graph.NodeWrite{{Kind: "concept", EntityKey: "c", Description: graph.Some("second")}})
	e.settle()
	e.embeds("u", map[string]string{"c": "the c\nsecond"})
	e.Same("version", []any{before.(int64) + 1}, e.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'c'}) RETURN n.version`)[0])
	e.Source("u", graph.SourceWrite{EntityKey: "s", Summary: graph.Some("told")})
	e.settle()
	e.Source("u", graph.SourceWrite{EntityKey: "s", Summary: graph.Some("")}) // a row shows that its vector is gone
	e.settle()
	e.embeds("u", map[string]string{"c": "the c\nsecond", "s": ""})
}

func embedRestored(e *env) {
	e.Source("u", graph.SourceWrite{EntityKey: "s", Summary: graph.Some("told"), Messages: []graph.MessageWrite{{EntityKey: "m", Role: "user", Text: "Hello."}}})
	e.settle()
	all := map[string]string{"s": "told", "m": "Hello."}
	e.embeds("u", all)
	if _, err := e.Store.DeleteNode(e.Context(), e.As("u"), graph.SourceKind, "s", 0); err != nil {
		e.Fatal(err)
	}
	e.embeds("u", nil)
	e.Same("kept of the vectors", [][]any{{int64(0)}}, e.Raw(`MATCH (n:Deleted {team_id: $team}) WHERE n.vector IS NOT NULL OR n.vector_scope IS NOT NULL RETURN count(n)`))
	if _, err := e.Store.RestoreNode(e.Context(), e.As("u"), graph.SourceKind, "s"); err != nil {
		e.Fatal(err)
	}
	e.settle()
	e.embeds("u", all)
}

func embedChanging(e *env) {
	e.Write("u", []graph.NodeWrite{node("concept", "c", 0.5, described("first"))})
	e.embedder.pause = once(func() {
		e.Write("u", []graph.NodeWrite{{Kind: "concept", EntityKey: "c", Description: graph.Some("second")}}) // at the same millisecond
	})
	e.settle()
	e.Same("asked for", []string{"the c\nfirst", "the c\nsecond"}, e.embedder.asked)
	e.embeds("u", map[string]string{"c": "the c\nsecond"})
}

func embedSystems(e *env) {
	put := func(description string) {
		e.Helper()
		w := &system.Write{Entities: []system.EntityWrite{{Name: "API", Type: graph.Some("service"), Description: graph.Some(description)}}}
		if _, err := system.NewStore(e.Store).MergeSystem(e.Context(), e.As(""), "kith", w); err != nil {
			e.Fatal(err)
		}
	}
	put("first")
	e.embedder.pause = once(func() { put("second") })
	e.settle()
	key := neo.Text(e.Raw(`MATCH (n:SystemEntity {team_id: $team}) RETURN n.entity_key`)[0][0])
	e.embeds("", map[string]string{key: "API\nsecond"})
}

func embedImports(e *env) {
	batch := &graph.RestoreBatch{Nodes: []graph.NodeWrite{
		{Kind: "concept", EntityKey: "c", UserID: graph.Some("u"), Name: graph.Some("c"), Description: graph.Some("imported")},
		{Kind: "source", EntityKey: "s", UserID: graph.Some("u"), OwnFields: &graph.OwnFields{Summary: graph.Some("told")}},
		{Kind: "message", EntityKey: "m", UserID: graph.Some("u"), OwnFields: &graph.OwnFields{SourceKey: graph.Some("s"), Role: graph.Some("user"), Text: graph.Some("Hello.")}},
	}}
	result, err := e.Store.Restore(e.Context(), e.As(""), batch, graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, false)
	if err != nil || len(result.Refused) > 0 {
		e.Fatal(err, result.Refused)
	}
	e.settle()
	e.embeds("u", map[string]string{"c": "c\nimported", "s": "told", "m": "Hello."})
}

// embedRestart checks that the queue of a dead process is embedded by the next one, once its lease has expired.
func embedRestart(e *env, db testenv.Database) {
	e.settle() // holds the lease
	e.Write("u", []graph.NodeWrite{node("concept", "c", 0.5, described("waits"))})
	other := e.again(db)
	if done, err := other.worker.turn(e.Context()); done || err != nil || !other.worker.held.IsZero() {
		e.Fatal(done, err)
	}
	e.Same("asked for", []string(nil), other.embedder.asked)
	other.Now = other.Now.Add(embeddingLife)
	other.settle()
	e.embeds("u", map[string]string{"c": "the c\nwaits"})
	if err := e.worker.hold(e.Context()); err != nil { // on the clock of the dead process
		e.Fatal(err)
	}
	other.worker.release(e.Context())
}

func embedTwice(e *env, db testenv.Database) {
	other := e.again(db)
	ctx, stop := context.WithCancel(e.Context())
	var running errgroup.Group
	for _, worker := range []*Worker{e.worker, other.worker} {
		running.Go(func() error { return worker.Run(ctx) })
	}
	want := map[string]string{}
	for i := range 20 {
		key := fmt.Sprintf("c-%d", i)
		e.Write("u", []graph.NodeWrite{node("concept", key, 0.5, described("x"))})
		want[key] = "the " + key + "\nx"
	}
	for deadline := time.Now().Add(time.Minute); len(e.vectors("u")) < len(want); {
		if time.Now().After(deadline) {
			e.Fatal("they are not embedded")
		}
	}
	stop()
	if err := running.Wait(); err != nil {
		e.Fatal(err)
	}
	e.embeds("u", want)
	asked := slices.Concat(e.embedder.asked, other.embedder.asked)
	slices.Sort(asked)
	if again := len(asked); again != len(slices.Compact(asked)) {
		e.Errorf("asked for %d texts", again)
	}
}

func embedAway(e *env) {
	e.Write("u", []graph.NodeWrite{node("concept", "c", 0.5, described("waits"))})
	e.embedder.fail = func([]string) error { return llm.ErrUnavailable }
	var pauses []time.Duration
	for range 8 {
		done, err := e.worker.turn(e.Context())
		if done || !errors.Is(err, llm.ErrUnavailable) {
			e.Fatal(done, err)
		}
		pauses = append(pauses, e.worker.next(done, err))
	}
	e.Same("pauses", []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}, func() []time.Duration {
		for i := range pauses {
			pauses[i] /= time.Second
		}
		return pauses
	}())
	e.embedder.fail = nil
	e.settle()
	e.embeds("u", map[string]string{"c": "the c\nwaits"})
	e.Same("counted", map[string]int64{Failed: 8, Embedded: 1, Empty: 0}, e.counts)
}

// embedFailing has a text for which the embedder is never available: the others are embedded, and it is tried again less and less often.
func embedFailing(e *env) {
	e.embedder.fail = func(texts []string) error {
		if strings.Contains(strings.Join(texts, ""), "too long") {
			return llm.ErrUnavailable
		}
		return nil
	}
	nodes := []graph.NodeWrite{node("concept", "bad", 0.5, described("too long"))}
	want := map[string]string{}
	for i := range 40 {
		key := fmt.Sprint("c-", i)
		nodes = append(nodes, node("concept", key, 0.5, described("good")))
		want[key] = "the " + key + "\ngood"
	}
	e.Write("u", nodes)
	turns := func() {
		for range 100 {
			done, err := e.worker.turn(e.Context())
			e.worker.next(done, err)
			if done {
				return
			}
		}
		e.Fatal("the queue never ends")
	}
	turns()
	e.embeds("u", want)
	for i := range 3 {
		e.Same("postponed", int64(i+1), e.counts[Postponed])
		e.Now = e.Now.Add(embeddingLater<<i - time.Millisecond)
		turns()
		e.Same("postponed, before its time", int64(i+1), e.counts[Postponed])
		e.Now = e.Now.Add(time.Millisecond)
		turns()
	}
	e.embedder.fail = nil
	e.Now = e.Now.Add(embeddingLatest)
	e.settle()
	want["bad"] = "the bad\ntoo long"
	e.embeds("u", want)
}

// embedInTurn has a team with many texts, among them some for which the embedder fails: texts of another team wait for few turns.
func embedInTurn(e *env, db testenv.Database) {
	e.embedder.fail = func(texts []string) error {
		if strings.Contains(strings.Join(texts, ""), "too long") {
			return llm.ErrUnavailable
		}
		return nil
	}
	var nodes []graph.NodeWrite
	for i := range 3 * embeddingAtOnce * embeddingFirst {
		nodes = append(nodes, node("concept", fmt.Sprintf("c-%03d", i), 0.5, described([]string{"good", "too long"}[i/8%2])))
	}
	e.Write("u", nodes)
	other := e.again(db)
	for i, team := range []string{"0-" + e.Team, "zz-" + e.Team} { // before and after it in the order of teams
		other.Team = team
		other.Write("u", []graph.NodeWrite{node("concept", "late", 0.5, described("good"))})
		turns := 0
		for ; len(other.vectors("u")) == 0; turns++ {
			if turns == 4 {
				e.Fatalf("after %d turns a text of the team %d still waits", turns, i)
			}
			done, err := e.worker.turn(e.Context())
			e.worker.next(done, err)
		}
	}
	if got := len(e.vectors("u")); got == len(nodes) {
		e.Error("all texts of the first team were embedded before")
	}
	e.embedder.fail = nil
	e.settle()
	e.Now = e.Now.Add(embeddingLatest)
	e.settle()
	e.Same("vectors in the end", len(nodes), len(e.vectors("u")))
}

func embedRefused(e *env) {
	e.Write("u", []graph.NodeWrite{node("concept", "c-1", 0.5, described("good")), node("concept", "c-2", 0.5, described("good"))})
	e.settle()
	e.embedder.fail = func(texts []string) error { // such as with a wrong key
		return llm.ErrRefused
	}
	e.Write("u", []graph.NodeWrite{{Kind: "concept", EntityKey: "c-1", Description: graph.Some("better")}, {Kind: "concept", EntityKey: "c-2", Description: graph.Some("bad")}})
	if done, err := e.worker.turn(e.Context()); done || !errors.Is(err, llm.ErrRefused) {
		e.Fatal(done, err)
	}
	e.embedder.fail = func(texts []string) error {
		if strings.Contains(strings.Join(texts, ""), "bad") {
			return llm.ErrRefused
		}
		return nil
	}
	e.settle()
	e.embeds("u", map[string]string{"c-1": "the c-1\nbetter", "c-2": ""})
	e.Same("counted", map[string]int64{Embedded: 3, Empty: 0, Failed: 2, Given: 1}, e.counts)
}

func embedWrong(e *env) {
	e.Write("u", []graph.NodeWrite{node("concept", "c-1", 0.5, described("good")), node("concept", "c-2", 0.5, described("bad"))})
	for _, wrong := range [][]float32{{float32(math.NaN()), 0, 0}, {1, 0}, {float32(math.Inf(1)), 0, 0}} {
		e.embedder.spoil = func(text string) []float32 {
			if strings.Contains(text, "bad") {
				return wrong
			}
			return nil
		}
		e.settle()
		e.embeds("u", map[string]string{"c-1": "the c-1\ngood"})
		e.Now = e.Now.Add(embeddingLatest)
	}
	e.Same("counted", map[string]int64{Embedded: 1, Empty: 0, Postponed: 3}, e.counts)
	e.embedder.spoil = nil
	e.settle()
	e.embeds("u", map[string]string{"c-1": "the c-1\ngood", "c-2": "the c-2\nbad"})
	e.embedder.spoil = func(string) []float32 { return []float32{1, 0} }
	e.Write("u", []graph.NodeWrite{node("concept", "c-3", 0.5)})
	if done, err := e.worker.turn(e.Context()); done || !errors.Is(err, llm.ErrGarbled) {
		e.Fatal("an embedder that answers nothing right:", done, err)
	}
	e.embedder.spoil = nil
	e.settle()
	e.Now = noon
}

func embedErased(e *env) {
	e.Write("u", []graph.NodeWrite{node("concept", "c", 0.5, described("mine"))})
	e.settle()
	e.Write("u", []graph.NodeWrite{node("concept", "d", 0.5, described("waits"))})
	e.embedder.pause = once(func() { // while a text of the user is embedded
		if _, err := erasure.NewStore(e.Store).EraseUser(e.Context(), e.As("u"), erasure.Beside{}); err != nil {
			e.Error(err)
		}
	})
	e.settle()
	e.embeds("u", nil)
	e.Same("left", [][]any{{int64(0)}}, e.Raw(`MATCH (n {team_id: $team}) WHERE NOT n:Feed RETURN count(n)`))
}

func embedHidden(e *env) {
	e.Write("u", []graph.NodeWrite{node("concept", "c", 0.5, described("shown"))})
	e.settle()
	e.Write("u", []graph.NodeWrite{{Kind: "concept", EntityKey: "c", Description: graph.Some("shown again")}}) // is queued too
	params := map[string]any{
		"team_id": e.Team, "user_id": "u", "entity_key": "c", "label": "Concept", "as_of": nil, "now": e.Now, "now_ms": e.Now.UnixMilli(), "limit": 10, "rest": false,
		"after": "", "end": "\U0010ffff", "messages": false, "state": nil, "archive_below": 0.01,
	}
	for _, name := range []string{"export_nodes", "node_get", "node_list"} {
		rows, err := e.Store.DB().Read(e.Context(), cypher.Load(name), params)
		if err != nil {
			e.Fatal(err)
		}
		if found := fmt.Sprint(rows); !strings.Contains(found, "the c") || strings.Contains(found, "vector") || strings.Contains(found, "embed_due") || strings.Contains(found, "search_scope") {
			e.Errorf("%s: %s", name, found)
		}
	}
	e.settle()
}

func embedChecked(e *env) {
	e.Write("u", []graph.NodeWrite{node("concept", "c", 0.5, described("mine"))})
	e.settle()
	e.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'c'}) SET n.vector_scope = 'kx0' RETURN count(n)`)
	var found []graph.Finding
	_, err := e.Store.CheckIntegrity(e.Context(), graph.IntegrityOptions{TeamID: e.Team, Fix: true, Report: func(f graph.Finding) { found = append(found, f) }})
	if err != nil {
		e.Fatal(err)
	}
	e.Same("findings", []graph.Finding{{Check: "property", TeamID: e.Team, Kind: "concept", Key: "c", Detail: "has a wrong vector_scope", Repaired: true}}, found)
	e.settle()
	e.embeds("u", map[string]string{"c": "the c\nmine"})
}

// embedPaused checks that texts written by a process without an embedder are embedded by the next process that has one.
func embedPaused(e *env, db testenv.Database) {
	e.Write("u", []graph.NodeWrite{node("concept", "c", 0.5, described("first")), node("concept", "same", 0.5)})
	e.settle()
	e.worker.release(e.Context())
	plain := graphtest.Open(e.T, db, graph.Options{})
	plain.Team = e.Team
	if err := NewStore(plain.Store, nil).Prepare(e.Context()); err != nil {
		e.Fatal(err)
	}
	plain.Write("u", []graph.NodeWrite{{Kind: "concept", EntityKey: "c", Description: graph.Some("second")}, node("concept", "new", 0.5)})
	next := e.again(db)
	if err := next.store.Prepare(e.Context()); err != nil {
		e.Fatal(err)
	}
	next.settle()
	next.embeds("u", map[string]string{"c": "the c\nsecond", "new": "the new", "same": "the same"})
	if slices.Contains(next.embedder.asked, "the same") {
		e.Error("what has its vector is embedded again")
	}
	next.worker.release(e.Context())
}

func embedOther(e *env, db testenv.Database) {
	e.Write("u", []graph.NodeWrite{node("concept", "c", 0.5), node("concept", "d", 0.5)})
	e.settle()
	next := embedder(e.T, db, "model-2")
	next.Team, next.Now = e.Team, e.Now
	if err := next.store.Prepare(e.Context()); !errors.Is(err, graph.ErrModel) || !strings.Contains(err.Error(), "kith reindex") {
		e.Fatal(err)
	}
	resumed, err := next.store.Renew(e.Context())
	e.Same("resumed", []any{false, nil}, []any{resumed, err})
	// A process with the old model stores nothing more, and leaves the lease.
	e.Write("u", []graph.NodeWrite{node("concept", "f", 0.5)})
	if done, err := e.worker.turn(e.Context()); done || !errors.Is(err, graph.ErrModel) {
		e.Fatal(done, err)
	}
	if _, err := e.searches().Vectors(e.Context(), searchscope.Owner(e.Team, "u"), 0, 10); !errors.Is(err, graph.ErrModel) {
		e.Fatal(err)
	}
	next.embeds("u", nil) // no vector of the old model is found
	if _, err := next.worker.turn(e.Context()); err != nil {
		e.Fatal(err)
	}
	next.worker.release(e.Context())
	last := next.again(db) // it was interrupted
	resumed, err = last.store.Renew(e.Context())
	e.Same("resumed", []any{true, nil}, []any{resumed, err})
	if err := last.worker.Finish(e.Context(), func() {}); err != nil {
		e.Fatal(err)
	}
	last.embeds("u", map[string]string{"c": "the c", "d": "the d", "f": "the f"})
	resumed, err = last.store.Renew(e.Context()) // the last one is done: it starts anew
	e.Same("resumed", []any{false, nil}, []any{resumed, err})
	if err := last.worker.Finish(e.Context(), func() {}); err != nil {
		e.Fatal(err)
	}
	last.embeds("u", map[string]string{"c": "the c", "d": "the d", "f": "the f"})
	back := embedder(e.T, db, "model-1")
	if _, err := back.store.Renew(e.Context()); err != nil {
		e.Fatal(err)
	}
	if err := back.worker.Finish(e.Context(), func() {}); err != nil {
		e.Fatal(err)
	}
}

func embedMany(e *env) {
	const messages = 3000
	w := graph.SourceWrite{EntityKey: "s", Summary: graph.Some("")}
	for i := range messages {
		w.Messages = append(w.Messages, graph.MessageWrite{EntityKey: fmt.Sprintf("m-%d", i), Role: "user",
			Text: fmt.Sprintf("The tide of day %d was high, and the boats came in late.", i)})
	}
	e.Source("u", w)
	begun := time.Now()
	e.settle()
	took := time.Since(begun)
	e.Logf("%d messages in %v: %.0f a second", messages, took, messages/took.Seconds())
	rows, err := e.searches().Vectors(e.Context(), searchscope.Owner(e.Team, "u"), 0, 5000)
	e.Same("vectors", []any{messages, nil}, []any{len(rows), err})
}

// once returns a function that calls do the first time that texts are embedded.
func once(do func()) func([]string) {
	first := sync.OnceFunc(do)
	return func([]string) { first() }
}
