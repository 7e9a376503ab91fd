package graph_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/access/auth"
	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
	"kith/memory/chat"
	"kith/memory/erasure"
	"kith/memory/preference"
)

// canaries are unique texts with the same stem.
type canaries struct {
	stem string
	made int
}

func (c *canaries) next() string {
	c.made++
	return fmt.Sprintf("%s%d", c.stem, c.made)
}

// lines returns the nodes and relationships of the database that contain one text, as text, except those that contain the other.
func (e *env) lines(with, without string) []string {
	e.Helper()
	has := fmt.Sprintf(` WITH id, x, [k IN keys(x) | [k, x[k]]] AS pairs
		WHERE any(name IN id + keys(x) WHERE name CONTAINS %[1]q)
			OR any(p IN pairs WHERE CASE WHEN valueType(p[1]) STARTS WITH 'LIST<STRING' THEN any(v IN p[1] WHERE v CONTAINS %[1]q)
			ELSE toStringOrNull(p[1]) CONTAINS %[1]q END)
		RETURN id, pairs`, with)
	var all []string
	for _, found := range []string{
		`MATCH (x) WITH x, labels(x) AS id` + has,
		`MATCH (a)-[x]->(b) WITH x, [type(x), coalesce(a.entity_key, a.id), coalesce(b.entity_key, b.id)] AS id` + has,
	} {
		for _, row := range e.Raw(found) {
			var pairs []string
			for _, pair := range neo.List(row[1]) {
				if p := neo.List(pair); len(p) == 2 && p[0] != "borders" { // which passes of other tests note
					pairs = append(pairs, fmt.Sprint(pair))
				}
			}
			slices.Sort(pairs)
			if line := fmt.Sprint(row[0], pairs); without == "" || !strings.Contains(line, without) {
				all = append(all, line)
			}
		}
	}
	slices.Sort(all)
	return all
}

// erased writes every kind of data for a user, each text a canary, beside data of others.
func (e *env) erased(user string, c *canaries) {
	e.Helper()
	var nodes []graph.NodeWrite
	for _, kind := range graph.WritableKinds() {
		switch kind {
		case "message", "source", "system_entity":
			continue
		}
		w := node(kind, c.next(), 0.5, described(c.next()))
		w.Name = graph.Some(c.next())
		w.Notes = []graph.NoteWrite{{Content: c.next()}}
		nodes = append(nodes, w)
	}
	nodes[0].IsOwner = graph.Some(true)
	me, concept := nodes[0].EntityKey, nodes[1].EntityKey
	thoughts := link(me, "thinks_about", concept, 0.5)
	thoughts.Description, thoughts.Notes = graph.Some(c.next()), []graph.NoteWrite{{Content: c.next()}}
	about := link(me, "involves", "shared", 0.5)
	about.Description = graph.Some(c.next())
	gone := link(concept, "relates_to", "shared", 0.5)
	gone.Description = graph.Some(c.next())
	result := e.Write(user, nodes, thoughts, about, gone)
	e.Write(user, nil, closed(me, "thinks_about", concept, e.Now))
	e.Remove(user, "relationship", result.Relationships[2].Key)
	for _, source := range []string{"source", "other"} {
		e.Source(user, graph.SourceWrite{
			EntityKey: c.stem + source, Summary: graph.Some(c.next()), Mentions: []string{"shared", concept},
			Messages: []graph.MessageWrite{said(c.next(), c.next()), said("", c.next())},
		})
	}
	e.Remove(user, "source", c.stem+"other")
	e.Write(user, []graph.NodeWrite{node("task", c.stem+"task", 0.5, described(c.next())), node("person", c.stem+"person", 0.5)},
		link(c.stem+"person", "involves", "shared", 0.4))
	e.Remove(user, "task", c.stem+"task")
	e.Remove(user, "person", c.stem+"person")
	if err := preference.NewStore(e.Store).ReplacePreferences(e.Context(), e.As(user), []preference.Preference{{Key: c.next(), Value: []byte(`"` + c.next() + `"`)}}); err != nil {
		e.Fatal(err)
	}
	if err := auth.NewStore(e.Store).CreateAPIKey(e.Context(), auth.APIKey{KeyID: rand.Text(), Hash: c.next(), TeamID: e.Team, UserID: &user, Scopes: []string{"read"},
		CreatedAt: e.Now}); err != nil {
		e.Fatal(err)
	}
	for _, by := range []string{user, ""} { // as the user, and as the team for the user
		if _, err := e.Store.Write(e.Context(), e.As(by), &graph.MemoryWrite{
			IdempotencyKey: rand.Text(), Nodes: []graph.NodeWrite{node("concept", c.next(), 0.5, of(user))},
		}); err != nil {
			e.Fatal(err)
		}
	}
	tree, _, err := e.chats().CreateChatTree(e.Context(), e.As(user), "", &chat.TreeWrite{Name: graph.Some(c.next()), SystemPrompt: graph.Some(c.next())})
	if err != nil {
		e.Fatal(err)
	}
	root := e.turn(user, tree.ID, "", c.next())
	e.turn(user, tree.ID, root.ID, c.next())
	if _, err := e.chats().AnswerChatTurn(e.Context(), e.As(user), root.ID, &chat.Answer{AssistantText: graph.Some(c.next()), ProviderID: graph.Some(c.next())}); err != nil {
		e.Fatal(err)
	}
	e.Raw(fmt.Sprintf(`CREATE (:Import {team_id: $team, import_id: '%s', user_id: '%s', note: '%s'})`, rand.Text(), user, c.next()))
}

