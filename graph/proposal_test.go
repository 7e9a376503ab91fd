package graph_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

// proposal returns what a model could extract from a conversation about a brother, a quay and an aim.
func proposal() *graph.Proposal {
	return &graph.Proposal{
		Summary: " Jon is back from sea.\n",
		Nodes: []graph.ProposedNode{
			{Ref: "n1", Kind: "person", Name: "Jon", Description: "her brother"},
			{Ref: "n2", Kind: "entity", Name: "Quay 4", Type: "place"},
			{Ref: "n3", Kind: "concept", Name: "Sail to Hvar", Description: "the goal of the year"},
		},
		Relationships: []graph.ProposedRelationship{
			{From: graph.ProposalUser, To: "n1", Type: "has_relationship_with", Description: "siblings", Attitude: graph.Some(int64(5))},
			{From: "n1", To: "n2", Type: "associated_with"},
			{From: "n3", To: "n2", Type: "relates_to"},
		},
	}
}

func (e *env) accept(user, key string, p *graph.Proposal) graph.MemoryResult {
	e.Helper()
	result, err := e.Store.Accept(e.Context(), e.As(user), key, p)
	if err != nil {
		e.Fatal(err)
	}
	return result
}

func TestProposalIsStored(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{owner1("me")})
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m", "Jon is back.")}})
	before := e.see("u1", "s")
	e.Same("status before", graph.SourceRaw, before.ProcessingStatus)

	e.Now = e.Now.Add(time.Minute)
	e.ChangedUsers()
	result := e.accept("u1", "s", proposal())
	e.Same("outcome", []graph.Status{graph.Created, graph.Created, graph.Created, graph.Created, graph.Created, graph.Created}, statuses(result))
	e.Same("warnings", []string{}, result.Warnings)
	e.Same("users", []string{"u1"}, e.ChangedUsers())
	source := e.see("u1", "s")
	e.Same("status", graph.SourceExtracted, source.ProcessingStatus)
	e.Same("summary", "Jon is back from sea.", source.Summary)
	e.Same("processed", e.Now, *source.ProcessedAt)
	e.Same("what was said", []string{"Jon is back."}, e.messages("s"))

	jon := result.Nodes[0].EntityKey
	view, err := e.Store.Node(t.Context(), e.As("u1"), graph.PersonKind, jon, graph.NodeQuery{Relationships: 10})
	if err != nil {
		t.Fatal(err)
	}
	e.Same("description", "her brother", view.Description)
	e.Same("whose", "u1", *view.UserID)
	e.Same("authors", [][]any{{"llm", "llm", "llm", "u1"}},
		e.Raw(`MATCH (me:Memory {team_id: $team, entity_key: 'me'})-[r:has_relationship_with]->(n)-[:associated_with]->(q)
		MATCH (n)-[a:associated_with]->(q) RETURN n.created_by, r.recorded_by, a.recorded_by, me.created_by`))
	e.Same("mentions", [][]any{{int64(3)}}, e.Raw(`MATCH (:Source {team_id: $team, entity_key: 's'})-[:mentions]->(n) RETURN count(n)`))
	e.Same("in the owner's context", []string{}, linkedKeys(e.sections("u1").Relationships)) // candidates are not shown until they are recalled

	again := e.accept("u1", "s", proposal())
	e.Same("again", []graph.Status{graph.Unchanged, graph.Unchanged, graph.Unchanged, graph.Unchanged, graph.Unchanged, graph.Unchanged}, statuses(again))
}

// Existing memory stays as it is, whoever wrote it.
func TestProposalKeepsWhatIsThere(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{
		owner1("me"), node("person", "p-jon", 0.5, func(w *graph.NodeWrite) { w.Name, w.Description = graph.Some("JON"), graph.Some("written by hand") }),
		node("entity", "e-quay", 0.5, shared, func(w *graph.NodeWrite) { w.Name, w.Type = graph.Some("Quay 4"), graph.Some("place") }),
		node("concept", "c-other", 0.5, of("u2"), func(w *graph.NodeWrite) { w.Name = graph.Some("Sail to Hvar") }),
	}, graph.RelationshipWrite{From: "me", To: "p-jon", Type: "has_relationship_with", Description: graph.Some("by hand"), Attitude: graph.Some(int64(1))})
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Summary: graph.Some("A summary by hand.")})

	e.ChangedUsers()
	result := e.accept("u1", "s", proposal())
	e.Same("outcome", []graph.Status{graph.Unchanged, graph.Unchanged, graph.Created, graph.Unchanged, graph.Created, graph.Created}, statuses(result))
	e.Same("found", []string{"p-jon", "e-quay"}, []string{result.Nodes[0].EntityKey, result.Nodes[1].EntityKey})
	e.Same("summary", "A summary by hand.", e.see("u1", "s").Summary)
	e.Same("as it was", [][]any{{"JON", "written by hand", "by hand", int64(1), "u1"}}, e.Raw(
		`MATCH (n:Person {team_id: $team, entity_key: 'p-jon'})<-[r:has_relationship_with]-() RETURN n.name, n.description, r.description, r.attitude, r.recorded_by`))
	e.Same("whose memory changed", []string{"u1"}, e.ChangedUsers())
}

