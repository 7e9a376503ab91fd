package graph

import (
	"encoding/json"
	"testing"
)

var statements = []string{
	"MATCH (p:Person {name: 'the p1'}) RETURN p.name",
	"MATCH (n) UNWIND labels(n) AS label RETURN label, count(*) AS c ORDER BY c DESC, label",
	"MATCH p = shortestPath((a:Person {name: 'the p1'})-[*..6]-(b:Person {name: 'the p2'})) RETURN [n IN nodes(p) | n.name] AS names, [r IN relationships(p) | type(r)] AS rels, length(p) AS hops",
	"MATCH p = allShortestPaths((a:Person {name: 'the p1'})-[*..4]-(b:Concept)) WHERE a <> b RETURN length(p) AS l, b.name ORDER BY l, b.name",
	"MATCH (t:Person {name: 'the p1'}) ((x)-[:thinks_about]->(y)){1,3} (top:Concept) RETURN top.name, [n IN y | n.name] AS chain ORDER BY top.name",
	"MATCH (t:Concept) WHERE EXISTS { (t)<-[:thinks_about]-(:Person {name: 'the p1'}) } RETURN t.name ORDER BY t.name",
	"MATCH (p:Person) RETURN p.name, COLLECT { MATCH (p)-[:thinks_about]->(t:Concept) RETURN t.name ORDER BY t.name LIMIT 3 } AS next ORDER BY p.name",
	"MATCH (a:Person) CALL { WITH a MATCH (a)-[:thinks_about]->(m) RETURN count(m) AS n } RETURN a.name, n ORDER BY n DESC, a.name LIMIT 10",
	"MATCH (a:Person) CALL (a) { MATCH (a)-->(m) RETURN m UNION MATCH (a)<--(m) RETURN m } RETURN a.name, count(m) AS n ORDER BY a.name",
	"UNWIND ['the c1', 'the c2'] AS name MATCH (e:Concept {name: name}) RETURN e.name ORDER BY e.name",
	"MATCH (t:Concept) RETURN CASE WHEN t.salience < 0.5 THEN 'low' WHEN t.salience IS NULL THEN 'none' ELSE 'high' END AS state, count(*) AS n ORDER BY state",
	"MATCH (p:Person) OPTIONAL MATCH (p)-[:thinks_about]->(t:Concept) WHERE t.state = 'active' RETURN p.name, count(t) AS open ORDER BY p.name",
	"MATCH (p:Person) OPTIONAL MATCH (p)-[:thinks_about]->(t:Concept) WHERE toLower(t.name) CONTAINS 'c1' RETURN p.name, count(t) AS open ORDER BY p.name",
	"MATCH (n) WHERE n:Person OR n:Concept RETURN n.name ORDER BY n.name LIMIT 10",
	"MATCH p = (a:Person {name: 'the p1'})-[*2..3]-(b) WITH nodes(p) AS ns RETURN [i IN range(0, size(ns) - 2) | ns[i].name + ' - ' + ns[i + 1].name] AS steps ORDER BY steps LIMIT 5",
	"MATCH ()-[r]->() RETURN type(r) AS t, count(*) AS c ORDER BY t",
	"MATCH (n:Person) RETURN n {.*} AS x ORDER BY n.name",
	"MATCH (n:Person) RETURN n {.name, friends: [(n)-->(m) | m.name]} AS x ORDER BY n.name",
	"MATCH (n:Person) RETURN properties(n) AS x ORDER BY n.name",
	"MATCH (n:Person) RETURN keys(n) AS x ORDER BY n.name",
	"MATCH (n) WHERE n.name =~ '(?i).*C1.*' RETURN n.name ORDER BY n.name",
	"MATCH (n:Concept) WHERE toLower(n.name) CONTAINS 'c' RETURN count(*) AS c",
	"MATCH (n:Concept) WHERE size(n.name) / 2 > 1 RETURN count(n) AS c",
	"MATCH (a:Person), (b:Concept) WHERE NOT (a)-->(b) RETURN a.name, b.name ORDER BY a.name, b.name",
	"MATCH (a)-[r:thinks_about|relates_to]->(b) RETURN a.name, type(r), b.name ORDER BY a.name, b.name, type(r)",
	"MATCH (a)-[rs:thinks_about|relates_to*1..2]->(b) RETURN a.name, size(rs) AS n, b.name ORDER BY a.name, b.name, n",
	"MATCH (a)-[rs*1..2 {state: 'active'}]->(b) RETURN a.name, size(rs) AS n, b.name ORDER BY a.name, b.name, n",
	"MATCH p = (a)-[*1..2]->(b) WHERE all(r IN relationships(p) WHERE r.salience > 0.1) RETURN count(p) AS n",
	"MATCH (n) RETURN count(DISTINCT n.state) AS n, avg(n.salience) AS a, max(n.name) AS m, collect(DISTINCT n.state) AS s",
	"MATCH (n:Person) WITH n ORDER BY n.name LIMIT 1 MATCH (n)-->(m) RETURN m.name ORDER BY m.name",
	"MATCH (n:Person) WITH n, COUNT { (n)-->() } AS d WHERE d > 0 RETURN n.name, d ORDER BY n.name",
	"MATCH (n:Person) WITH n.state AS s, count(*) AS c WHERE c > 1 RETURN s, c",
	"MATCH (n:Person) RETURN n.name AS name UNION MATCH (n:Concept) RETURN n.name AS name",
	"MATCH (n:Person) RETURN n.name AS name UNION ALL MATCH (n:Concept) RETURN n.name AS name",
	"RETURN reduce(s = 0, x IN [1, 2, 3] | s + x) AS s, [x IN range(1, 5) WHERE x % 2 = 0 | x * x] AS l",
	"MATCH (a)-[r]->(b) RETURN startNode(r).name AS f, endNode(r).name AS t, r.description ORDER BY f, t, r.description",
	"MATCH (a:Person) RETURN *",
	"MATCH (a:Person)-[r]->(b) WITH * WHERE a.name <> b.name RETURN a.name, b.name ORDER BY a.name, b.name",
	"MATCH p = ANY SHORTEST (a:Person {name: 'the p1'})-[:thinks_about]-{1,4}(b:Person) RETURN length(p) AS l, b.name ORDER BY l, b.name",
	"MATCH p = SHORTEST 2 (a:Person {name: 'the p1'})-->{1,3}(b:Concept) RETURN length(p) AS l, b.name ORDER BY l, b.name",
	"MATCH (n:!Person) RETURN count(n) AS n",
	"MATCH (n:Person|Concept) WHERE n.created_at <= datetime() RETURN count(n) AS n",
	"MATCH (n:Person) WHERE n.name STARTS WITH 'the' AND any(x IN ['p1', 'p2'] WHERE n.name ENDS WITH x) RETURN n.name ORDER BY n.name",
	"MATCH (n) WHERE n.user_id IS NULL RETURN count(n) AS n",
	"MATCH (n) WITH n.name AS name, n[toLower('STATE')] AS st RETURN name, st ORDER BY name",
	"MATCH (a:Person) WHERE exists((a)-[:thinks_about]->(:Concept)) RETURN a.name ORDER BY a.name",
	"MATCH (a:Person WHERE a.name = 'the p1')-[r WHERE r.salience > 0]->(b) RETURN b.name ORDER BY b.name",
	"MATCH (a:Person) RETURN a.name, [(a)-[:thinks_about]->(c) WHERE c.name CONTAINS '1' | c.name] AS cs ORDER BY a.name",
	"MATCH (a:Person) RETURN a.name, size([(a)-->(c) | c]) AS n, head(collect(a.state)) AS s ORDER BY a.name",
	"MATCH (a:Person)-->(c)<--(b:Person) WHERE a.name < b.name RETURN a.name, b.name, collect(c.name) AS shared ORDER BY a.name, b.name",
	"MATCH (n) RETURN n.name SKIP 2 LIMIT 3",
	"OPTIONAL MATCH (n:Nothing) RETURN n",
	"OPTIONAL MATCH p = shortestPath((a:Person {name: 'the p1'})-[*..2]-(b:Nothing)) RETURN p",
	"MATCH (n:Person) RETURN date(n.created_at) AS d, count(*) AS c ORDER BY d",
	"RETURN EXISTS { (n:Person {name: 'the p1'}) } AS yes",
	"RETURN COUNT { MATCH (n) RETURN n UNION ALL MATCH (m) RETURN m AS n } AS c",
	"WITH 1 AS x WHERE EXISTS { (n:Person) } RETURN x",
}

