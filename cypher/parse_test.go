package cypher

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	q := parse("thing_find", `// One thing: by its key.
// Its second line.
// mode: read
// scope: server
// params: team_id, key
// returns: name, at

MATCH (n {key: $key}) // the only one
RETURN n.name AS name
`)
	if q.Name != "thing_find" || q.Write || !q.ServerWide {
		t.Errorf("got %+v", q)
	}
	if !slices.Equal(q.Params, []string{"team_id", "key"}) || !slices.Equal(q.Returns, []string{"name", "at"}) {
		t.Errorf("params %q, returns %q", q.Params, q.Returns)
	}
	if want := "MATCH (n {key: $key}) // the only one\nRETURN n.name AS name"; q.Text != want {
		t.Errorf("text %q, want %q", q.Text, want)
	}
	if q := parse("x", "// mode: write\n// params:\nCREATE (n)"); !q.Write || q.ServerWide || len(q.Params) != 0 {
		t.Errorf("got %+v", q)
	}
}

func TestBrokenFilesPanic(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(){
		"no such file": func() { Load("nothing_here") },
		"no mode":      func() { parse("x", "// params:\nRETURN 1") },
		"unknown mode": func() { parse("x", "// mode: both\nRETURN 1") },
		"no header":    func() { parse("x", "RETURN 1") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("did not panic")
				}
			}()
			do()
		})
	}
}

func TestCombine(t *testing.T) {
	t.Parallel()
	a := Query{Name: "a", Text: "RETURN $team_id AS one", Params: []string{"team_id"}, Returns: []string{"one"}}
	b := Query{Name: "b", Text: "RETURN $key AS two,\n  $team_id AS three", Params: []string{"key", "team_id"}, Returns: []string{"two", "three"}}
	q := Combine("both", a, b)
	want := "CALL () {\nRETURN $team_id AS one\n}\nCALL () {\nRETURN $key AS two,\n  $team_id AS three\n}\nRETURN one, two, three"
	if q.Text != want {
		t.Errorf("got:\n%s\nwant:\n%s", q.Text, want)
	}
	if q.Name != "both" || q.Write || !slices.Equal(q.Params, []string{"team_id", "key"}) ||
		!slices.Equal(q.Returns, []string{"one", "two", "three"}) {
		t.Errorf("got %+v", q)
	}
}

// Combine joins sections by their columns: two of one name would hide each other.
func TestSectionsHaveColumnsOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, name := range Names() {
		section, ok := strings.CutPrefix(name, "context_")
		if !ok {
			continue
		}
		section, past := strings.CutSuffix(section, "_past") // stands for the section itself
		q := Load(name)
		if !slices.Equal(q.Returns, []string{section}) || seen[section] != "" && !past && !strings.HasSuffix(seen[section], "_past") {
			t.Errorf("%s returns %v", name, q.Returns)
		}
		seen[section] = name
	}
}

func TestStatement(t *testing.T) {
	t.Parallel()
	kept := parse("z", "// mode: read\n// plan: kept\n// params: team_id, label\n// returns: m\nMATCH (m {team_id: $team_id}) RETURN m")
	q := parse("x", "// mode: write\n// params: team_id, label\n// returns: n\nMATCH (n:Deleted {team_id: $team_id})-[:relates_to]->()\nSET n:$($label)\nRETURN n")
	params := map[string]any{"team_id": "t", "label": "l"}
	for name, c := range map[string]struct {
		q    Query
		want string
	}{
		"as it is":     {q, "CYPHER 5 MATCH (n:Deleted {team_id: $p.team_id})-[:relates_to]->()\nSET n:$($p.label)\nRETURN n"},
		"of a label":   {ForLabel(q, "A"), "CYPHER 5 MATCH (n:`A` {team_id: $p.team_id})-[:relates_to]->()\nSET n:$($p.label)\nRETURN n"},
		"of any type":  {OfTypes(q, []string{"b", "c"}), "CYPHER 5 MATCH (n:Deleted {team_id: $p.team_id})-[:`b`|`c`]->()\nSET n:$($p.label)\nRETURN n"},
		"for types":    {ForTypes(q, []string{"b"}), "CYPHER 5 MATCH (n:Deleted {team_id: $p.team_id})-[:`b`]->()\nSET n:$($p.label)\nRETURN n"},
		"kept":         {kept, "CYPHER 5 replan=skip MATCH (m {team_id: $p.team_id}) RETURN m"},
		"all kept":     {Combine("y", kept), "CYPHER 5 replan=skip CALL () {\nMATCH (m {team_id: $p.team_id}) RETURN m\n}\nRETURN m"},
		"put together": {Combine("y", q), "CYPHER 5 CALL () {\nMATCH (n:Deleted {team_id: $p.team_id})-[:relates_to]->()\nSET n:$($p.label)\nRETURN n\n}\nRETURN n"},
	} {
		text, sent, err := c.q.Statement(params)
		if p, ok := sent["p"].(map[string]any); err != nil || text != c.want || !ok || len(sent) != 1 || p["team_id"] != "t" || p["label"] != "l" {
			t.Errorf("%s: %q with %v: %v", name, text, sent, err)
		}
	}
	if _, _, err := q.Statement(map[string]any{"team_id": "t"}); err == nil || !strings.Contains(err.Error(), "x lacks the parameter label") {
		t.Errorf("without a parameter: %v", err)
	}
}
