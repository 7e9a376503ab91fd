package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/fault"
	"kith/memory/traverse"
)

// What a memory answers to walks that has a concept with one neighbor.

func (m memory) Around(_ context.Context, scope graph.Scope, w traverse.Walk, keys []string, kinds []graph.Kind, each int, _ time.Time) ([]traverse.Around, error) {
	m.ask("neighbors of %v in %s for %q: %+v, %d kinds, %d each", keys, scope.TeamID, scope.UserID, w, len(kinds), each)
	return []traverse.Around{{Key: "c", Links: []traverse.WalkLink{{To: "d", Key: "r", Outgoing: true, Strength: 0.5, Salience: 1, Wanted: true}}}}, m.err
}

func (m memory) Edges(_ context.Context, scope graph.Scope, w traverse.Walk, keys []string, _ int, _ time.Time) ([]traverse.Edges, error) {
	m.ask("edges of %v in %s for %q: %+v", keys, scope.TeamID, scope.UserID, w)
	return []traverse.Edges{{Key: "c", Ends: []string{"d"}, Strengths: []float64{0.5}}}, m.err
}

func (m memory) Steps(_ context.Context, _ graph.Scope, _ traverse.Walk, wishes []traverse.Wish, _ time.Time) ([]*traverse.Step, error) {
	steps := make([]*traverse.Step, len(wishes))
	for i, w := range wishes {
		steps[i] = &traverse.Step{
			Relationship: graph.RelationshipView{Key: "r", From: w.From, To: w.To, Type: "relates_to"},
			Node:         graph.NodeView{Kind: "concept", Node: graph.Node{EntityKey: w.To, Name: "Dinghy"}},
		}
	}
	return steps, m.err
}

func (m memory) NodesByKey(_ context.Context, _ graph.Scope, keys []string) ([]graph.NodeView, error) {
	nodes := make([]graph.NodeView, len(keys))
	for i, key := range keys {
		nodes[i] = graph.NodeView{Kind: "concept", Node: graph.Node{EntityKey: key, Name: "Boat"}}
	}
	return nodes, m.err
}

func (m memory) Cypher(_ context.Context, scope graph.Scope, _ string, parameters map[string]any) (traverse.Records, graph.Recall, error) {
	m.ask("cypher in %s for %q with %v", scope.TeamID, scope.UserID, parameters)
	return traverse.Records{Columns: []string{"x"}, Rows: [][]json.RawMessage{{json.RawMessage("1")}}}, graph.Recall{}, m.err
}

func (m memory) Census(_ context.Context, scope graph.Scope) (traverse.Census, error) {
	m.ask("census of %s for %q", scope.TeamID, scope.UserID)
	return traverse.Census{Nodes: map[string]int64{"concept": 2}, Relationships: []traverse.RelationshipCount{{From: "concept", Type: "relates_to", To: "concept", Count: 1}}}, m.err
}

func (memory) Now() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// aWalk is a request of each mode that finds something.
var aWalk = map[string]string{
	"neighbors": `"mode":"neighbors","entity_key":"c"`,
	"path":      `"mode":"path","from":"c","to":"d"`,
	"ppr":       `"mode":"ppr","seed_nodes":["c"]`,
	"cypher":    `"mode":"cypher","cypher":"RETURN $n AS x","parameters":{"n":9007199254740993}`,
}

