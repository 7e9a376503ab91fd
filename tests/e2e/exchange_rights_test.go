package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kith/exchange"
	"kith/tests/testenv"
)

// rights is a team with records of two users and shared ones, and the keys of its callers.
type rights struct {
	admin, team, bound, limited caller
}

// rightsOf returns a new team in which every caller may import or write.
func rightsOf(t *testing.T, s *service) rights {
	t.Helper()
	team := testenv.Team(t)
	key := func(body string) caller {
		return s.as(s.as(bootstrapKey).must(t, http.MethodPost, "/v1/keys", `{"team_id":"`+team+`",`+body+`}`)["key"].(string))
	}
	r := rights{
		admin: key(`"scopes":["read","write","admin"]`), team: key(`"scopes":["read","write"]`),
		bound: key(`"user_id":"u1","scopes":["read","write"]`), limited: key(`"scopes":["read","write"],"origin":"external"`),
	}
	for _, user := range []string{`"u1"`, `"u2"`, "null"} {
		name := strings.Trim(user, `"`)
		r.admin.must(t, http.MethodPost, "/v1/memory", fmt.Sprintf(`{"nodes":[{"kind":"person","entity_key":"p-%[2]s","name":"P %[2]s","user_id":%[1]s},
			{"kind":"concept","entity_key":"c-%[2]s","name":"C %[2]s","user_id":%[1]s}],"relationships":[{"from":"p-%[2]s","to":"c-%[2]s","type":"relates_to","description":"first"}]}`, user, name))
	}
	r.admin.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u2","entity_key":"s-u2","content_type":"email","messages":[{"role":"user","text":"private"}]}`)
	r.admin.do(t, http.MethodPut, "/v1/users/u2/preferences", `{"preferences":[{"key":"tone","value":"plain"}]}`)
	return r
}

var theirKeys = []string{"p-u1", "c-u1", "p-u2", "c-u2", "p-null", "c-null", "s-u2", "new", "newer"} //nolint:gochecknoglobals // a constant list

// drawnKind draws a kind, mostly that of the record with the key.
func drawnKind(r *rapid.T, key string) string {
	own := map[string]string{"p": "person", "c": "concept", "s": "source", "n": "person"}[key[:1]]
	return rapid.SampledFrom([]string{own, own, own, "person", "concept", "source"}).Draw(r, "kind")
}

// forgedNode draws a node of an import that claims what it can. plain is it without what only an import may give.
func forgedNode(r *rapid.T) (line, plain map[string]any) {
	key := rapid.SampledFrom(theirKeys).Draw(r, "key")
	line = map[string]any{
		"kind": drawnKind(r, key), "entity_key": key, "name": "N " + rapid.StringMatching("[a-z]{8}").Draw(r, "name"),
		"description": "forged",
	}
	switch user := rapid.SampledFrom([]string{"", "null", "u1", "u2"}).Draw(r, "user"); user {
	case "":
	case "null":
		line["user_id"] = nil
	default:
		line["user_id"] = user
	}
	plain = map[string]any{}
	for name, value := range line {
		plain[name] = value
	}
	history := map[string]any{"version": 1}
	if rapid.Bool().Draw(r, "writer") {
		history["written"], history["created_by"] = "deadbeef forged-by", "u2-forged"
	}
	if line["kind"] != "source" && rapid.Bool().Draw(r, "merged") {
		history["merged_keys"] = rapid.SliceOfNDistinct(rapid.SampledFrom(theirKeys), 1, 3, rapid.ID[string]).Draw(r, "merged keys")
	}
	if rapid.Bool().Draw(r, "evidence") {
		history["evidence"] = []string{"s-u2\x1fexternal\x1f0.4\x1feve"}
	}
	line["history"] = history
	return line, plain
}

// forgedVersion draws a former version of some record.
func forgedVersion(r *rapid.T) map[string]any {
	key := rapid.SampledFrom(slices.Concat(theirKeys, []string{"p-u1", "c-u1", "p-u1", "c-u1"})).Draw(r, "of")
	p := map[string]any{"entity_key": key, "name": "N", "description": "forged", "version": 0, "written": "deadbeef forged-by"}
	if rapid.Bool().Draw(r, "participants") {
		p["participants"] = []string{"u2"}
	}
	until := fmt.Sprintf("2026-01-%02dT00:00:00Z", rapid.IntRange(1, 28).Draw(r, "day")) // one version ends at one time
	line := map[string]any{"kind": drawnKind(r, key), "of": key, "until": until, "properties": p}
	switch user := rapid.SampledFrom([]string{"null", "u1", "u1", "u2"}).Draw(r, "user"); user {
	case "null":
		line["user_id"] = nil
	default:
		line["user_id"] = user
	}
	return line
}

