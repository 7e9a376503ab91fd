package graph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
	"kith/loader"
	"kith/tests/testenv"
)

// TestOwnServer_slow has the tests that need their own Neo4j: one that starts empty, and one that goes away.
func TestOwnServer_slow(t *testing.T) {
	t.Parallel()
	server := testenv.StartNeo4j(t)
	e := open(t, server.Database(), graph.Options{})
	empty := map[string]string{}
	for _, step := range []struct {
		name string
		do   func(*testing.T, *env)
	}{
		{"schema by several at once", migrateAtOnce},
		{"plans with an empty database", func(_ *testing.T, e *env) { empty = e.checkPlans(firstStatements(e)...) }},
		// Neo4j drops all plans when an index comes or goes: so these are not on the shared one, whose tests would wait for new plans.
		{"a schema without search", olderSearch},
		{"a search without its index", searchWithoutIndex},
		{"relationship types of earlier versions", olderTypes},
		{"a missing index", missingIndex},
		{"searches beside other teams", searchesBeside},
		{"plans with one huge user", func(_ *testing.T, e *env) { e.Same("plans that are kept", empty, hugeUser(e)) }},
		{"plans with small users beside the huge one", func(_ *testing.T, e *env) { e.Same("plans that are kept", empty, smallUsers(e)) }},
		{"an outage", func(t *testing.T, e *env) { outage(t, e, server) }},
		{"an older schema", olderSchema},
		{"a newer schema", newerSchema},
	} {
		t.Run(step.name, func(t *testing.T) { step.do(t, e.of(t, e.Team)) })
	}
}

func migrateAtOnce(t *testing.T, e *env) {
	version, err := e.Store.SchemaVersion(t.Context())
	e.Same("version", []any{0, nil}, []any{version, err})
	for range 2 {
		var all errgroup.Group
		for range 2 {
			all.Go(func() error { return e.Store.Migrate(t.Context()) })
		}
		if err := all.Wait(); err != nil {
			t.Fatal(err)
		}
		version, err = e.Store.SchemaVersion(t.Context())
		e.Same("version", []any{len(cypher.Migrations()), nil}, []any{version, err})
	}
	e.Same("rows of the version", [][]any{{int64(1)}}, e.Raw(`MATCH (s:KithSchema) RETURN count(s)`))
	e.Same("indexes not online", [][]any{{int64(0)}}, e.Raw(`SHOW INDEXES YIELD state WHERE state <> 'ONLINE' RETURN count(*)`))
	for _, mode := range []loader.Mode{loader.Combined, loader.Parallel} {
		contexts := loader.New(e.contexts(), nil, loader.Options{Mode: mode})
		if err := errors.Join(contexts.Warm(t.Context(), false), contexts.Warm(t.Context(), true)); err != nil {
			t.Error(err)
		}
	}
}

// firstStatements returns the statements whose plans are checked with an empty database. Of those that Neo4j plans anew when there are
// data it returns none without KITH_TEST_PLANS, as all plans take a minute.
func firstStatements(e *env) []cypher.Query {
	if os.Getenv("KITH_TEST_PLANS") == "all" {
		hub := func(q cypher.Query) bool { return q.Name == "export_hub" } // which runs for nodes of many relationships only
		return slices.DeleteFunc(e.statements(), hub)
	}
	return e.keptStatements()
}

// hugeUser checks the plans with a user of 10,000 relationships, and returns those that Neo4j keeps.
func hugeUser(e *env) (kept map[string]string) {
	small := e.of(e.T, e.Team+"-small")
	small.huge("u", 100)
	few := small.walkHits("u")
	e.huge("u", 10_000)
	kept = e.checkPlans(e.statements()...)
	many := e.walkHits("u")
	e.Logf("database hits of the walks for 10 relationships: %d of 100, %d of 10,000", few, many)
	if many > 110 || many > few+7 { // 105 of Neo4j 2026.08
		e.Errorf("the walks for 10 of 10,000 relationships cost %d hits, those for 10 of 100 %d", many, few)
	}
	s := e.sections("u")
	e.Same("found", []int{10, 5, 10, 20}, []int{len(s.CoreBeliefs), len(s.PrimaryGoals), len(s.Relationships), len(s.Sources)})
	return kept
}

// smallUsers checks the plans with more small users, and returns those that Neo4j keeps.
func smallUsers(e *env) (kept map[string]string) {
	for i := range 15 {
		e.of(e.T, fmt.Sprintf("%s-%d", e.Team, i)).huge("u", 12)
	}
	return e.checkPlans(e.keptStatements()...) // of all teams: a plan does not depend on parameters
}

