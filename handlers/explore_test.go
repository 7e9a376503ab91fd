package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/vector"
	"kith/memory/explore"
)

// exploring is an explorer of a memory that has one concept.
type exploring struct {
	*explore.Explorer
	fakes *fakes
}

func explorerOf(f *fakes) *exploring {
	return &exploring{explore.New(memory{f}, explore.Options{}), f}
}

func (e *exploring) Forget(scope graph.Scope) {
	e.fakes.forgotten = append(e.fakes.forgotten, scope)
	e.Explorer.Forget(scope)
}

type memory struct{ *fakes }

func (m memory) CurrentKeys(context.Context, graph.Scope, []string) (map[string]string, error) {
	return map[string]string{}, m.err
}

func (m memory) Search(_ context.Context, scope graph.Scope, q explore.Search) (explore.Found, error) {
	m.ask("explore of %s for %q: %d asks", scope.TeamID, scope.UserID, len(q.Asks))
	concept, _ := graph.KindOf("concept")
	return explore.Found{Nodes: []explore.FoundNode{{Hit: explore.Hit{Score: 1, Key: "c"}, Kind: concept, Name: "Boat"}}}, m.err
}

func (m memory) Details(context.Context, graph.Scope, explore.Wanted) (explore.Details, error) {
	return explore.Details{Nodes: []graph.NodeView{{Kind: "concept", Node: graph.Node{EntityKey: "c", Name: "Boat"}}}}, m.err
}

func (memory) Vectors(context.Context, string, int64, int) ([]vector.Row, error) { return nil, nil }

// Every fault of a request is reported with its place, all of them at once, and no value comes back.
func TestExploreFaults(t *testing.T) {
	t.Parallel()
	const long = 20_000
	f := &fakes{}
	api := newAPI(f)
	many := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	for body, want := range map[string]string{
		``:                                 "body",
		`{}`:                               "body.queries",
		`{"queries":[],"text_matches":[]}`: "body.queries",
		`{"queries":"secret"}`:             "body.queries",
		`{"queries":[{"threshold":0.5}]}`:  "body.queries[0]",
		`{"queries":[{"query":" \n\t"}]}`:  "body.queries[0].query",
		`{"queries":[{"query":7}]}`:        "body.queries[0].query",
		`{"queries":[{"query":"x","threshold":1.1},{"query":"x","threshold":-0.1}]}`:           "body.queries[0].threshold body.queries[1].threshold",
		`{"queries":[{"query":"x","threshold":"secret"}]}`:                                     "body.queries[0].threshold",
		`{"queries":[{"query":"x","limit":3}]}`:                                                "body.queries[0].limit",
		`{"queries":[{"query":"` + strings.Repeat("é", long) + `"}]}`:                          "body.queries[0].query",
		`{"queries":` + many(9, `{"query":"x"}`) + `}`:                                         "body.queries",
		`{"text_matches":["x",""]}`:                                                            "body.text_matches[1]",
		`{"text_matches":["` + strings.Repeat("x", long) + `"]}`:                               "body.text_matches[0]",
		`{"text_matches":` + many(17, `"x"`) + `}`:                                             "body.text_matches",
		`{"text_matches":["x"],"kinds":["concept","secret"]}`:                                  "body.kinds[1]",
		`{"text_matches":["x"],"kinds":["Concept"]}`:                                           "body.kinds[0]",
		`{"text_matches":["x"],"granularity":0}`:                                               "body.granularity",
		`{"text_matches":["x"],"granularity":4}`:                                               "body.granularity",
		`{"text_matches":["x"],"granularity":1.5}`:                                             "body.granularity",
		`{"text_matches":["x"],"limit":0}`:                                                     "body.limit",
		`{"text_matches":["x"],"limit":101}`:                                                   "body.limit",
		`{"text_matches":["x"],"limit":-1}`:                                                    "body.limit",
		`{"text_matches":["x"],"expand":31}`:                                                   "body.expand",
		`{"text_matches":["x"],"expand":-1}`:                                                   "body.expand",
		`{"text_matches":["x"],"max_tokens":0}`:                                                "body.max_tokens",
		`{"text_matches":["x"],"max_tokens":99}`:                                               "body.max_tokens",
		`{"text_matches":["x"],"max_tokens":100001}`:                                           "body.max_tokens",
		`{"text_matches":["x"],"mode":"secret"}`:                                               "body.mode",
		`{"text_matches":["x"],"format":"secret"}`:                                             "body.format",
		`{"text_matches":["x"],"multi_query":"secret"}`:                                        "body.multi_query",
		`{"text_matches":["x"],"semantic_weight":-0.1,"time_weight":1.1,"salience_weight":2}`:  "body.semantic_weight body.time_weight body.salience_weight",
		`{"text_matches":["x"],"semantic_weight":0,"time_weight":0,"salience_weight":0}`:       "body.semantic_weight",
		`{"text_matches":["x"],"time_weight":"secret"}`:                                        "body.time_weight",
		`{"text_matches":["x"],"time_weight":NaN}`:                                             "body",
		`{"text_matches":["x"],"time_weight":1e999}`:                                           "body",
		`{"text_matches":["x"],"since":"secret"}`:                                              "body.since",
		`{"text_matches":["x"],"since":"0001-01-01T00:00:00Z","until":"9999-01-01T00:00:00Z"}`: "body.since body.until",
		`{"text_matches":["x"],"since":"2026-02-01T00:00:00Z","until":"2026-01-01T00:00:00Z"}`: "body.until",
		`{"text_matches":["x"],"user_id":"secret\u0000"}`:                                      "body.user_id",
		`{"text_matches":["x"],"user_id":"` + strings.Repeat("x", 257) + `"}`:                  "body.user_id",
		`{"text_matches":["x"],"relationship_filters":{"min_attitude":0,"max_attitude":6,"min_proximity":-9223372036854775808,"max_proximity":9223372036854775807}}`: "body.relationship_filters.min_attitude body.relationship_filters.max_attitude body.relationship_filters.min_proximity body.relationship_filters.max_proximity",
		`{"text_matches":["x"],"relationship_filters":{"min_attitude":4,"max_attitude":3,"min_proximity":2,"max_proximity":1}}`:                                      "body.relationship_filters.max_attitude body.relationship_filters.max_proximity",
		`{"text_matches":["x"],"relationship_filters":{"relationship_types":["thinks_about","Secret type"],"exclude_relationship_types":["x) DETACH"]}}`:             "body.relationship_filters.relationship_types[1] body.relationship_filters.exclude_relationship_types[0]",
		`{"text_matches":["x"],"relationship_filters":{"secret_attitude":1}}`:                                                                                        "body.relationship_filters.secret_attitude",
		`{"text_matches":["x"],"search_relationships":"secret"}`:                                                                                                     "body.search_relationships",
		`{"text_matches":["x"],"secret_field":1}`:                                                                                                                    "body.secret_field",
		`{"text_matches":["x"],"team_id":"other"}`:                                                                                                                   "body.team_id",
		`{"text_matches":["x"],"limit":999,"granularity":7,"expand":99}`:                                                                                             "body.expand body.granularity body.limit",
		`{"text_matches":["x"],"evidence":["words","secret"]}`:                                                                                                       "body.evidence[1]",
		`["secret"]`: "body",
	} {
		f.asked = nil
		w := ask(api, http.MethodPost, "/v1/explore", body)
		var problem Problem
		if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || w.Code != 422 || w.Header().Get("Content-Type") != problemType {
			t.Errorf("%.120s: %d %s (%v)", body, w.Code, w.Body, err)
			continue
		}
		at := map[string]bool{}
		for _, fault := range problem.Errors {
			at[fault.Location] = true
			if fault.Message == "" {
				t.Errorf("%.120s: no message at %s", body, fault.Location)
			}
		}
		for _, location := range strings.Fields(want) {
			if !at[location] {
				t.Errorf("%.120s: nothing at %s: %s", body, location, w.Body)
			}
			delete(at, location)
		}
		if len(at) > 0 || len(f.asked) > 0 {
			t.Errorf("%.120s: also %v; asked %v", body, at, f.asked)
		}
		values := strings.NewReplacer("secret_field", "", "secret_attitude", "").Replace(w.Body.String()) // names of fields are no values
		if strings.Contains(strings.ToLower(values), "secret") {
			t.Errorf("%.120s: the value comes back: %s", body, w.Body)
		}
	}
}