func (e *env) walk() {
	e.write("u", []NodeWrite{node("person", "p1", 0.9), node("person", "p2", 0.5), node("concept", "c1", 0.4), node("concept", "c2", 0.8), node("concept", "c3", 0.2)},
		link("p1", "thinks_about", "c1", 0.5), link("p1", "thinks_about", "c2", 0.5), link("p2", "thinks_about", "c2", 0.3), link("c1", "relates_to", "c3", 0.3), link("c2", "relates_to", "c3", 0.3))
}

func TestCypherOthersChangeNothing(t *testing.T) {
	e := fresh(t)
	e.walk()
	ask := func(text string) string {
		table, _, err := e.store.Cypher(t.Context(), e.as("u"), text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return ""
		}
		raw, _ := json.Marshal(table)
		return string(raw)
	}
	before := map[string]string{}
	for _, text := range statements {
		before[text] = ask(text)
		t.Log(text, "\n    ", before[text])
	}
	other := &env{T: t, store: e.store, team: e.team + "-other", now: e.now}
	other.walk()
	e.write("v", []NodeWrite{node("person", "v1", 0.9), node("concept", "vc", 0.9)}, link("v1", "thinks_about", "vc", 1))
	for _, text := range statements {
		e.same(text, before[text], ask(text))
	}
}