// outage takes the server down under writers, and brings it back.
func outage(t *testing.T, e *env, server *testenv.Neo4jServer) {
	e.Team += "-outage"
	acknowledged := writeUntilDown(t, e, server)

	var all errgroup.Group
	for name, do := range map[string]func(context.Context) error{
		"ping": e.Store.Ping,
		"read": func(ctx context.Context) error {
			_, err := e.contexts().ReadSections(ctx, e.As("u"), loader.AllSections, loader.SectionQuery{Now: noon})
			return err
		},
		"write": func(ctx context.Context) error {
			_, err := e.Store.Write(ctx, e.As("u"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{node("concept", "x", 1, described(secret))}})
			return err
		},
		"source": func(ctx context.Context) error {
			_, err := e.Store.WriteSource(ctx, e.As("u"), &graph.SourceWrite{Summary: graph.Some(secret)})
			return err
		},
		"migrate": e.Store.Migrate,
	} {
		all.Go(func() error {
			started := time.Now()
			err := do(t.Context())
			if took := time.Since(started); !errors.Is(err, graph.ErrUnavailable) || strings.Contains(err.Error(), secret) || took > 20*time.Second {
				return fmt.Errorf("%s while it is down: after %v: %w", name, took, err)
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Error(err)
	}
	hurried, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	started := time.Now()
	if err := e.Store.Ping(hurried); !errors.Is(err, graph.ErrUnavailable) || time.Since(started) > 2*time.Second {
		t.Errorf("a call with a deadline: %v after %v", err, time.Since(started))
	}

	server.Start()
	pooled(t, e, 32) // the old connections of the pool are broken
	for _, key := range acknowledged {
		if e.read(key) == nil {
			t.Errorf("%s was acknowledged and is gone", key)
		}
	}
	e.Write("u", []graph.NodeWrite{node("concept", "after", 1)})
}

// pooled opens connections at the same time: every call must succeed.
func pooled(t *testing.T, e *env, connections int) {
	t.Helper()
	var all errgroup.Group
	for i := range connections {
		all.Go(func() error {
			if i%4 > 0 {
				_, err := e.contexts().ReadSections(t.Context(), e.As("u"), loader.AllSections, loader.SectionQuery{Now: noon})
				return err
			}
			_, err := e.Store.Write(t.Context(), e.As("u"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{node("concept", fmt.Sprint("pooled-", i), 1)}})
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
}

// writeUntilDown stops the server during four writers, and returns the keys of confirmed writes.
func writeUntilDown(t *testing.T, e *env, server *testenv.Neo4jServer) (keys []string) {
	t.Helper()
	var mu sync.Mutex
	enough := make(chan struct{})
	var all errgroup.Group
	for writer := range 4 {
		all.Go(func() error {
			for i := 0; ; i++ {
				key := fmt.Sprintf("w-%d-%d", writer, i)
				_, err := e.Store.Write(t.Context(), e.As("u"), &graph.MemoryWrite{Nodes: []graph.NodeWrite{node("concept", key, 1)}})
				if errors.Is(err, graph.ErrUnavailable) {
					return nil
				}
				if err != nil {
					return err
				}
				mu.Lock()
				if keys = append(keys, key); len(keys) == 40 {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	<-enough
	server.Stop()
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	return keys
}

// schemaFindings returns the findings of an integrity check of the schema.
func (e *env) schemaFindings(fix bool) (found []graph.Finding) {
	e.Helper()
	c := graph.NewChecker(e.Store, graph.IntegrityOptions{Fix: fix, Report: func(f graph.Finding) { found = append(found, f) }})
	if err := c.SchemaForTest(e.Context()); err != nil {
		e.Fatal(err)
	}
	return found
}

func olderSchema(_ *testing.T, e *env) {
	known := len(cypher.Migrations())
	e.Raw(fmt.Sprintf(`MATCH (s:KithSchema) SET s.version = %d`, known-1))
	f := graph.Finding{Check: "schema", Detail: fmt.Sprintf("the schema has version %d, this kith needs %d", known-1, known), Advice: "kith check --fix repairs it"}
	e.Same("found", []graph.Finding{f}, e.schemaFindings(false))
	f.Repaired, f.Advice = true, ""
	e.Same("repaired", []graph.Finding{f}, e.schemaFindings(true))
	e.Same("again", 0, len(e.schemaFindings(false)))
}

// olderSearch upgrades a database from before searches: everything is found afterwards.
func olderSearch(t *testing.T, e *env) {
	e.Team += "-older"
	e.searchable()
	fresh := e.searchedBy()
	e.forget()
	for _, index := range []string{"message_words", "memory_texts", "relationship_words", graph.OthersIndex} {
		e.Raw(`DROP INDEX ` + index)
	}
	e.Raw(fmt.Sprintf(`MATCH (s:KithSchema) SET s.version = %d`, graph.SearchVersion-1))
	if err := e.Store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Same("found by", fresh, e.searchedBy())
	e.finds("u1", "three", "m1", "m2", "m3")
}

// searchesBeside checks that the cost of a search depends on the team's data, and not on the data of others.
func searchesBeside(_ *testing.T, e *env) {
	small := e.of(e.T, e.Team+"-beside")
	small.crowd("u", 30)
	small.lit("u")
	before := small.searchHits("u")
	for i := range 3 {
		e.of(e.T, fmt.Sprintf("%s-crowd-%d", e.Team, i)).crowd("u", 100)
	}
	after := small.searchHits("u")
	e.Logf("database hits of a search and of its details: %v alone, %v beside ten times as much", before, after)
	for i, name := range []string{"search", "found"} {
		if before[i] == 0 || after[i] > before[i]+before[i]/10 {
			e.Errorf("%s costs %d database hits beside other teams, %d alone", name, after[i], before[i])
		}
	}
}

// searchHits returns the database hits of a search, and of the details of its results.
func (e *env) searchHits(user string) (all []int64) {
	e.Helper()
	e.Raw("CALL db.prepareForReplanning()")
	found := e.search(user, askWords("lantern"))
	scope := e.As(user)
	details := cypher.LoadCombined("found", "found_messages", "found_sources", "found_nodes", "found_relationships", "found_stories")
	for _, step := range []struct {
		query  cypher.Query
		params map[string]any
	}{
		{cypher.Load("search"), searchParams(scope, "lantern")},
		{details, detailParams(scope, foundMessages(&found), foundSources(&found), foundNodes(&found))},
	} {
		hits := int64(0)
		neo.PlanOf(e.summary("PROFILE ", step.query, step.params).Profile()).Each(func(o neo.Operator) { hits += o.Hits })
		all = append(all, hits)
	}
	return all
}

func newerSchema(t *testing.T, e *env) {
	e.Raw(`MATCH (s:KithSchema) SET s.version = 999`)
	e.Raw(`DROP INDEX chat_turn_team`) // a newer version may not need it
	for _, fix := range []bool{false, true} {
		f := graph.Finding{Check: "schema", Detail: fmt.Sprintf("the schema has version 999, this kith needs %d", len(cypher.Migrations())), Advice: "use a newer kith"}
		e.Same("found", []graph.Finding{f}, e.schemaFindings(fix))
	}
	err := e.Store.Migrate(t.Context())
	if !errors.Is(err, graph.ErrSchemaNewer) {
		t.Errorf("migrate: %v", err)
	}
	version, err := e.Store.SchemaVersion(t.Context())
	e.Same("version", []any{999, nil}, []any{version, err})
}

func TestAtLeast(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"5.26.0": true, "5.26.24": true, "5.27.1": true, "5.26": true, "2025.01.0": true, "6.0.0": true,
		"5.25.9": false, "4.4.40": false, "5": false, "": false, "x.y.z": false, "5.2.6": false, "5.26-aura": false,
	} {
		if got := graph.AtLeast(version, 5, 26); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

// TestMembersAreAwaited asks each member of a cluster for its indexes, but for one that cannot be reached.
func TestMembersAreAwaited(t *testing.T) {
	t.Parallel()
	db := testenv.Neo4j(t)
	cluster := testenv.StartCluster(t, db)
	for _, c := range []struct {
		uri  string
		want int
	}{{db.URI, 0}, {strings.Replace(db.URI, "bolt://", "neo4j://", 1), 1}, {cluster.URI(), 3}} {
		var log bytes.Buffer
		at := db
		at.URI = c.uri
		e := open(t, at, graph.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		members, err := e.Store.DB().Members(t.Context())
		if err != nil || len(members) != c.want {
			t.Errorf("%s: %q, %v", c.uri, members, err)
		}
		if c.want == 3 {
			cluster.Kill(2)
			defer cluster.Revive(2)
		}
		if err := e.Store.AwaitMembers(t.Context()); err != nil {
			t.Errorf("%s: %v", c.uri, err)
		}
		if got := strings.Contains(log.String(), "member="+cluster.Address(2)); got != (c.want == 3) {
			t.Errorf("%s: the log says %s", c.uri, log.String())
		}
	}
}
