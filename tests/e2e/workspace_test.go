package e2e

import (
	"net/http"
	"strings"
	"testing"

	"kith/tests/testenv"
)

// writeHarbour writes a small project, another user's part of it, and another project.
func (c caller) writeHarbour(t *testing.T) {
	t.Helper()
	c.must(t, http.MethodPost, "/v1/memory", `{"strict":true,"nodes":[
		{"kind":"project","entity_key":"p","name":"Quay 4","state_key":"active","description":"Make it bear ten tons."},
		{"kind":"project","entity_key":"q","name":"Quay 5"},
		{"kind":"goal","entity_key":"g","name":"Ten tons","project_id":"p","state_key":"active"},
		{"kind":"plan","entity_key":"l","name":"Repair","project_id":"p","state_key":"active"},
		{"kind":"task","entity_key":"t1","name":"Inspect the piles","project_id":"p","state_key":"done"},
		{"kind":"task","entity_key":"t2","name":"Replace two piles","project_id":"p","state_key":"in_progress","priority":1},
		{"kind":"document","entity_key":"d","title":"Diver's report","project_id":"p","description":"Two piles are rotten."},
		{"kind":"document","entity_key":"n","title":"Notes","project_id":"p","type_key":"document.scratch"},
		{"kind":"task","entity_key":"u2-own","user_id":"u2","name":"Secret of u2","project_id":"p","state_key":"todo"},
		{"kind":"task","entity_key":"other","name":"Elsewhere","project_id":"q"}]}`)
	r := c.must(t, http.MethodPost, "/v1/edges", `{"edges":[
		{"src_kind":"project","src_id":"p","dst_kind":"goal","dst_id":"g","rel":"has_goal"},
		{"src_kind":"project","src_id":"p","dst_kind":"document","dst_id":"d","rel":"has_context_document"},
		{"src_kind":"goal","src_id":"g","dst_kind":"plan","dst_id":"l","rel":"has_plan"},
		{"src_kind":"plan","src_id":"l","dst_kind":"task","dst_id":"t1","rel":"has_task"},
		{"src_kind":"plan","src_id":"l","dst_kind":"task","dst_id":"t2","rel":"has_task"},
		{"src_kind":"task","src_id":"t2","dst_kind":"task","dst_id":"t1","rel":"depends_on","props":{"why":"to know which"}},
		{"src_kind":"task","src_id":"t2","dst_kind":"document","dst_id":"d","rel":"references"},
		{"src_kind":"task","src_id":"t2","dst_kind":"document","dst_id":"n","rel":"references"}]}`)
	if at(r, "created") != 8.0 || at(r, "skipped") != 0.0 {
		t.Fatalf("linked: %v", r)
	}
}