func lineOf(kind string, value any) string {
	raw, err := json.Marshal(map[string]any{kind: value})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// An import line does what the same key could do by a write, and no more: it is stored only if the write would be, and names nobody else.
func TestImportsDoNoMoreThanWrites(t *testing.T) {
	t.Parallel()
	s := shared(t)
	importing, writing := rightsOf(t, s), rightsOf(t, s)
	read := func() (all string) { // what u2 reads of its own
		for _, path := range []string{"person/p-u2/history", "person/p-u2/changes", "concept/c-u2/history", "source/s-u2/history"} {
			all += string(importing.admin.do(t, http.MethodGet, "/v1/nodes/"+path+"?user_id=u2", "").body)
		}
		return all
	}
	before, reads := private(t, importing.admin.exported(t), "u2"), read()
	report, _ := importing.bound.imported(t, `{"node":{"kind":"person","entity_key":"p-u1","user_id":"u1","name":"P one"}}`+"\n"+`{"version":{"kind":"person","of":"p-u1","user_id":"u1","until":"2025-01-01T00:00:00Z","properties":{"entity_key":"p-u1","name":"P","version":0}}}`)
	if report.Nodes.Created+report.Nodes.Updated != 1 || report.Versions.Created != 1 {
		t.Fatalf("the user's own lines are not stored: %+v", report)
	}
	rapid.Check(t, func(r *rapid.T) {
		if rapid.Bool().Draw(r, "a version") {
			l := forgedVersion(r)
			report, _ := importing.bound.imported(t, lineOf("version", l))
			if of := l["of"].(string); report.Versions.Created > 0 && (l["user_id"] != "u1" || !strings.HasSuffix(of, "-u1") && !strings.HasPrefix(of, "new")) {
				r.Fatalf("stored: %v", l)
			}
			return
		}
		line, plain := forgedNode(r)
		if limited := importing.limited.do(t, http.MethodPost, "/v1/import", lineOf("node", line)); limited.status != http.StatusForbidden {
			r.Fatalf("a limited key imports: %d %s", limited.status, limited.body)
		}
		report, _ := importing.bound.imported(t, lineOf("node", line))
		if report.Nodes.Created+report.Nodes.Updated == 0 {
			return
		}
		raw, _ := json.Marshal(map[string]any{"nodes": []any{plain}})
		answer := writing.bound.do(t, http.MethodPost, "/v1/memory", string(raw))
		if answer.status != http.StatusOK || strings.Contains(string(answer.body), `"status":"refused"`) {
			r.Fatalf("an import stores %v, and a write does not: %s", line, answer.body)
		}
	})
	after := importing.admin.exported(t)
	if diff := cmp.Diff(before, private(t, after, "u2")); diff != "" {
		t.Errorf("another user's memory (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(reads, read()); diff != "" {
		t.Errorf("what another user reads (-before +after):\n%s", diff)
	}
	for line := range strings.SplitSeq(after, "\n") {
		if strings.Contains(line, "forged-by") || strings.Contains(line, "u2-forged") {
			t.Errorf("names another writer: %s", line)
		}
		if keys := mergedKeysIn(line); slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(theirKeys[2:7], key) }) {
			t.Errorf("leads keys astray: %s", line)
		}
	}
}

func mergedKeysIn(line string) []string {
	var l struct {
		Node struct {
			History struct {
				MergedKeys []string `json:"merged_keys"`
			}
		}
	}
	_ = json.Unmarshal([]byte(line), &l)
	return l.Node.History.MergedKeys
}