func TestProposalMakesTheOwner(t *testing.T) {
	e := fresh(t)
	e.Source("u1", graph.SourceWrite{EntityKey: "s"})
	e.disown("u1")
	e.ChangedUsers()
	result := e.accept("u1", "s", proposal())
	e.Same("outcome", slices.Repeat([]graph.Status{graph.Created}, 6), statuses(result))
	e.Same("warnings", []string{}, result.Warnings)
	e.Same("owner", 1, len(e.ownersOf("u1")))
}

func TestProposalsAreOfTheirUser(t *testing.T) {
	e := fresh(t)
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Participants: []string{"u2"}})
	e.Write("u1", []graph.NodeWrite{node("concept", "c", 0.5)})
	other := e.neighbour()
	for what, try := range map[string]func() error{
		"another user":    func() error { _, err := e.Store.Accept(t.Context(), e.As("u2"), "s", proposal()); return err },
		"no user":         func() error { _, err := e.Store.Accept(t.Context(), e.As(""), "s", proposal()); return err },
		"another team":    func() error { _, err := e.Store.Accept(t.Context(), other.As("u1"), "s", proposal()); return err },
		"no source":       func() error { _, err := e.Store.Accept(t.Context(), e.As("u1"), "none", proposal()); return err },
		"another kind":    func() error { return e.Store.Decline(t.Context(), e.As("u1"), "c", "x") },
		"another's state": func() error { return e.Store.Decline(t.Context(), e.As("u2"), "s", "x") },
		"another's text":  func() error { return e.Store.Summarize(t.Context(), e.As("u2"), "s", "x") },
	} {
		if err := try(); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	e.Same("nothing is written", [][]any{{int64(3)}}, e.Raw(`MATCH (n:Memory {team_id: $team}) RETURN count(n)`))
}

func TestDigestStates(t *testing.T) {
	e := fresh(t)
	e.Source("u1", graph.SourceWrite{EntityKey: "s"})
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(e.Store.Decline(t.Context(), e.As("u1"), "s", "the model\nwas away"+strings.Repeat("y", 5000)))
	failed := e.see("u1", "s")
	e.Same("failed", []string{graph.SourceFailed, "the model"}, []string{failed.ProcessingStatus, failed.ProcessingError})
	do(e.Store.Summarize(t.Context(), e.As("u1"), "s", "one"))
	do(e.Store.Summarize(t.Context(), e.As("u1"), "s", "two"))
	summed := e.see("u1", "s")
	e.Same("summed up once", []string{graph.SourceProcessed, "", "one"}, []string{summed.ProcessingStatus, summed.ProcessingError, summed.Summary})
	e.accept("u1", "s", &graph.Proposal{})
	do(e.Store.Summarize(t.Context(), e.As("u1"), "s", "three"))
	e.Same("extracted stays", graph.SourceExtracted, e.see("u1", "s").ProcessingStatus)
	for _, summary := range []string{" \n", strings.Repeat("x", bounds.TextLength+1), "\xff"} {
		if err := e.Store.Summarize(t.Context(), e.As("u1"), "s", summary); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%.10q: %v", summary, err)
		}
	}
	if _, err := e.Store.Write(t.Context(), e.As("u1"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{
		{Kind: "source", EntityKey: "s", OwnFields: &graph.OwnFields{ProcessingStatus: graph.Some(graph.SourceRaw)}},
	}}); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("a caller set the processing status: %v", err)
	}
}

func TestProposalFaults(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]*graph.Proposal{
		"nodes":         {Nodes: make([]graph.ProposedNode, graph.MaxProposedNodes+1)},
		"relationships": {Relationships: make([]graph.ProposedRelationship, graph.MaxProposedRelationships+1)},
		"summary":       {Summary: strings.Repeat("x", bounds.TextLength+1)},
		"nodes[0].kind nodes[0].name nodes[0].ref": {Nodes: []graph.ProposedNode{{Kind: "source"}}},
		"nodes[0].type":              {Nodes: []graph.ProposedNode{{Ref: "n1", Kind: "person", Name: "x", Type: "y"}}},
		"nodes[0].ref":               {Nodes: []graph.ProposedNode{{Ref: graph.ProposalUser, Kind: "person", Name: "x"}}},
		"nodes[1].name nodes[1].ref": {Nodes: []graph.ProposedNode{{Ref: "a", Kind: "person", Name: "X y"}, {Ref: "a", Kind: "person", Name: "x  Y"}}},
		"relationships[0].from":      {Nodes: proposal().Nodes, Relationships: []graph.ProposedRelationship{{From: "n9", To: "n1", Type: "relates_to"}}},
		"relationships[0].to":        {Nodes: proposal().Nodes, Relationships: []graph.ProposedRelationship{{From: "n1", To: "n1", Type: "has_relationship_with"}}},
		"relationships[0].type":      {Nodes: proposal().Nodes, Relationships: []graph.ProposedRelationship{{From: "n1", To: "n2", Type: "mentions"}}},
		"relationships[0].attitude": {Nodes: proposal().Nodes,
			Relationships: []graph.ProposedRelationship{{From: "n1", To: "n2", Type: "associated_with", Attitude: graph.Some(int64(6))}}},
		"relationships[1]": {Nodes: proposal().Nodes,
			Relationships: []graph.ProposedRelationship{{From: "n1", To: "n2", Type: "associated_with"}, {From: "n1", To: "n2", Type: "associated_with"}}},
	} {
		if got := strings.Join(graphtest.Locations(p.Validate()), " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if err := proposal().Validate(); err != nil {
		t.Error(err)
	}
}