// kept writes data that stays when the user is erased. It names the user as author and participant.
func (e *env) kept(user string) {
	e.Helper()
	e.Write("u2", []graph.NodeWrite{owner1("other"), node("concept", "others", 0.5)}, link("other", "thinks_about", "others", 0.5))
	e.Write(user, []graph.NodeWrite{
		node("concept", "shared", 0.5, shared), node("entity", "thing", 0.5, shared), node("project", "gone", 0.5, shared),
		{Kind: "system_entity", EntityKey: "module", Name: graph.Some("module"), OwnFields: &graph.OwnFields{System: graph.Some("sys")}},
	})
	noted := link("shared", "involves", "thing", 0.5)
	noted.Notes = []graph.NoteWrite{{Content: "on a relationship"}}
	write := change("concept", "shared", func(w *graph.NodeWrite) {
		w.Notes = []graph.NoteWrite{{Content: `"added_by":"me"`, SourceEntityKey: graph.Some(user)}, {Content: "by another", AddedBy: graph.Some("u2")}}
	})
	result := e.Write(user, []graph.NodeWrite{write}, noted, link("thing", "relates_to", "shared", 0.5))
	e.Remove(user, "relationship", result.Relationships[1].Key)
	e.Remove(user, "project", "gone")
	e.Source("u2", graph.SourceWrite{EntityKey: "meeting", Participants: []string{user, "u3"}, Mentions: []string{"shared"}, Messages: []graph.MessageWrite{said("m", "x")}})
	e.turn(user, e.tree("").ID, "", "in the team's tree")
	e.Source("u2", graph.SourceWrite{EntityKey: "ended", Participants: []string{user}})
	e.Remove("u2", "source", "ended")
}