// Each mode answers as JSON and as text, and reports its recalls.
func TestTraverseModes(t *testing.T) {
	t.Parallel()
	const node = `"node_type":"Concept","name":"%s","description":"","salience":0,"confidence":0,"access_count":0,"updated_at":"0001-01-01T00:00:00Z"`
	boat, dinghy := fmt.Sprintf(`{"entity_key":"c",`+node+`}`, "Boat"), fmt.Sprintf(`{"entity_key":"d",`+node+`}`, "Dinghy")
	const relationship = `{"key":"r","from":"c","to":"d","type":"relates_to","description":"","salience":0}`
	for mode, want := range map[string]struct{ json, text string }{
		"neighbors": {
			`{"mode":"neighbors","rows":[{"score":0.5,"hops":1,"relationship":` + relationship + `,"node":` + dinghy + `}],"truncated":false}`,
			"# Neighbors\n- —relates_to→ **Dinghy** (Concept, d)\n",
		},
		"path": {
			`{"mode":"path","paths":[{"length":1,"nodes":[` + boat + `,` + dinghy + `],"relationships":[` + relationship + `]}],"truncated":false}`,
			"# Paths\n- Boat —relates_to→ Dinghy\n",
		},
		"ppr": {
			`{"mode":"ppr","rows":[{"score":0.459459,"hops":1,"node":` + strings.Replace(dinghy, "Dinghy", "Boat", 1) + `}],"truncated":false}`,
			"# Close to the seeds\n- **Boat** (Concept, d)\n",
		},
		"cypher": {
			`{"mode":"cypher","columns":["x"],"rows":[[1]],"truncated":false}`,
			"| x |\n| --- |\n| 1 |\n",
		},
	} {
		for format, c := range map[string]struct{ body, content string }{"": {want.json, jsonType}, "json": {want.json, jsonType}, "text": {want.text, markdownType}} {
			f := &fakes{}
			w := ask(newAPI(f), http.MethodPost, "/v1/traverse", `{`+aWalk[mode]+`,"format":"`+format+`"}`)
			if w.Code != 200 || w.Header().Get("Content-Type") != c.content || w.Body.String() != c.body {
				t.Errorf("%s as %q: %d %s %s", mode, format, w.Code, w.Header().Get("Content-Type"), w.Body)
			}
			if told := fmt.Sprint(f.changed); told != "[t recalled]" {
				t.Errorf("%s as %q: told %s", mode, format, told)
			}
		}
	}
}

// Whoever asks walks through what is the team's, and the user's for whom it asks; a key bound to a user asks for that one.
func TestTraverseScope(t *testing.T) {
	t.Parallel()
	for mode, asked := range map[string]string{
		"neighbors": `neighbors of [c] in t for %q: {Outgoing:true Incoming:false Types:[] Without:[] Messages:false}, 0 kinds, 500 each`,
		"path":      `edges of [c] in t for %q: {Outgoing:true Incoming:true Types:[] Without:[] Messages:false}`,
		"ppr":       `edges of [c] in t for %q: {Outgoing:true Incoming:true Types:[] Without:[] Messages:false}`,
		"cypher":    `cypher in t for %q with map[n:9007199254740993]`,
	} {
		for _, c := range []struct {
			bound, user string
			scopes      []string
			status      int
			as          string
		}{
			{"", "", auth.Scopes, 200, ""},
			{"", "u1", auth.Scopes, 200, "u1"},
			{"u1", "", auth.Scopes, 200, "u1"},
			{"u1", "u1", []string{auth.Read}, 200, "u1"},
			{"u1", "u2", auth.Scopes, 403, ""},
			{"", "", []string{auth.Write}, 403, ""},
		} {
			f := &fakes{principal: auth.Principal{TeamID: "t", UserID: c.bound, Scopes: c.scopes}}
			w := ask(newAPI(f), http.MethodPost, "/v1/traverse", strings.Replace(`{`+aWalk[mode]+`,"user_id":"`+c.user+`"}`, `,"user_id":""`, "", 1))
			want := ""
			if c.status == 200 {
				want = fmt.Sprintf(asked, c.as)
			}
			if first, _, _ := strings.Cut(strings.Join(f.asked, "; "), "; "); w.Code != c.status || first != want {
				t.Errorf("%s, %q for %q: %d, asked %s", mode, c.bound, c.user, w.Code, first)
			}
			if (len(f.changed) > 0) != (c.status == 200) {
				t.Errorf("%s, %q for %q: told %v", mode, c.bound, c.user, f.changed)
			}
		}
	}
}

