package graph

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// proposal returns what a model could extract from a conversation about a brother, a quay and an aim.
func proposal() *Proposal {
	return &Proposal{
		Summary: " Jon is back from sea.\n",
		Nodes: []ProposedNode{
			{Ref: "n1", Kind: "person", Name: "Jon", Description: "her brother"},
			{Ref: "n2", Kind: "entity", Name: "Quay 4", Type: "place"},
			{Ref: "n3", Kind: "concept", Name: "Sail to Hvar", Description: "the goal of the year"},
		},
		Relationships: []ProposedRelationship{
			{From: ProposalUser, To: "n1", Type: "has_relationship_with", Description: "siblings", Attitude: Some(int64(5))},
			{From: "n1", To: "n2", Type: "associated_with"},
			{From: "n3", To: "n2", Type: "relates_to"},
		},
	}
}

func (e *env) accept(user, key string, p *Proposal) MemoryResult {
	e.Helper()
	result, err := e.store.Accept(e.Context(), e.as(user), key, p)
	if err != nil {
		e.Fatal(err)
	}
	return result
}

func TestProposalIsStored(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{owner1("me")})
	e.source("u1", SourceWrite{EntityKey: "s", Messages: []MessageWrite{said("m", "Jon is back.")}})
	before := e.see("u1", "s")
	e.same("status before", SourceRaw, before.ProcessingStatus)

	e.now = e.now.Add(time.Minute)
	e.changedUsers()
	result := e.accept("u1", "s", proposal())
	e.same("outcome", []Status{Created, Created, Created, Created, Created, Created}, statuses(result))
	e.same("warnings", []string{}, result.Warnings)
	e.same("users", []string{"u1"}, e.changedUsers())
	source := e.see("u1", "s")
	e.same("status", SourceExtracted, source.ProcessingStatus)
	e.same("summary", "Jon is back from sea.", source.Summary)
	e.same("processed", e.now, *source.ProcessedAt)
	e.same("what was said", []string{"Jon is back."}, e.messages("s"))

	jon := result.Nodes[0].EntityKey
	view, err := e.store.Node(t.Context(), e.as("u1"), PersonKind, jon, NodeQuery{Relationships: 10})
	if err != nil {
		t.Fatal(err)
	}
	e.same("description", "her brother", view.Description)
	e.same("whose", "u1", *view.UserID)
	e.same("authors", [][]any{{"llm", "llm", "llm", "u1"}},
		e.raw(`MATCH (me:Memory {team_id: $team, entity_key: 'me'})-[r:has_relationship_with]->(n)-[:associated_with]->(q)
		MATCH (n)-[a:associated_with]->(q) RETURN n.created_by, r.recorded_by, a.recorded_by, me.created_by`))
	e.same("mentions", [][]any{{int64(3)}}, e.raw(`MATCH (:Source {team_id: $team, entity_key: 's'})-[:mentions]->(n) RETURN count(n)`))
	e.same("in the owner's context", []string{}, linkedKeys(e.sections("u1").Relationships)) // candidates are not shown until they are recalled

	again := e.accept("u1", "s", proposal())
	e.same("again", []Status{Unchanged, Unchanged, Unchanged, Unchanged, Unchanged, Unchanged}, statuses(again))
}

// Existing memory stays as it is, whoever wrote it.
func TestProposalKeepsWhatIsThere(t *testing.T) {
	e := fresh(t)
	e.write("u1", []NodeWrite{
		owner1("me"), node("person", "p-jon", 0.5, func(w *NodeWrite) { w.Name, w.Description = Some("JON"), Some("written by hand") }),
		node("entity", "e-quay", 0.5, shared, func(w *NodeWrite) { w.Name, w.Type = Some("Quay 4"), Some("place") }),
		node("concept", "c-other", 0.5, of("u2"), func(w *NodeWrite) { w.Name = Some("Sail to Hvar") }),
	}, RelationshipWrite{From: "me", To: "p-jon", Type: "has_relationship_with", Description: Some("by hand"), Attitude: Some(int64(1))})
	e.source("u1", SourceWrite{EntityKey: "s", Summary: Some("A summary by hand.")})

	e.changedUsers()
	result := e.accept("u1", "s", proposal())
	e.same("outcome", []Status{Unchanged, Unchanged, Created, Unchanged, Created, Created}, statuses(result))
	e.same("found", []string{"p-jon", "e-quay"}, []string{result.Nodes[0].EntityKey, result.Nodes[1].EntityKey})
	e.same("summary", "A summary by hand.", e.see("u1", "s").Summary)
	e.same("as it was", [][]any{{"JON", "written by hand", "by hand", int64(1), "u1"}}, e.raw(
		`MATCH (n:Person {team_id: $team, entity_key: 'p-jon'})<-[r:has_relationship_with]-() RETURN n.name, n.description, r.description, r.attitude, r.recorded_by`))
	e.same("whose memory changed", []string{"u1"}, e.changedUsers())
}

func TestProposalWithoutAnOwner(t *testing.T) {
	e := fresh(t)
	e.source("u1", SourceWrite{EntityKey: "s"})
	e.disown("u1")
	e.changedUsers()
	result := e.accept("u1", "s", proposal())
	e.same("outcome", []Status{Created, Created, Created, Refused, Created, Created}, statuses(result))
	e.same("warnings", []string{"relationships[0].from: " + noSuchNode}, result.Warnings)
}