func TestEraseUser_slow(t *testing.T) {
	e := fresh(t)
	c := &canaries{stem: "canary-" + strings.ToLower(rand.Text()) + "-"}
	user := c.stem + "user"
	other := e.neighbour()
	other.kept(user) // the user of the same name in another team is another user
	before := e.lines(other.Team, "")
	e.kept(user)
	e.erased(user, c)
	if stored := len(e.lines(c.stem, other.Team)); c.made < 50 || stored < 40 {
		t.Fatalf("only %d canaries, %d rows", c.made, stored)
	}
	untouched := e.lines(e.Team, c.stem)
	receipt, err := e.eraseUser(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range e.lines(c.stem, other.Team) {
		t.Errorf("is left: %s", line)
	}
	e.Same("another team", before, e.lines(other.Team, ""))
	after := e.lines(e.Team, "")
	for _, line := range untouched {
		if !slices.Contains(after, line) {
			t.Errorf("is gone or changed: %s", line)
		}
	}
	want := erasure.Receipt{
		ErasedAt: noon, Nodes: 22, Messages: 4, Relationships: 8, NotesAnonymised: 2, Preferences: 1, Keys: 1, Records: 20, Anonymised: 10,
	}
	e.Same("receipt", want, receipt)
	e.Same("what is shared", [][]any{{int64(5), int64(3), int64(1), int64(1)}}, e.Raw(`MATCH (n {team_id: $team})
		WHERE NOT n:Former AND n.entity_key IN ['shared', 'thing', 'module', 'gone', 'meeting'] OPTIONAL MATCH (n)-[r]->()
		RETURN count(DISTINCT n), count(r), count(CASE WHEN n.entity_key = 'shared' AND n.source_count IS NULL THEN 1 END),
			count(CASE WHEN n.entity_key = 'meeting' AND n.participants = ['u2', 'u3'] AND type(r) = 'mentions' THEN 1 END)`))
	view, err := e.Store.Node(t.Context(), e.As("u2"), graph.KindOfLabel("Concept"), "shared", graph.NodeQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range view.Notes {
		if n.Content == `"added_by":"me"` && (n.AddedBy != nil || n.SourceEntityKey != nil) || n.Content == "by another" && n.AddedBy == nil {
			t.Errorf("note %q is by %v from %v", n.Content, n.AddedBy, n.SourceEntityKey)
		}
	}
	e.Same("notes", 2, len(view.Notes))
	again, err := e.eraseUser(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	e.Same("erasing again", erasure.Receipt{ErasedAt: noon}, again)
}

func TestEraseTeam_slow(t *testing.T) {
	e := fresh(t)
	c := &canaries{stem: "canary-" + strings.ToLower(rand.Text()) + "-"}
	other := e.neighbour()
	other.kept("u1")
	before := e.lines(other.Team, "")
	e.kept("u1")
	e.erased("u1", c)
	receipt, err := erasure.NewStore(e.Store).EraseTeam(t.Context(), e.Team, erasure.Beside{})
	if err != nil {
		t.Fatal(err)
	}
	e.Same("left of the team", []string(nil), e.lines(e.Team, ""))
	e.Same("left of its user", []string(nil), e.lines(c.stem, ""))
	e.Same("another team", before, e.lines(other.Team, ""))
	if receipt.Nodes < 25 || receipt.Keys != 1 || receipt.Preferences != 1 || receipt.Remaining != 0 {
		t.Errorf("receipt %+v", receipt)
	}
}

// TestEraseInSteps_slow checks that a user with more than one page or batch is erased completely, and that an interrupted erasure
// continues.
func TestEraseInSteps_slow(t *testing.T) {
	e := fresh(t)
	e.huge("u1", 6000)
	e.Write("u2", []graph.NodeWrite{owner1("other")})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	statements := 0
	e.Observe = func(string, time.Duration, error) {
		if statements++; statements == 8 {
			cancel()
		}
	}
	first, err := e.eraseUser(ctx, "u1")
	if err == nil || first.Relationships < 5000 {
		t.Fatalf("was not interrupted in the middle: %+v, %v", first, err)
	}
	second, err := e.eraseUser(t.Context(), "u1")
	if err != nil {
		t.Fatal(err)
	}
	e.Same("nodes", int64(6061), first.Nodes+second.Nodes)
	e.Same("relationships", int64(6300), first.Relationships+second.Relationships)
	e.Same("remaining", int64(0), second.Remaining)
	e.Same("nodes that stay", int64(1), e.Stored()[0])
}

// TestEraseTellsWhatIsLeft_slow checks that an erasure fails and reports what is left while a writer keeps writing.
func TestEraseTellsWhatIsLeft_slow(t *testing.T) {
	e := fresh(t)
	written := 0
	e.Observe = func(query string, _ time.Duration, _ error) {
		if query == "erasure_record_left" {
			written++
			e.Try("u1", []graph.NodeWrite{node("concept", fmt.Sprint(written), 0.5)})
		}
	}
	receipt, err := e.eraseUser(t.Context(), "u1")
	if !errors.Is(err, fault.ErrConflict) || receipt.Remaining == 0 {
		t.Errorf("%+v, %v", receipt, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.eraseUser(ctx, "u1"); err == nil {
		t.Error("an abandoned erasure is reported as done")
	}
	if _, err := e.eraseUser(t.Context(), ""); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("no user: %v", err)
	}
	if _, err := erasure.NewStore(e.Store).EraseTeam(t.Context(), "", erasure.Beside{}); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("no team: %v", err)
	}
}

// Preferences may be unavailable by themselves: the user's keys stay until they are erased, so that the user can repeat the erasure.
// They are erased once more while nobody can write.
func TestEraseWithPreferencesAway(t *testing.T) {
	e := fresh(t)
	user := "u1"
	if err := auth.NewStore(e.Store).CreateAPIKey(e.Context(), auth.APIKey{KeyID: rand.Text(), Hash: rand.Text(), TeamID: e.Team, UserID: &user, Scopes: []string{"write"}, CreatedAt: e.Now}); err != nil {
		t.Fatal(err)
	}
	keys := func() any {
		return e.Raw(`MATCH (k:ApiKey {team_id: $team, user_id: 'u1'}) RETURN count(k)`)[0][0]
	}
	calls, away := 0, graph.ErrUnavailable
	beside := erasure.Beside{Preferences: func(context.Context) (int64, error) {
		calls++
		return 1, away
	}}
	if _, err := erasure.NewStore(e.Store).EraseUser(t.Context(), e.As(user), beside); !errors.Is(err, graph.ErrUnavailable) {
		t.Errorf("away: %v", err)
	}
	e.Same("keys and calls", []any{int64(1), 1}, []any{keys(), calls})
	away = nil
	receipt, err := erasure.NewStore(e.Store).EraseUser(t.Context(), e.As(user), beside)
	e.Same("erased", []any{int64(0), 3, int64(2), nil}, []any{keys(), calls, receipt.Preferences, err})
}

// TestRecordPlans checks that the records of a team are found by an index, whatever their label.
func TestRecordPlans(t *testing.T) {
	e := fresh(t)
	for _, name := range cypher.Names() {
		q := cypher.Load(name)
		labels := []string{graph.DeletedLabel}
		if !strings.HasPrefix(name, "erasure_") && !strings.HasPrefix(name, "integrity_") {
			continue
		}
		if strings.Contains(q.Text, "n:Deleted {team_id: $team_id})") {
			labels = append(labels, graph.DeletedRelationshipLabel, "Preference", "ApiKey", "IdempotencyKey", "Import")
		}
		for _, label := range labels {
			plan := e.explain(cypher.ForLabel(q, label))
			plan.Each(func(o neo.Operator) {
				if scans.MatchString(o.Name) && allowed[name] != o.Name && !joinsSingles(o) {
					e.Errorf("%s for %s has %s:\n%s", name, label, o.Name, plan)
				}
			})
		}
	}
}