// faults are where a problem found something, in its order. No value may come back.
func faults(t *testing.T, raw []byte) string {
	t.Helper()
	var problem Problem
	if err := json.Unmarshal(raw, &problem); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	all := make([]string, len(problem.Errors))
	for i, fault := range problem.Errors {
		if all[i] = fault.Location; fault.Message == "" {
			t.Errorf("no message at %s", fault.Location)
		}
	}
	if values := strings.ReplaceAll(string(raw), "secret_field", ""); strings.Contains(values, "secret") {
		t.Errorf("a value comes back: %s", raw)
	}
	return strings.Join(all, " ")
}

// Every fault is reported with its place in the body, and nothing is asked of the store.
func TestTraverseFaults(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		``:                  "body",
		`["secret"]`:        "body",
		`{}`:                "body",
		`{"mode":"secret"}`: "body.mode",
		`{"mode":7}`:        "body.mode",
		`{"mode":"neighbors","max_hops":9,"limit":999}`:                                      "body.entity_key body.max_hops body.limit",
		`{"mode":"neighbors","entity_key":"c","max_hops":"secret"}`:                          "body.max_hops",
		`{"mode":"neighbors","entity_key":"c","max_hops":1.5}`:                               "body.max_hops",
		`{"mode":"neighbors","entity_key":"c","verbose":"secret"}`:                           "body.verbose",
		`{"mode":"neighbors","entity_key":"c","kinds":["concept","secret"]}`:                 "body.kinds[1]",
		`{"mode":"neighbors","entity_key":"c","cursor":"secret!"}`:                           "body.cursor",
		`{"mode":"neighbors","entity_key":"c","secret_field":1}`:                             "body.secret_field",
		`{"mode":"neighbors","entity_key":"c","team_id":"other"}`:                            "body.team_id",
		`{"mode":"neighbors","entity_key":"c","format":"secret"}`:                            "body.format",
		`{"mode":"neighbors","entity_key":"c","user_id":"` + strings.Repeat("x", 257) + `"}`: "body.user_id",
		`{"mode":"neighbors","entity_key":"c","cypher":"secret"}`:                            "body.cypher",
		`{"mode":"path","from":"c"}`:                                                         "body.to",
		`{"mode":"path","from":"c","to":"d","relationship_types":["x","secret type"]}`:       "body.relationship_types[1]",
		`{"mode":"ppr","seed_nodes":["c",""],"damping":2}`:                                   "body.seed_nodes[1] body.damping",
		`{"mode":"ppr","seed_nodes":"secret"}`:                                               "body.seed_nodes",
		`{"mode":"cypher","cypher":""}`:                                                      "body.cypher",
		`{"mode":"cypher","cypher":"RETURN 1","parameters":{"n":[9223372036854775808]}}`:     "body.parameters.n",
		`{"mode":"cypher","cypher":"RETURN 1","parameters":["secret"]}`:                      "body.parameters",
		`{"mode":"cypher","cypher":"RETURN 1","entity_key":"secret"}`:                        "body.entity_key",
	} {
		f := &fakes{}
		w := ask(newAPI(f), http.MethodPost, "/v1/traverse", body)
		if got := faults(t, w.Body.Bytes()); w.Code != 422 || got != want || len(f.asked)+len(f.changed) > 0 {
			t.Errorf("%.100s: %d at %s, asked %v: %s", body, w.Code, got, f.asked, w.Body)
		}
	}
}

