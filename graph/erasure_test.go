package graph

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/neo"

	"kith/cypher"
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
		for _, row := range e.raw(found) {
			var pairs []string
			for _, pair := range neo.List(row[1]) {
				pairs = append(pairs, fmt.Sprint(pair))
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
	var nodes []NodeWrite
	for _, kind := range WritableKinds() {
		switch kind {
		case "message", "source", "system_entity":
			continue
		}
		w := node(kind, c.next(), 0.5, described(c.next()))
		w.Name = Some(c.next())
		w.Notes = []NoteWrite{{Content: c.next()}}
		nodes = append(nodes, w)
	}
	nodes[0].IsOwner = Some(true)
	me, concept := nodes[0].EntityKey, nodes[1].EntityKey
	thoughts := link(me, "thinks_about", concept, 0.5)
	thoughts.Description, thoughts.Notes = Some(c.next()), []NoteWrite{{Content: c.next()}}
	about := link(me, "involves", "shared", 0.5)
	about.Description = Some(c.next())
	gone := link(concept, "relates_to", "shared", 0.5)
	gone.Description = Some(c.next())
	result := e.write(user, nodes, thoughts, about, gone)
	e.write(user, nil, closed(me, "thinks_about", concept, e.now))
	e.remove(user, "relationship", result.Relationships[2].Key)
	for _, source := range []string{"source", "other"} {
		e.source(user, SourceWrite{
			EntityKey: c.stem + source, Summary: Some(c.next()), Mentions: []string{"shared", concept},
			Messages: []MessageWrite{said(c.next(), c.next()), said("", c.next())},
		})
	}
	e.remove(user, "source", c.stem+"other")
	e.write(user, []NodeWrite{node("task", c.stem+"task", 0.5, described(c.next())), node("person", c.stem+"person", 0.5)},
		link(c.stem+"person", "involves", "shared", 0.4))
	e.remove(user, "task", c.stem+"task")
	e.remove(user, "person", c.stem+"person")
	if err := e.store.ReplacePreferences(e.Context(), e.as(user), []Preference{{c.next(), []byte(`"` + c.next() + `"`)}}); err != nil {
		e.Fatal(err)
	}
	if err := e.store.CreateAPIKey(e.Context(), APIKey{KeyID: rand.Text(), Hash: c.next(), TeamID: e.team, UserID: &user, Scopes: []string{"read"},
		CreatedAt: e.now}); err != nil {
		e.Fatal(err)
	}
	for _, by := range []string{user, ""} { // as the user, and as the team for the user
		if _, err := e.store.Write(e.Context(), e.as(by), &MemoryWrite{
			IdempotencyKey: rand.Text(), Nodes: []NodeWrite{node("concept", c.next(), 0.5, of(user))},
		}); err != nil {
			e.Fatal(err)
		}
	}
	tree := e.tree(user, c.next(), c.next())
	e.turn(user, user, tree, c.next(), c.next())
	e.turn(user, user, tree, c.next(), "")
	e.raw(fmt.Sprintf(`CREATE (:Import {team_id: $team, import_id: '%s', user_id: '%s', note: '%s'})`, rand.Text(), user, c.next()))
}

func (e *env) remove(user, kind, key string) {
	e.Helper()
	var err error
	if k, ok := KindOf(kind); ok {
		_, err = e.store.DeleteNode(e.Context(), e.as(user), k, key, 0)
	} else {
		_, err = e.store.DeleteRelationship(e.Context(), e.as(user), key, 0)
	}
	if err != nil {
		e.Fatal(err)
	}
}

// kept writes data that stays when the user is erased. It names the user as author and participant.
func (e *env) kept(user string) {
	e.Helper()
	e.write("u2", []NodeWrite{owner1("other"), node("concept", "others", 0.5)}, link("other", "thinks_about", "others", 0.5))
	e.write(user, []NodeWrite{
		node("concept", "shared", 0.5, shared), node("entity", "thing", 0.5, shared), node("project", "gone", 0.5, shared),
		{Kind: "system_entity", EntityKey: "module", Name: Some("module"), OwnFields: &OwnFields{System: Some("sys")}},
	})
	noted := link("shared", "involves", "thing", 0.5)
	noted.Notes = []NoteWrite{{Content: "on a relationship"}}
	write := change("concept", "shared", func(w *NodeWrite) {
		w.Notes = []NoteWrite{{Content: `"added_by":"me"`, SourceEntityKey: Some(user)}, {Content: "by another", AddedBy: Some("u2")}}
	})
	result := e.write(user, []NodeWrite{write}, noted, link("thing", "relates_to", "shared", 0.5))
	e.remove(user, "relationship", result.Relationships[1].Key)
	e.remove(user, "project", "gone")
	e.source("u2", SourceWrite{EntityKey: "meeting", Participants: []string{user, "u3"}, Mentions: []string{"shared"}, Messages: []MessageWrite{said("m", "x")}})
	e.turn(user, "", e.tree(""), "in the team's tree", "")
	e.source("u2", SourceWrite{EntityKey: "ended", Participants: []string{user}})
	e.remove("u2", "source", "ended")
}

func TestEraseUser(t *testing.T) {
	e := fresh(t)
	c := &canaries{stem: "canary-" + strings.ToLower(rand.Text()) + "-"}
	user := c.stem + "user"
	other := e.neighbour()
	other.kept(user) // the user of the same name in another team is another user
	before := e.lines(other.team, "")
	e.kept(user)
	e.erased(user, c)
	if stored := len(e.lines(c.stem, other.team)); c.made < 50 || stored < 40 {
		t.Fatalf("only %d canaries, %d rows", c.made, stored)
	}
	untouched := e.lines(e.team, c.stem)
	receipt, err := e.store.EraseUser(t.Context(), e.as(user))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range e.lines(c.stem, other.team) {
		t.Errorf("is left: %s", line)
	}
	e.same("another team", before, e.lines(other.team, ""))
	after := e.lines(e.team, "")
	for _, line := range untouched {
		if !slices.Contains(after, line) {
			t.Errorf("is gone or changed: %s", line)
		}
	}
	want := Erasure{
		ErasedAt: noon, Nodes: 21, Messages: 4, Relationships: 8, NotesAnonymised: 2, Preferences: 1, Keys: 1, Records: 7, Anonymised: 9,
	}
	e.same("receipt", want, receipt)
	e.same("what is shared", [][]any{{int64(5), int64(3), int64(1), int64(1)}}, e.raw(`MATCH (n {team_id: $team})
		WHERE n.entity_key IN ['shared', 'thing', 'module', 'gone', 'meeting'] OPTIONAL MATCH (n)-[r]->()
		RETURN count(DISTINCT n), count(r), count(CASE WHEN n.entity_key = 'shared' AND n.source_count IS NULL THEN 1 END),
			count(CASE WHEN n.entity_key = 'meeting' AND n.participants = ['u2', 'u3'] AND type(r) = 'mentions' THEN 1 END)`))
	view, err := e.store.Node(t.Context(), e.as("u2"), kindOfLabel("Concept"), "shared", NodeQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range view.Notes {
		if n.Content == `"added_by":"me"` && (n.AddedBy != nil || n.SourceEntityKey != nil) || n.Content == "by another" && n.AddedBy == nil {
			t.Errorf("note %q is by %v from %v", n.Content, n.AddedBy, n.SourceEntityKey)
		}
	}
	e.same("notes", 2, len(view.Notes))
	again, err := e.store.EraseUser(t.Context(), e.as(user))
	if err != nil {
		t.Fatal(err)
	}
	e.same("erasing again", Erasure{ErasedAt: noon}, again)
}

func TestEraseTeam(t *testing.T) {
	e := fresh(t)
	c := &canaries{stem: "canary-" + strings.ToLower(rand.Text()) + "-"}
	other := e.neighbour()
	other.kept("u1")
	before := e.lines(other.team, "")
	e.kept("u1")
	e.erased("u1", c)
	receipt, err := e.store.EraseTeam(t.Context(), e.team)
	if err != nil {
		t.Fatal(err)
	}
	e.same("left of the team", []string(nil), e.lines(e.team, ""))
	e.same("left of its user", []string(nil), e.lines(c.stem, ""))
	e.same("another team", before, e.lines(other.team, ""))
	if receipt.Nodes < 25 || receipt.Keys != 1 || receipt.Preferences != 1 || receipt.Remaining != 0 {
		t.Errorf("receipt %+v", receipt)
	}
}

// TestEraseInSteps checks that a user with more than one page or batch is erased completely, and that an interrupted erasure
// continues.
func TestEraseInSteps(t *testing.T) {
	e := fresh(t)
	e.huge("u1", 6000)
	e.write("u2", []NodeWrite{owner1("other")})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	statements := 0
	e.observe = func(string, time.Duration, error) {
		if statements++; statements == 8 {
			cancel()
		}
	}
	first, err := e.store.EraseUser(ctx, e.as("u1"))
	if err == nil || first.Relationships < 5000 {
		t.Fatalf("was not interrupted in the middle: %+v, %v", first, err)
	}
	second, err := e.store.EraseUser(t.Context(), e.as("u1"))
	if err != nil {
		t.Fatal(err)
	}
	e.same("nodes", int64(6061), first.Nodes+second.Nodes)
	e.same("relationships", int64(6300), first.Relationships+second.Relationships)
	e.same("remaining", int64(0), second.Remaining)
	e.same("nodes that stay", int64(1), e.stored()[0])
}

// TestEraseTellsWhatIsLeft checks that an erasure fails and reports what is left while a writer keeps writing.
func TestEraseTellsWhatIsLeft(t *testing.T) {
	e := fresh(t)
	written := 0
	e.observe = func(query string, _ time.Duration, _ error) {
		if query == "erasure_record_left" {
			written++
			e.try("u1", []NodeWrite{node("concept", fmt.Sprint(written), 0.5)})
		}
	}
	receipt, err := e.store.EraseUser(t.Context(), e.as("u1"))
	if !errors.Is(err, ErrConflict) || receipt.Remaining == 0 {
		t.Errorf("%+v, %v", receipt, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.store.EraseUser(ctx, e.as("u1")); err == nil {
		t.Error("an abandoned erasure is reported as done")
	}
	if _, err := e.store.EraseUser(t.Context(), e.as("")); !errors.Is(err, ErrInvalid) {
		t.Errorf("no user: %v", err)
	}
	if _, err := e.store.EraseTeam(t.Context(), ""); !errors.Is(err, ErrInvalid) {
		t.Errorf("no team: %v", err)
	}
}

// TestRecordPlans checks that the records of a team are found by an index, whatever their label.
func TestRecordPlans(t *testing.T) {
	e := fresh(t)
	for _, name := range cypher.Names() {
		q := cypher.Load(name)
		labels := []string{deletedLabel}
		if !strings.HasPrefix(name, "erasure_") && !strings.HasPrefix(name, "audit_") {
			continue
		}
		if strings.Contains(q.Text, "n:Deleted {team_id: $team_id})") {
			labels = append(labels, deletedRelationshipLabel, preferenceLabel, apiKeyLabel, "IdempotencyKey", "Import")
		}
		for _, label := range labels {
			plan := e.explain(cypher.ForLabel(q, label))
			plan.each(func(o operator) {
				if scans.MatchString(o.name) && allowed[name] != o.name && !o.joinsSingles() {
					e.Errorf("%s for %s has %s:\n%s", name, label, o.name, plan)
				}
			})
		}
	}
}
