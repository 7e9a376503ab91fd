package graph_test

import (
	"slices"
	"testing"

	"kith/cypher"
	"kith/graph"
	"kith/graph/neo"
	"kith/tests/testenv"
)

// damages are statements that damage a team, each with the check that finds it. An unrepaired one leaves Kith no single repair.
var damages = []struct {
	check, statement string
	unrepaired       bool
}{
	{check: "across_teams", statement: `MATCH (a:Memory {team_id: $team, entity_key: 'c'}) CREATE (b:Memory:Concept {team_id: $team + '-x', entity_key: 'x', natural_key: 'concept' + '\u001f\u001f' + 'x', name: 'x'}) CREATE (a)-[:relates_to {team_id: $team, key: 'k'}]->(b)`},
	{check: "without_team", statement: `MATCH (:Memory {team_id: $team, entity_key: 'me'})-[r:thinks_about]->() SET r.team_id = null`},
	{check: "without_team", statement: `MATCH (:Memory {team_id: $team, entity_key: 's'})-[r:has_message]->() SET r.team_id = 'other'`},
	{check: "two_users", statement: `MATCH (a:Memory {team_id: $team, entity_key: 'c'}), (b:Memory {team_id: $team, entity_key: 'theirs'}) CREATE (a)-[:relates_to {team_id: $team, key: 'k'}]->(b)`},
	{check: "wrong_user", statement: `MATCH (:Memory {team_id: $team, entity_key: 'me'})-[r:thinks_about]->() SET r.user_id = 'u2'`},
	{check: "dangling", statement: `MATCH (a:Memory {team_id: $team, entity_key: 'c'}) CREATE (a)-[:relates_to {team_id: $team, key: 'k'}]->(:Something {team_id: $team, entity_key: 'k'})`},
	{check: "dangling", statement: `MATCH (a:Memory {team_id: $team, entity_key: 'c'}) CREATE (a)<-[:relates_to {team_id: $team, key: 'k'}]-({name: $team})`},
	{check: "dangling", statement: `MATCH (a:Memory {team_id: $team, entity_key: 'c'}) CREATE (a)-[:relates_to {team_id: $team, key: 'k'}]->(:Deleted {team_id: $team})`},
	{check: "reference", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'c'}) SET n.anchor_key = 'nothing'`, unrepaired: true},
	{check: "natural_key", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'c'}) SET n.natural_key = null`},
	{check: "natural_key", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'me'}) SET n.canonical_name = 'somebody'`},
	{check: "natural_key", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'c'}) CREATE (:Memory:Concept {team_id: $team, user_id: n.user_id, entity_key: 'c2', name: n.name})`, unrepaired: true},
	{check: "property", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'me'}) SET n.owner_of = null`},
	{check: "property", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'x'}) SET n.salience = 1.5`},
	{check: "property", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'x'}) SET n.salience = 'much'`},
	{check: "kind", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'x'}) SET n:Task`},
	{check: "kind", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'x'}) REMOVE n:Entity`},
	{check: "kind", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'x'}) REMOVE n:Entity SET n:Nonsense, n.natural_key = null`, unrepaired: true},
	{check: "message", statement: `MATCH (:Memory {team_id: $team, entity_key: 's'})-[r:has_message]->(:Memory {entity_key: 'm1'}) DELETE r`},
	{check: "message", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'm1'}) SET n.user_id = 'u2'`},
	{check: "message", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'm1'}) SET n.source_key = 'nothing'`, unrepaired: true},
	{check: "message_count", statement: `MATCH (n:Memory {team_id: $team, entity_key: 's'}) SET n.message_count = 7, n.next_seq = 7`},
	{check: "message_seq", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'm1'}) SET n.seq = 1`},
	{check: "message_seq", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'm2'}) SET n.seq = null`},
	{check: "message_seq", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'm2'}) SET n.seq = 9`},
	{check: "current", statement: `MATCH (a:Memory {team_id: $team, entity_key: 'me'})-[r:thinks_about]->(b) CREATE (a)-[s:thinks_about]->(b) SET s = properties(r), s.key = 'older', s.updated_at = r.updated_at - duration('P1D')`},
	{check: "relationship_key", statement: `MATCH (:Memory {team_id: $team, entity_key: 'me'})-[r:thinks_about]->(), (:Memory {team_id: $team, entity_key: 'c'})-[o:involves]->() SET o.key = r.key`},
	{check: "relationship_key", statement: `MATCH (:Memory {team_id: $team, entity_key: 'me'})-[r:thinks_about]->(), (a:Memory {team_id: $team, entity_key: 'c'}), (b:Memory {team_id: $team, entity_key: 'x'}) UNWIND range(1, 2) AS n CREATE (a)-[o:thinks_about]->(b) SET o = properties(r), o.owner_key = null, o.valid_to = r.updated_at, o.user_id = a.user_id`},
	{check: "rank", statement: `MATCH (:Memory {team_id: $team, entity_key: 'me'})-[r:thinks_about]->() SET r.owner_key = null`},
	{check: "rank", statement: `MATCH (:Memory {team_id: $team, entity_key: 'me'})-[r:thinks_about]->() SET r.node_salience = 0.01`},
	{check: "rank", statement: `MATCH (:Memory {team_id: $team, entity_key: 'c'})-[r:involves]->() SET r.owner_key = 'me', r.node_salience = 0.5, r.node_key = 'x'`},
	{check: "salience", statement: `MATCH (:Memory {team_id: $team, entity_key: 'c'})-[r:involves]->() SET r.salience = -1.0`},
	{check: "place", statement: `MATCH (n:Memory {team_id: $team, entity_key: 't'}) SET n.workspace_list = null`},
	{check: "place", statement: `MATCH (n:Memory {team_id: $team, entity_key: 't'}) SET n.workspace_counted = null`},
	{check: "place", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'p'}) SET n.workspace_at = 3`},
	{check: "place", statement: `MATCH (:Memory {team_id: $team, entity_key: 'p'})-[r:has_task]->() DELETE r`},
	{check: "workspace_count", statement: `MATCH (w:Workspace {team_id: $team, project_id: 'p'}) SET w.task_total = 7`},
	{check: "workspace_count", statement: `MATCH (w:Workspace {team_id: $team, project_id: ''}) SET w.project_total = 0`},
	{check: "workspace_count", statement: `MATCH (w:Workspace {team_id: $team, project_id: 'p'}) DELETE w`},
	{check: "workspace_count", statement: `CREATE (:Workspace {team_id: $team, user_id: 'u2', project_id: 'p', goal_total: 1})`},
	{check: "versions", statement: `CREATE (:Former {team_id: $team, former_of: 'lost', former_kind: 'concept', until: 1})`},
	{check: "feed", statement: `MATCH (f:Feed {team_id: $team}) SET f.seq = f.seq - 1`},
	{check: "review", statement: `CREATE (:Review {team_id: $team, key: 'r', user_id: 'u1', state: 'waiting', body: '[', trust: 0.1, created_at: datetime('2026-02-01T00:00Z')})`},
	{check: "expired", statement: `CREATE (:Review {team_id: $team, key: 'r', user_id: 'u1', state: 'refused', body: '{}', trust: 0.1, created_at: datetime('2020-01-01T00:00Z'), decided_at: datetime('2020-01-01T00:00Z')})`},
	{check: "merged", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'x'}) SET n.merged_keys = ['c'] CREATE (:Deleted {team_id: $team, entity_key: 'c', merged_into: 'x'})`},
	{check: "merged", statement: `MATCH (n:Memory {team_id: $team, entity_key: 'x'}) SET n.merged_keys = ['was', 'old'] CREATE (:Deleted {team_id: $team, entity_key: 'was', user_id: 'u2', merged_into: 'x'})`},
	{check: "unkeyed", statement: `CREATE (:Memory:Concept {team_id: $team, name: 'unkeyed'})`},
	{check: "expired", statement: `CREATE (:IdempotencyKey {team_id: $team, key: 'old', created_at: datetime('2026-02-01T00:00Z')})`},
	{check: "expired", statement: `CREATE (:Deleted {team_id: $team, entity_key: 'old', deleted_kind: 'concept', deleted_at: datetime('2026-01-01T00:00Z')})`},
	{check: "expired", statement: `CREATE (:DeletedRelationship {team_id: $team, key: 'old', deleted_at: datetime('2026-01-01T00:00Z')})`},
}

// healthy returns a team with every kind of data that the integrity check reads. It is not checked again when the test ends.
func (e *env) healthy() *env {
	e.Helper()
	d := e.of(e.T, testenv.Team(e.T))
	d.Now = e.Now
	e.Cleanup(func() { d.Raw(`MATCH (n) WHERE n.team_id STARTS WITH $team OR n.name = $team DETACH DELETE n`) })
	d.Write("u1", []graph.NodeWrite{
		owner1("me"), node("concept", "c", 0.5), node("entity", "x", 0.5, shared), node("project", "p", 0.5),
		{Kind: "task", EntityKey: "t", Name: graph.Some("t"), OwnFields: &graph.OwnFields{ProjectID: graph.Some("p")}},
	}, link("me", "thinks_about", "c", 0.5), link("c", "involves", "x", 0.5), link("p", "has_task", "t", 0.5))
	d.Write("u2", []graph.NodeWrite{owner1("their own"), node("concept", "theirs", 0.5)})
	d.Source("u1", graph.SourceWrite{EntityKey: "s", Messages: []graph.MessageWrite{said("m1", "a"), said("m2", "b")}, Mentions: []string{"c", "x"}})
	d.Source("u1", graph.SourceWrite{EntityKey: "gone", Messages: []graph.MessageWrite{said("", "a")}, Mentions: []string{"c"}})
	d.delete("u1", "source", "gone")
	return d
}

// findings returns the findings of an integrity check of the team.
func (e *env) findings(fix bool) []graph.Finding {
	e.Helper()
	var all []graph.Finding
	result, err := e.Store.CheckIntegrity(e.Context(), graph.IntegrityOptions{TeamID: e.Team, Fix: fix, Report: func(f graph.Finding) { all = append(all, f) }})
	if err != nil {
		e.Fatal(err)
	}
	e.Same("counted findings", int64(len(all)), result.Findings)
	return all
}

func TestIntegrityFindsAndRepairs(t *testing.T) {
	e := alone(t)
	d := e.healthy()
	e.Same("findings in a healthy team", []graph.Finding(nil), d.findings(true))
	for _, c := range damages {
		d := e.healthy()
		d.Raw(c.statement)
		found := d.findings(false)
		if !slices.ContainsFunc(found, func(f graph.Finding) bool { return f.Check == c.check && !f.Repaired && f.Advice != "" }) {
			t.Errorf("%s is not found after %s: %+v", c.check, c.statement, found)
			continue
		}
		fixed := d.findings(true)
		left := d.findings(false)
		switch stays := slices.ContainsFunc(left, func(f graph.Finding) bool { return f.Check == c.check }); {
		case c.unrepaired && !stays:
			t.Errorf("%s is gone after %s: %+v", c.check, c.statement, fixed)
		case !c.unrepaired && len(left) > 0:
			t.Errorf("is left after %s and repairs %+v: %+v", c.statement, fixed, left)
		}
	}
}

// TestIntegrityRepairsWell checks that repairs keep correct data and do what they say.
func TestIntegrityRepairsWell(t *testing.T) {
	e := alone(t)
	d := e.healthy()
	before := d.lines(d.Team, "")
	for _, c := range damages {
		if slices.Contains([]string{"without_team", "wrong_user", "kind", "rank", "unkeyed", "expired", "across_teams", "two_users"}, c.check) && !c.unrepaired {
			d.Raw(c.statement)
		}
	}
	d.Raw(`MATCH (n:Memory {team_id: $team, name: 'unkeyed'}) DELETE n`)
	d.findings(true)
	e.Same("the team", before, d.lines(d.Team, d.Team+"-x"))
}

func TestIntegrityWalksAllTeams(t *testing.T) {
	e := alone(t)
	e.huge("u1", 2100)
	e.Raw(`MATCH (n:Memory {team_id: $team, entity_key: 'n-2099'}) SET n.salience = 2.0`)
	pages, found := 0, []string{}
	c := graph.NewChecker(e.Store, graph.IntegrityOptions{Fix: true,
		Report:   func(f graph.Finding) { found = append(found, f.Check) },
		Progress: func(string, int64) { pages++ },
	})
	if err := c.TeamForTest(t.Context(), e.Team); err != nil {
		t.Fatal(err)
	}
	e.Same("pages", 3, pages)
	e.Same("nodes", int64(2161), c.ResultField().Nodes)
	// The rank of its relationship to the owner is checked first, on an earlier page. The team of e is checked again when it
	// ends.
	e.Same("findings", []string{"rank", "property"}, found)
	e.Same("repaired", int64(2), c.ResultField().Repaired)
	var teams []string
	for after := ""; ; {
		rows, err := e.Store.DB().Read(t.Context(), cypher.Load("integrity_teams"), map[string]any{"after": after})
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 {
			break
		}
		after = neo.Text(rows[0][0])
		teams = append(teams, after)
	}
	if !slices.Contains(teams, e.Team) || !slices.IsSorted(teams) {
		t.Errorf("teams %v do not have %s", teams, e.Team)
	}
}

// missingIndex checks that the integrity check finds a missing index, and creates it.
func missingIndex(t *testing.T, e *env) {
	const index = "import_team"
	others := func() [][]any {
		return e.Raw("SHOW INDEXES YIELD id, name WHERE name <> '" + index + "' RETURN name, id ORDER BY name")
	}
	before := others()
	e.Raw("DROP INDEX " + index)
	for _, want := range []struct{ fix, repaired, found bool }{{false, false, true}, {true, true, true}, {false, false, false}} {
		var found []graph.Finding
		c := graph.NewChecker(e.Store, graph.IntegrityOptions{Fix: want.fix, Report: func(f graph.Finding) { found = append(found, f) }})
		if err := c.SchemaForTest(t.Context()); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(found, func(f graph.Finding) bool { return f.Key == index })
		if i >= 0 != want.found || i >= 0 && found[i].Repaired != want.repaired {
			t.Errorf("%+v: %+v", want, found)
		}
	}
	e.Same("the others are still the same", before, others())
}