func TestProposalsAreOfTheirUser(t *testing.T) {
	e := fresh(t)
	e.source("u1", SourceWrite{EntityKey: "s", Participants: []string{"u2"}})
	e.write("u1", []NodeWrite{node("concept", "c", 0.5)})
	other := e.neighbour()
	for what, try := range map[string]func() error{
		"another user":    func() error { _, err := e.store.Accept(t.Context(), e.as("u2"), "s", proposal()); return err },
		"no user":         func() error { _, err := e.store.Accept(t.Context(), e.as(""), "s", proposal()); return err },
		"another team":    func() error { _, err := e.store.Accept(t.Context(), other.as("u1"), "s", proposal()); return err },
		"no source":       func() error { _, err := e.store.Accept(t.Context(), e.as("u1"), "none", proposal()); return err },
		"another kind":    func() error { return e.store.Decline(t.Context(), e.as("u1"), "c", "x") },
		"another's state": func() error { return e.store.Decline(t.Context(), e.as("u2"), "s", "x") },
		"another's text":  func() error { return e.store.Summarize(t.Context(), e.as("u2"), "s", "x") },
	} {
		if err := try(); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	e.same("nothing is written", [][]any{{int64(3)}}, e.raw(`MATCH (n:Memory {team_id: $team}) RETURN count(n)`))
}

func TestDigestStates(t *testing.T) {
	e := fresh(t)
	e.source("u1", SourceWrite{EntityKey: "s"})
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(e.store.Decline(t.Context(), e.as("u1"), "s", "the model\nwas away"+strings.Repeat("y", 5000)))
	failed := e.see("u1", "s")
	e.same("failed", []string{SourceFailed, "the model"}, []string{failed.ProcessingStatus, failed.ProcessingError})
	do(e.store.Summarize(t.Context(), e.as("u1"), "s", "one"))
	do(e.store.Summarize(t.Context(), e.as("u1"), "s", "two"))
	summed := e.see("u1", "s")
	e.same("summed up once", []string{SourceProcessed, "", "one"}, []string{summed.ProcessingStatus, summed.ProcessingError, summed.Summary})
	e.accept("u1", "s", &Proposal{})
	do(e.store.Summarize(t.Context(), e.as("u1"), "s", "three"))
	e.same("extracted stays", SourceExtracted, e.see("u1", "s").ProcessingStatus)
	for _, summary := range []string{" \n", strings.Repeat("x", MaxTextLength+1), "\xff"} {
		if err := e.store.Summarize(t.Context(), e.as("u1"), "s", summary); !errors.Is(err, ErrInvalid) {
			t.Errorf("%.10q: %v", summary, err)
		}
	}
	if _, err := e.store.Write(t.Context(), e.as("u1"), &MemoryWrite{Nodes: []NodeWrite{
		{Kind: "source", EntityKey: "s", OwnFields: &OwnFields{ProcessingStatus: Some(SourceRaw)}},
	}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a caller set the processing status: %v", err)
	}
}

func TestProposalFaults(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]*Proposal{
		"nodes":         {Nodes: make([]ProposedNode, MaxProposedNodes+1)},
		"relationships": {Relationships: make([]ProposedRelationship, MaxProposedRelationships+1)},
		"summary":       {Summary: strings.Repeat("x", MaxTextLength+1)},
		"nodes[0].kind nodes[0].name nodes[0].ref": {Nodes: []ProposedNode{{Kind: "source"}}},
		"nodes[0].type":              {Nodes: []ProposedNode{{Ref: "n1", Kind: "person", Name: "x", Type: "y"}}},
		"nodes[0].ref":               {Nodes: []ProposedNode{{Ref: ProposalUser, Kind: "person", Name: "x"}}},
		"nodes[1].name nodes[1].ref": {Nodes: []ProposedNode{{Ref: "a", Kind: "person", Name: "X y"}, {Ref: "a", Kind: "person", Name: "x  Y"}}},
		"relationships[0].from":      {Nodes: proposal().Nodes, Relationships: []ProposedRelationship{{From: "n9", To: "n1", Type: "relates_to"}}},
		"relationships[0].to":        {Nodes: proposal().Nodes, Relationships: []ProposedRelationship{{From: "n1", To: "n1", Type: "has_relationship_with"}}},
		"relationships[0].type":      {Nodes: proposal().Nodes, Relationships: []ProposedRelationship{{From: "n1", To: "n2", Type: "mentions"}}},
		"relationships[0].attitude": {Nodes: proposal().Nodes,
			Relationships: []ProposedRelationship{{From: "n1", To: "n2", Type: "associated_with", Attitude: Some(int64(6))}}},
		"relationships[1]": {Nodes: proposal().Nodes,
			Relationships: []ProposedRelationship{{From: "n1", To: "n2", Type: "associated_with"}, {From: "n1", To: "n2", Type: "associated_with"}}},
	} {
		if got := strings.Join(locations(p.Validate()), " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if err := proposal().Validate(); err != nil {
		t.Error(err)
	}
}