// A workspace is written, linked and shown, and shown with changes at once.
func TestAWorkspace(t *testing.T) {
	t.Parallel()
	s := shared(t)
	team := testenv.Team(t)
	c := s.as(s.newKey(t, team, "read", "write"))
	none := c.must(t, http.MethodGet, "/v1/ontology?context_type=global", "")
	if at(none, "metadata", "total_projects") != 0.0 {
		t.Errorf("an empty store: %v", none)
	}
	c.writeHarbour(t)

	const project = "/v1/ontology?user_id=u1&context_type=project&project_id=p"
	const combined = project + "&focus_kind=task&focus_id=t2"
	const linked = "/v1/nodes/task/t2/linked?user_id=u1"
	all := c.must(t, http.MethodGet, "/v1/ontology?user_id=u1&context_type=global", "")
	one := c.must(t, http.MethodGet, project, "")
	both := c.must(t, http.MethodGet, combined, "")
	element := c.must(t, http.MethodGet, "/v1/ontology?user_id=u1&context_type=ontology&focus_kind=task&focus_id=t2", "")
	links := c.must(t, http.MethodGet, linked, "")
	for what, check := range map[string]bool{
		"projects":          at(all, "metadata", "total_projects") == 2.0 && at(all, "metadata", "entity_count", "tasks") == 3.0,
		"type":              at(one, "type") == "project" && at(both, "type") == "combined" && at(element, "type") == "element",
		"counts":            at(one, "metadata", "entity_count", "tasks") == 2.0 && at(one, "metadata", "entity_count", "documents") == 1.0,
		"coverage":          at(one, "metadata", "graph_snapshot", "coverage", "tasks", "unlinked") == 2.0,
		"highlights":        names(at(one, "metadata", "project_highlights", "plans", "items")) == "" && names(at(one, "metadata", "project_highlights", "goals", "items"), "id") == "g",
		"context document":  at(one, "metadata", "context_document_id") == "d",
		"level":             at(both, "metadata", "hierarchy_level") == 3.0,
		"focus":             at(both, "scope", "focus", "name") == "Replace two piles" && at(both, "entities", "task", "entity_key") == "t2",
		"focus edges first": strings.HasSuffix(names(at(both, "relationships", "edges"), "relation"), " has_goal has_context_document") || strings.HasSuffix(names(at(both, "relationships", "edges"), "relation"), " has_context_document has_goal"),
		"linked":            at(both, "linked_entities", "counts", "total") == 3.0 && at(links, "counts", "documents") == 1.0,
		"context marker":    strings.Contains(string(c.do(t, http.MethodGet, linked+"&format=text", "").body), "- **Diver's report** [d] - references (context document)"),
		"no warnings":       at(both, "warnings") == nil,
	} {
		if !check {
			t.Errorf("%s:\n%v\n%v\n%v", what, one, both, links)
		}
	}
	if mine := c.must(t, http.MethodGet, strings.Replace(project, "u1", "u2", 1), ""); at(mine, "metadata", "entity_count", "tasks") != 3.0 {
		t.Errorf("the user's own task is not counted: %v", mine)
	}

	// Writes are visible at once, through caches too.
	state := func() any { return at(c.must(t, http.MethodGet, combined, ""), "entities", "task", "state_key") }
	if state() != "in_progress" {
		t.Error("as it was")
	}
	c.must(t, http.MethodPatch, "/v1/nodes/task/t2", `{"state_key":"blocked"}`)
	if state() != "blocked" {
		t.Error("a change is not told at once")
	}
	added := c.must(t, http.MethodPost, "/v1/edges", `{"edges":[{"src_kind":"task","src_id":"t2","dst_kind":"goal","dst_id":"g","rel":"supports_goal"},{"src_kind":"task","src_id":"t2","dst_kind":"goal","dst_id":"g","rel":"supports_goal"}]}`)
	if at(added, "created") != 1.0 || at(added, "skipped") != 1.0 || at(c.must(t, http.MethodGet, linked, ""), "counts", "goals") != 1.0 {
		t.Errorf("a link is not told at once: %v", added)
	}
	c.must(t, http.MethodDelete, "/v1/edges/"+at(added, "edges", 0, "id").(string), "")
	if at(c.must(t, http.MethodGet, linked, ""), "counts", "goals") != 0.0 {
		t.Error("a link is told after it was deleted")
	}
	c.must(t, http.MethodDelete, "/v1/nodes/task/t1", "")
	if got := c.must(t, http.MethodGet, project, ""); at(got, "metadata", "entity_count", "tasks") != 1.0 || at(c.must(t, http.MethodGet, linked, ""), "counts", "tasks") != 0.0 {
		t.Errorf("what is deleted counts: %v", got)
	}
}

