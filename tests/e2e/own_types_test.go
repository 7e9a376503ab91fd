package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"kith/tests/testenv"
)

// writeOwnTypes writes relationships with a team's own types, between persons and in a project.
func (c caller) writeOwnTypes(t *testing.T) (key string) {
	t.Helper()
	written := c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","strict":true,"nodes":[
		{"kind":"person","entity_key":"ada","name":"Ada","is_owner":true},{"kind":"person","entity_key":"grace","name":"Grace","state":"active"},
		{"kind":"project","entity_key":"mill","name":"Mill"},{"kind":"task","entity_key":"grind","name":"Grind","project_id":"mill","state_key":"todo"},
		{"kind":"document","entity_key":"plan","title":"Drawing","project_id":"mill"}],
		"relationships":[{"from":"ada","to":"grace","type":"mentors","description":"by lantern light"},
		{"from":"ada","to":"grace","type":"pays_wages","relationship_type":"weekly"},
		{"from":"ada","to":"grace","type":"related_to"}]}`)
	edges := c.must(t, http.MethodPost, "/v1/edges", `{"user_id":"u1","edges":[{"src_kind":"task","src_id":"grind","dst_kind":"document","dst_id":"plan","rel":"mentors"},
		{"src_kind":"project","src_id":"mill","dst_kind":"task","dst_id":"grind","rel":"mentors"}]}`)
	if at(written, "relationships", 0, "type") != "mentors" || at(edges, "created") != 2.0 {
		t.Fatalf("written %v, linked %v", written, edges)
	}
	return at(written, "relationships", 0, "key").(string)
}

// A team's own relationship types are shown and filtered like those of the vocabulary.
func TestWordsAreTypesEverywhere(t *testing.T) {
	t.Parallel()
	s, team := shared(t), testenv.Team(t)
	apiKey := s.newKey(t, team, "read", "write")
	c := s.as(apiKey)
	key := c.writeOwnTypes(t)
	traverse := func(rest string) string { return `{"user_id":"u1",` + rest + `}` }
	for what, r := range map[string]struct{ method, path, body, says string }{
		"a relationship":         {"GET", "/v1/relationships/" + key + "?user_id=u1", "", `"type":"mentors"`},
		"a node":                 {"GET", "/v1/nodes/person/ada?user_id=u1", "", `"type":"pays_wages"`},
		"a list":                 {"GET", "/v1/nodes/person/ada/relationships?user_id=u1&types=mentors", "", `"type":"mentors"`},
		"what the caller said":   {"GET", "/v1/nodes/person/ada/relationships?user_id=u1&types=pays_wages", "", `"relationship_type":"weekly"`},
		"a context":              {"GET", "/v1/context?user_id=u1&focus_kind=person&focus_id=grace", "", `mentors`},
		"a context's text":       {"GET", "/v1/context?user_id=u1&focus_kind=person&focus_id=grace&format=text", "", `mentors`},
		"explore":                {"POST", "/v1/explore", traverse(`"text_matches":["lantern"]`), `"relationship_kind":"mentors"`},
		"explore by type":        {"POST", "/v1/explore", traverse(`"text_matches":["lantern"],"relationship_filters":{"relationship_types":["mentors"]}`), `"relationship_kind":"mentors"`},
		"explore by the word":    {"POST", "/v1/explore", traverse(`"text_matches":["mentors"]`), `"relationship_kind":"mentors"`},
		"neighbors":              {"POST", "/v1/traverse", traverse(`"mode":"neighbors","entity_key":"ada","relationship_types":["pays_wages"]`), `"type":"pays_wages"`},
		"a path":                 {"POST", "/v1/traverse", traverse(`"mode":"path","from":"mill","to":"plan","relationship_types":["mentors"]`), `"type":"mentors"`},
		"pagerank":               {"POST", "/v1/traverse", traverse(`"mode":"ppr","seed_nodes":["ada"],"relationship_types":["mentors"]`), `"grace"`},
		"cypher":                 {"POST", "/v1/traverse", traverse(`"mode":"cypher","cypher":"MATCH (p:Person {entity_key: 'ada'})-[r:mentors]->(o) RETURN type(r), r.relationship_type, o.name"`), `"rows":[["mentors","mentors","Grace"]]`},
		"cypher, whole":          {"POST", "/v1/traverse", traverse(`"mode":"cypher","cypher":"MATCH (p:Person)-[r:mentors]->(o:Person) RETURN r"`), `"type":"mentors"`},
		"the schema":             {"GET", "/v1/schema?user_id=u1", "", `[:pays_wages]`},
		"linked things":          {"GET", "/v1/nodes/task/grind/linked?user_id=u1", "", `mentors`},
		"linked things' text":    {"GET", "/v1/nodes/task/grind/linked?user_id=u1&format=text", "", `mentors`},
		"a project":              {"GET", "/v1/ontology?user_id=u1&context_type=project&project_id=mill", "", `mentors`},
		"a thing of a project":   {"GET", "/v1/ontology?user_id=u1&context_type=ontology&focus_kind=task&focus_id=grind", "", `inverse_mentors`},
		"an export":              {"GET", "/v1/export", "", `"relationship_type":"weekly"`},
		"neighbors without some": {"POST", "/v1/traverse", traverse(`"mode":"neighbors","entity_key":"ada","exclude_relationship_types":["mentors","related_to"]`), `"type":"pays_wages"`},
	} {
		answer := c.do(t, r.method, r.path, r.body)
		if answer.status != http.StatusOK || !strings.Contains(string(answer.body), r.says) {
			t.Errorf("%s: %d, not %s: %s", what, answer.status, r.says, answer.body)
		}
	}
	for what, r := range map[string]struct{ method, path, body string }{ // without the word
		"a list of the plain ones":   {"GET", "/v1/nodes/person/ada/relationships?user_id=u1&types=related_to", ""},
		"neighbors without the word": {"POST", "/v1/traverse", traverse(`"mode":"neighbors","entity_key":"ada","exclude_relationship_types":["mentors"]`)},
		"explore without the word":   {"POST", "/v1/explore", traverse(`"text_matches":["lantern"],"relationship_filters":{"exclude_relationship_types":["mentors"]}`)},
		"cypher of the plain ones":   {"POST", "/v1/traverse", traverse(`"mode":"cypher","cypher":"MATCH (p:Person)-[r:related_to]->(o) RETURN r"`)},
	} {
		answer := c.do(t, r.method, r.path, r.body)
		if answer.status != http.StatusOK || strings.Contains(string(answer.body), `"mentors"`) {
			t.Errorf("%s: %d %s", what, answer.status, answer.body)
		}
	}
	a := s.agent(t, apiKey)
	a.says(t, "traverse", traverse(`"mode":"neighbors","entity_key":"ada","relationship_types":["mentors"]`), "mentors")
	a.says(t, "explore", traverse(`"text_matches":["lantern"]`), "mentors")
	a.says(t, "remember", traverse(`"relationships":[{"from":"grace","to":"ada","type":"pays_wages"}]`), "pays_wages")
	a.says(t, "get_linked_entities", traverse(`"entity_id":"grind","entity_kind":"task"`), "mentors")
	if code, out := runCheck(t, "--team", team); code != 0 {
		t.Errorf("check: %s", out)
	}
}

// An export with own types can be imported, also with more than a team may define. A dry run reports the same.
func TestWordsAreExchanged(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.team(t)
	c.writeOwnTypes(t)
	text := c.exported(t)
	other := s.team(t)
	other.importComplete(t, text)
	if again := other.exported(t); again != text {
		t.Errorf("exported %s\nagain %s", text, again)
	}
	lines := strings.Builder{}
	lines.WriteString(`{"kith":{"version":1}}` + "\n" + `{"node":{"kind":"entity","entity_key":"a","name":"A"}}` + "\n" + `{"node":{"kind":"entity","entity_key":"b","name":"B"}}` + "\n")
	for i := range 34 {
		fmt.Fprintf(&lines, `{"relationship":{"from":"a","to":"b","type":"word_%02d"}}`+"\n", i)
	}
	for _, query := range [][]string{{"dry_run", "true"}, nil} {
		if report := s.team(t).importComplete(t, lines.String(), query...); report.Relationships.Created != 34 {
			t.Errorf("import %v: %+v", query, report)
		}
	}
}