// everythingOfOthers gives a team lines of every kind, none of them of the user eve.
func everythingOfOthers(t *testing.T, admin caller) {
	t.Helper()
	writeEverything(t, admin)
	admin.must(t, http.MethodPost, "/v1/sources", `{"user_id":"u2","entity_key":"said","messages":[{"role":"user","text":"I love jazz. I live in Lyon."}]}`)
	admin.changeStatements(t, "u2", `{"paused":true}`)
	admin.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"ada","name":"Ada May"},{"kind":"person","entity_key":"adam","name":"Adam May"}]}`)
	if r := admin.do(t, http.MethodPatch, "/v1/duplicates?user_id=u1", `{"refuse":[{"first":"ada","second":"adam"}]}`); r.status != http.StatusNoContent {
		t.Fatalf("refuse: %d %s", r.status, r.body)
	}
	mails := admin.must(t, http.MethodPost, "/v1/keys", `{"user_id":"u1","scopes":["read","write"],"origin":"external","trust":0.1}`)["key"].(string)
	held := caller{admin.url, mails, admin.client}.must(t, http.MethodPost, "/v1/memory", `{"nodes":[{"kind":"person","entity_key":"held","name":"Held"}]}`)["review"].(string)
	admin.must(t, http.MethodPatch, "/v1/reviews/"+held+"?user_id=u1", `{"state":"refused","always":true}`)
}

// private returns the lines of an export about what is of some users. Shared memory may be changed by everybody.
func private(t *testing.T, file string, users ...string) (lines []string) {
	t.Helper()
	keys := map[any]bool{} // of their nodes and chats
	for line := range strings.Lines(storyDue.ReplaceAllString(file, "")) {
		var l map[string]map[string]any
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		for kind, v := range l {
			user, _ := v["user_id"].(string)
			isTheirs := slices.Contains(users, user)
			for _, name := range []string{"entity_key", "id"} {
				keys[v[name]] = keys[v[name]] || isTheirs && v[name] != nil
			}
			if kind != "end" && (isTheirs || keys[v["from"]] || keys[v["to"]] || keys[v["tree_id"]] || keys[v["of"]]) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// forge changes a line of an export as eve would: whose it is, and some of its texts.
func forge(r *rapid.T, value any, users []any) any {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			switch {
			case name == "key" && rapid.Bool().Draw(r, "without a key"):
				delete(value, name)
			case name == "user_id":
				if user := rapid.SampledFrom(users).Draw(r, "user"); user == "" {
					delete(value, name)
				} else {
					value[name] = user
				}
			case slices.Contains([]string{"description", "text", "summary", "written", "created_by", "author", "value", "decision", "state"}, name) && rapid.IntRange(0, 2).Draw(r, name) == 0:
				value[name] = "forged"
			default:
				value[name] = forge(r, value[name], users)
			}
		}
	case []any:
		for i := range value {
			value[i] = forge(r, value[i], users)
		}
	}
	return value
}

// Whatever lines the key of a user imports, what is of others stays as it is.
func TestImportsChangeNothingOfOthers(t *testing.T) {
	t.Parallel()
	s := shared(t)
	admin := s.as(s.newKey(t, testenv.Team(t), "read", "write", "admin"))
	everythingOfOthers(t, admin)
	eve := s.as(admin.must(t, http.MethodPost, "/v1/keys", `{"user_id":"eve","scopes":["read","write"]}`)["key"].(string))
	file := admin.exported(t)
	for _, kind := range []string{"node", "relationship", "statement", "pause", "refusal", "review", "trust_rule", "preference", "chat_tree", "chat_turn", "version"} {
		if !strings.Contains(file, `{"`+kind+`":`) {
			t.Errorf("the file has no %s, so that this shows nothing of it", kind)
		}
	}
	before := private(t, file, "u1", "u2")
	kept := exchange.Report{}
	rapid.Check(t, func(r *rapid.T) {
		users := rapid.SampledFrom([][]any{{"eve"}, {""}, {nil}, {"u1", "u2"}, {"eve", "eve", "", nil, "u1", "u2"}}).Draw(r, "users")
		var lines strings.Builder
		for line := range strings.Lines(file) {
			var value any
			if err := json.Unmarshal([]byte(line), &value); err != nil {
				r.Fatal(err)
			}
			raw, err := json.Marshal(forge(r, value, users))
			if err != nil {
				r.Fatal(err)
			}
			fmt.Fprintf(&lines, "%s\n", raw)
		}
		report, _ := eve.imported(t, lines.String())
		kept.Nodes.Created, kept.Relationships.Created = kept.Nodes.Created+report.Nodes.Created, kept.Relationships.Created+report.Relationships.Created
	})
	if kept.Nodes.Created == 0 || kept.Relationships.Created == 0 {
		t.Errorf("eve imported nothing: %+v", kept)
	}
	after := admin.exported(t)
	if diff := cmp.Diff(before, private(t, after, "u1", "u2")); diff != "" {
		t.Errorf("what is of others (-before +after):\n%s", diff)
	}
	for line := range strings.Lines(after) {
		if strings.Contains(line, `"user_id":"eve"`) && (strings.Contains(line, `"written":"forged`) || strings.Contains(line, `"created_by":"forged`) || strings.Contains(line, `"author":"forged`)) {
			t.Errorf("names another writer: %s", line)
		}
	}
}