// Invalid requests are refused with their location. Missing nodes and nodes of others give the same 404.
func TestWorkspaceProblems(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c, other := s.as(s.newKey(t, testenv.Team(t), "read", "write")), s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	c.writeHarbour(t)
	missing := string(c.do(t, http.MethodGet, "/v1/ontology?context_type=project&project_id=none", "").body)
	for what, r := range map[string]reply{
		"another team's project":  other.do(t, http.MethodGet, "/v1/ontology?context_type=project&project_id=p", ""),
		"a task as a project":     c.do(t, http.MethodGet, "/v1/ontology?context_type=project&project_id=t1", ""),
		"focus elsewhere":         c.do(t, http.MethodGet, "/v1/ontology?context_type=project&project_id=p&focus_kind=task&focus_id=other", ""),
		"another user's focus":    c.do(t, http.MethodGet, "/v1/ontology?user_id=u1&context_type=project&project_id=p&focus_kind=task&focus_id=u2-own", ""),
		"focus of another kind":   c.do(t, http.MethodGet, "/v1/ontology?context_type=project&project_id=p&focus_kind=plan&focus_id=t1", ""),
		"unknown element":         c.do(t, http.MethodGet, "/v1/ontology?context_type=ontology&focus_kind=task&focus_id=none", ""),
		"links of another user's": c.do(t, http.MethodGet, "/v1/nodes/task/u2-own/linked?user_id=u1", ""),
		"links of another team's": other.do(t, http.MethodGet, "/v1/nodes/task/t1/linked", ""),
		"prompt of nothing":       c.do(t, http.MethodPost, "/v1/prompt", `{"message":"x","focus":{"project_id":"none"}}`),
		"unknown link":            c.do(t, http.MethodDelete, "/v1/edges/none", ""),
		"unknown conversation":    c.do(t, http.MethodGet, "/v1/ontology?conversation_id=none", ""),
	} {
		if r.status != http.StatusNotFound || string(r.body) != missing {
			t.Errorf("%s: %d %s", what, r.status, r.body)
		}
	}
	edge := func(src, dst string) string {
		return `{"edges":[{"src_kind":"task","src_id":"` + src + `","dst_kind":"task","dst_id":"` + dst + `","rel":"depends_on"}]}`
	}
	for _, p := range []struct {
		what, method, path, body string
		status                   int
		location                 string
	}{
		{"a link to itself", http.MethodPost, "/v1/edges", edge("t1", "t1"), 422, "body.edges[0].dst_id"},
		{"a link to another project", http.MethodPost, "/v1/edges", edge("t1", "other"), 422, "body.edges[0].dst_id"},
		{"a link to nothing", http.MethodPost, "/v1/edges", edge("t1", "secret"), 404, "body.edges[0].dst_id"},
		{"another team's link", http.MethodPost, "/v1/edges", `{"user_id":"u1",` + edge("t1", "u2-own")[1:], 404, "body.edges[0].dst_id"},
		{"no links", http.MethodPost, "/v1/edges", `{"edges":[]}`, 422, "body.edges"},
		{"a negative limit", http.MethodGet, "/v1/nodes/task/t1/linked?max_per_kind=-1", "", 422, "query.max_per_kind"},
		{"an unknown filter", http.MethodGet, "/v1/nodes/task/t1/linked?filter_kind=secret", "", 422, "query.filter_kind"},
		{"an unknown mode", http.MethodGet, "/v1/nodes/task/t1/linked?mode=secret", "", 422, "query.mode"},
		{"a cursor of nothing", http.MethodGet, "/v1/nodes/task/t1/linked?mode=full&cursor=secret", "", 422, "query.cursor"},
		{"a bad focus", http.MethodPost, "/v1/prompt", `{"message":"x","focus":{"project_id":"p","focus_kind":"secret","focus_id":"t1"}}`, 422, "body.focus.focus_kind"},
		{"no message", http.MethodPost, "/v1/prompt", `{}`, 422, "body"},
		{"a budget too small", http.MethodPost, "/v1/prompt", `{"message":"x","max_tokens":3}`, 422, "body.max_tokens"},
		{"max_tokens of JSON", http.MethodGet, "/v1/ontology?context_type=global&max_tokens=200", "", 422, "query.max_tokens"},
	} {
		r := c.do(t, p.method, p.path, p.body)
		if got := names(r.object(t)["errors"], "location"); r.status != p.status || got != p.location || strings.Contains(string(r.body), "secret") {
			t.Errorf("%s: %d at %q: %s", p.what, r.status, got, r.body)
		}
	}
	fallback := c.must(t, http.MethodGet, "/v1/ontology?context_type=secret", "")
	if at(fallback, "type") != "global" || strings.Contains(names(fallback["warnings"]), "secret") || names(fallback["warnings"]) == "" {
		t.Errorf("an unknown type: %v", fallback)
	}
}

