package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// What somebody writes without a word on states and times is in the next context.
func TestFirstWriteIsInTheFirstContext(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"a","nodes":[{"kind":"person","entity_key":"me","name":"Ada","is_owner":true},{"kind":"person","entity_key":"s","name":"Sarah"},
		{"kind":"concept","entity_key":"g","name":"learn to sail","is_goal":true}],
		"relationships":[{"from":"me","to":"s","type":"has_relationship_with","description":"her sister","salience":0.9}]}`)
	for n := range 12 {
		c.must(t, http.MethodPost, "/v1/sources", fmt.Sprintf(`{"user_id":"a","started_at":%q,"summary":"Sarah moves","mentions":["s","g"]}`, stamp(-time.Duration(n)*12*time.Hour)))
	}
	got := c.must(t, http.MethodGet, "/v1/context?user_id=a", "")
	if names(got["relationships"], "node", "name") != "Sarah" || names(at(got, "user", "primary_goals"), "name") != "learn to sail" {
		t.Errorf("context: %v", got)
	}
	if mentions := at(got, "relationships", 0, "recent_mentions"); mentions != 12.0 {
		t.Errorf("mentions: %v", mentions)
	}
}

// An agent that remembers, without saying who the user is, links what it learned with the user and is told of it.
func TestRememberedIsInTheNextContext(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.team(t)
	a := s.agent(t, c.key)
	a.says(t, "remember", `{"user_id":"b","nodes":[{"kind":"concept","name":"learn to sail","is_goal":true}]}`, "Stored 1 of 1")
	got := c.must(t, http.MethodGet, "/v1/context?user_id=b", "")
	owner := at(got, "user", "owner_person_node", "entity_key")
	if at(got, "user", "owner_person_node", "name") != "b" || names(at(got, "user", "primary_goals"), "name") != "learn to sail" {
		t.Fatalf("context: %v", got)
	}
	a.says(t, "remember", fmt.Sprintf(`{"user_id":"b","nodes":[{"kind":"person","name":"Sarah"}],"relationships":[{"from":%q,"to":"Sarah","type":"has_relationship_with","description":"the sister"}]}`, owner), "Stored 2 of 2")
	a.says(t, "remember", `{"user_id":"b","nodes":[{"kind":"person","name":"Bea","is_owner":true}]}`, "Stored 1 of 1")
	a.says(t, "get_context", `{"user_id":"b"}`, "# About Bea", "Sarah", "the sister", "learn to sail")
	old := c.must(t, http.MethodGet, fmt.Sprintf("/v1/nodes/person/%s?user_id=b", owner), "")
	if at(old, "name") != "Bea" || at(old, "entity_key") == owner {
		t.Errorf("by the old key: %v", old)
	}
}

// ownerFiles are files of each format, with the query of their import; in each somebody relates to Sarah.
var ownerFiles = map[string]struct{ file, owner, name string }{
	"mcp-memory": {`{"type":"entity","name":"default_user","entityType":"person","observations":["keeps the tide tables"]}
{"type":"entity","name":"Sarah","entityType":"person","observations":["moves to Hvar"]}
{"type":"relation","from":"default_user","to":"Sarah","relationType":"has_relationship_with"}`, "", "default_user"},
	"graphiti": {`{"nodes":[{"uuid":"1","name":"Ada","labels":["Entity"]},{"uuid":"2","name":"Sarah","labels":["Entity","Person"]}],
"edges":[{"uuid":"3","source_node_uuid":"1","target_node_uuid":"2","name":"HAS_RELATIONSHIP_WITH","fact":"her sister"}]}`, "ada", "Ada"},
	"mem0": {`{"results":[{"id":"1","memory":"likes tea"}],"relations":[{"source":"USER","relationship":"has_relationship_with","target":"Sarah","target_type":"person"}]}`, "", "USER"},
	"kith": {`{"node":{"kind":"person","entity_key":"x","name":"Ada"}}
{"node":{"kind":"person","entity_key":"y","name":"Sarah"}}
{"relationship":{"from":"x","to":"y","type":"has_relationship_with"}}`, "Ada", "Ada"},
}

func TestImportedIsInTheNextContext(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for format, of := range ownerFiles {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			c := s.team(t)
			query := []string{"format", format, "user_id", "u1"}
			if of.owner != "" {
				query = append(query, "owner", of.owner)
			}
			c.whole(t, of.file, query...)
			got := c.must(t, http.MethodGet, "/v1/context?user_id=u1", "")
			if at(got, "user", "owner_person_node", "name") != of.name || !strings.HasPrefix(names(got["relationships"], "node", "name"), "Sarah") {
				t.Errorf("context: %v", got)
			}
			if again := c.whole(t, of.file, query...); again.Nodes.Created+again.Nodes.Updated+again.Relationships.Created+again.Relationships.Updated != 0 {
				t.Errorf("imported again: %+v", again)
			}
		})
	}
}

func TestImportOfAnOwnerThatIsNotInTheFile(t *testing.T) {
	t.Parallel()
	c := shared(t).team(t)
	file := `{"node":{"kind":"concept","entity_key":"x","name":"learn to sail","is_goal":true}}`
	report := c.whole(t, file, "user_id", "u1", "owner", "Ada")
	if report.Nodes != counted(2, 0, 0, 0) || len(report.Warnings) != 2 || report.Warnings[1].Location != "owner" {
		t.Errorf("report: %+v", report)
	}
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u2","nodes":[{"kind":"person","name":"Eve","is_owner":true}]}`)
	refused, _ := c.imported(t, file, "user_id", "u2", "owner", "Ada")
	if len(refused.Refused) == 0 || refused.Refused[len(refused.Refused)-1].Location != "is_owner" {
		t.Errorf("an owner beside another: %+v", refused)
	}
	if r := c.do(t, http.MethodPost, importPath("owner", "Ada"), file); r.status != http.StatusUnprocessableEntity || !strings.Contains(string(r.body), "query.owner") {
		t.Errorf("an owner without a user: %d %s", r.status, r.body)
	}
	for user, want := range map[string]string{"u1": "Ada", "u2": "Eve"} {
		got := c.must(t, http.MethodGet, "/v1/context?user_id="+user, "")
		if at(got, "user", "owner_person_node", "name") != want {
			t.Errorf("%s: %v", user, got)
		}
	}
}