// Whoever asks sees what is the team's, and the user's for whom it asks; a key bound to a user asks for that one.
func TestExploreScope(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bound, body string
		scopes      []string
		status      int
		asked       string
	}{
		{"", `{"text_matches":["x"]}`, auth.Scopes, 200, `explore of t for "": 1 asks`},
		{"", `{"text_matches":["x"],"user_id":"u1"}`, auth.Scopes, 200, `explore of t for "u1": 1 asks`},
		{"u1", `{"text_matches":["x"]}`, auth.Scopes, 200, `explore of t for "u1": 1 asks`},
		{"u1", `{"text_matches":["x"],"user_id":"u1"}`, auth.Scopes, 200, `explore of t for "u1": 1 asks`},
		{"u1", `{"text_matches":["x"],"user_id":"u2"}`, auth.Scopes, 403, ""},
		{"", `{"text_matches":["x"]}`, []string{auth.Write}, 403, ""},
		{"", `{"queries":[{"query":"a"},{"query":"b"}],"text_matches":["x"]}`, []string{auth.Read}, 200, `explore of t for "": 3 asks`},
	} {
		f := &fakes{principal: auth.Principal{TeamID: "t", UserID: c.bound, Scopes: c.scopes}}
		w := ask(newAPI(f), http.MethodPost, "/v1/explore", c.body)
		if got := strings.Join(f.asked, "; "); w.Code != c.status || got != c.asked {
			t.Errorf("%q %s: %d, asked %s: %s", c.bound, c.body, w.Code, got, w.Body)
		}
		if told := fmt.Sprint(f.changed); (told == "[t recalled]") != (c.status == 200) {
			t.Errorf("%q %s: told %s", c.bound, c.body, told)
		}
	}
}

func TestExploreFormats(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"text_matches":["boat"]}`:                 jsonType,
		`{"text_matches":["boat"],"format":"json"}`: jsonType,
		`{"text_matches":["boat"],"format":"text"}`: markdownType,
	} {
		w := ask(newAPI(&fakes{}), http.MethodPost, "/v1/explore", body)
		if got := w.Header().Get("Content-Type"); w.Code != 200 || got != want {
			t.Errorf("%s: %d %s", body, w.Code, got)
		}
		if strings.HasPrefix(w.Body.String(), "# Found for: boat") != (want == markdownType) || json.Valid(w.Body.Bytes()) != (want == jsonType) {
			t.Errorf("%s: %s", body, w.Body)
		}
	}
	w := ask(newAPI(&fakes{err: fmt.Errorf("secret: %w", graph.ErrUnavailable)}), http.MethodPost, "/v1/explore", `{"text_matches":["boat"]}`)
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("without a database: %d %s", w.Code, w.Body)
	}
}