// A conversation stores its user's focus, and a prompt is composed for it.
func TestAPromptOfAConversation(t *testing.T) {
	t.Parallel()
	s := shared(t)
	team := testenv.Team(t)
	c := s.as(s.newKey(t, team, "read", "write"))
	c.writeHarbour(t)
	c.must(t, http.MethodPut, "/v1/users/u1/preferences", `{"preferences":[{"key":"conversation_style","value":"short"}]}`)
	id := c.must(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1","focus":{"project_id":"p","focus_kind":"task","focus_id":"t2"}}`)["conversation_id"].(string)
	prompt := func(more string) map[string]any {
		return c.must(t, http.MethodPost, "/v1/prompt", `{"user_id":"u1","message":"What next?","conversation_id":"`+id+`"`+more+`}`)
	}
	p := prompt(`,"history":[{"role":"user","content":"Hello."}],"system_prompt":"Be kind."`)
	if got := names(p["messages"], "role"); got != "system system system user user" || at(p, "context_type") != "combined" {
		t.Fatalf("%v", p)
	}
	text := names(p["messages"], "content")
	for _, want := range []string{"Be kind.", "## Linked Entities", "## User Preferences", "## Context Snapshot", "## Current Focus (task)", "What next?"} {
		if before, after, found := strings.Cut(text, want); found {
			text = after
		} else {
			t.Errorf("%q does not follow:\n%s\n%s", want, before, text)
		}
	}
	if at(p, "usage", "status") != "ok" || at(p, "usage", "budget") != 5000.0 {
		t.Errorf("usage: %v", p["usage"])
	}
	focus := func() any {
		return at(c.must(t, http.MethodGet, "/v1/conversations/"+id+"?user_id=u1", ""), "focus", "focus_id")
	}
	if got := prompt(`,"focus":{"project_id":"p","focus_kind":"plan","focus_id":"l"}`); at(got, "context_type") != "combined" || focus() != "l" {
		t.Errorf("replaced: %v", focus())
	}
	if got := c.must(t, http.MethodGet, "/v1/ontology?user_id=u1&context_type=project_audit&conversation_id="+id, ""); at(got, "scope", "focus", "id") != "l" {
		t.Errorf("remembered: %v", got["scope"])
	}
	c.must(t, http.MethodDelete, "/v1/nodes/plan/l", "")
	if got := prompt(""); at(got, "context_type") != "project" || names(got["warnings"]) == "" {
		t.Errorf("what is gone: %v %v", got["context_type"], got["warnings"])
	}
	if got := prompt(`,"focus":null`); at(got, "context_type") != "global" || focus() != nil {
		t.Errorf("cleared: %v, %v", got["context_type"], focus())
	}
	c.must(t, http.MethodPut, "/v1/conversations/"+id+"/focus", `{"user_id":"u1","focus":{"project_id":"p"}}`)
	if got := prompt(""); at(got, "context_type") != "project" {
		t.Errorf("set: %v", got["context_type"])
	}
	reader := s.as(s.newKey(t, team, "read"))
	if r := reader.do(t, http.MethodPost, "/v1/prompt", `{"user_id":"u1","message":"x","conversation_id":"`+id+`","focus":null}`); r.status != http.StatusForbidden {
		t.Errorf("a reader changes the focus: %d %s", r.status, r.body)
	}
	if r := reader.do(t, http.MethodPost, "/v1/prompt", `{"user_id":"u1","message":"x","conversation_id":"`+id+`"}`); r.status != http.StatusOK {
		t.Errorf("a reader asks: %d %s", r.status, r.body)
	}
}