// What the store refuses has one status each; faults of a statement are faults of the body, and nothing is recalled.
func TestTraverseErrors(t *testing.T) {
	t.Parallel()
	statement := &fault.InvalidError{Fields: []fault.FieldError{{Path: fault.At("cypher"), Message: "CREATE is not allowed"}}}
	for _, c := range []struct {
		err    error
		status int
		again  bool // it may be tried again, after some time
		at     string
	}{
		{statement, 422, false, "body.cypher"},
		{fmt.Errorf("secret: %w", graph.ErrBusy), 429, true, ""},
		{fmt.Errorf("secret: %w", graph.ErrUnavailable), 503, true, ""},
		{fmt.Errorf("secret: %w", fault.ErrNotFound), 404, false, ""},
		{errors.New("secret"), 500, false, ""},
	} {
		for mode, walk := range aWalk {
			f := &fakes{err: c.err}
			w := ask(newAPI(f), http.MethodPost, "/v1/traverse", `{`+walk+`}`)
			if w.Code != c.status || (w.Header().Get("Retry-After") == retryAfter) != c.again || w.Header().Get("Content-Type") != problemType {
				t.Errorf("%s, %v: %d, Retry-After %q", mode, c.err, w.Code, w.Header().Get("Retry-After"))
			}
			if at := faults(t, w.Body.Bytes()); at != c.at || len(f.changed) > 0 {
				t.Errorf("%s, %v: faults at %s, told %v", mode, c.err, at, f.changed)
			}
		}
	}
}

func TestSchemaFormats(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{"": jsonType, "?format=json&max_tokens=1000": jsonType, "?format=text": markdownType, "?max_tokens=100000": jsonType} {
		f := &fakes{}
		w := ask(newAPI(f), http.MethodGet, "/v1/schema"+query, "")
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != want || len(f.changed) > 0 {
			t.Errorf("%s: %d %s, told %v", query, w.Code, got, f.changed)
		}
		has := `"kinds":[{"label":"Concept","count":2,`
		if want == markdownType {
			has = "# What Cypher can ask here\n\n## Nodes\n- (:Concept) 2: "
		}
		if json.Valid(w.Body.Bytes()) != (want == jsonType) || !strings.Contains(w.Body.String(), has) || !strings.Contains(strings.ReplaceAll(w.Body.String(), `\u003e`, ">"), "(:Concept)-[:relates_to]->(:Concept)") {
			t.Errorf("%s: %s", query, w.Body)
		}
	}
}

func TestSchemaFaults(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"max_tokens=999":                  "query.max_tokens",
		"max_tokens=100001":               "query.max_tokens",
		"max_tokens=-1":                   "query.max_tokens",
		"max_tokens=secret":               "query.max_tokens",
		"max_tokens=99999999999999999999": "query.max_tokens",
		"format=secret":                   "query.format",
	} {
		f := &fakes{}
		w := ask(newAPI(f), http.MethodGet, "/v1/schema?"+query, "")
		if got := faults(t, w.Body.Bytes()); w.Code != 422 || got != want || len(f.asked) > 0 {
			t.Errorf("%s: %d at %s, asked %v", query, w.Code, got, f.asked)
		}
	}
	w := ask(newAPI(&fakes{err: fmt.Errorf("secret: %w", graph.ErrUnavailable)}), http.MethodGet, "/v1/schema", "")
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("without a database: %d %s", w.Code, w.Body)
	}
}

func TestSchemaScope(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bound, query string
		scopes       []string
		status       int
		asked        string
	}{
		{"", "", auth.Scopes, 200, `[census of t for ""]`},
		{"", "?user_id=u1", []string{auth.Read}, 200, `[census of t for "u1"]`},
		{"u1", "", auth.Scopes, 200, `[census of t for "u1"]`},
		{"u1", "?user_id=u1", auth.Scopes, 200, `[census of t for "u1"]`},
		{"u1", "?user_id=u2", auth.Scopes, 403, "[]"},
		{"", "", []string{auth.Write}, 403, "[]"},
	} {
		f := &fakes{principal: auth.Principal{TeamID: "t", UserID: c.bound, Scopes: c.scopes}}
		w := ask(newAPI(f), http.MethodGet, "/v1/schema"+c.query, "")
		if got := fmt.Sprint(f.asked); w.Code != c.status || got != c.asked {
			t.Errorf("%q %s: %d, asked %s", c.bound, c.query, w.Code, got)
		}
	}
}
