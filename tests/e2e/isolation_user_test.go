package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kith/handlers"
	"kith/memory/duplicate"
	"kith/tests/testenv"
)

// No answer to a user depends on what another user of the team stores for themselves: two teams get the same random operations of one user
// at the same times. In one of them another user does the same in private, also about what both share. The reads of the first user are the
// same to the byte, but for what numbered replaces, names of teams, and numbers of commits. The worker of duplicates is run after each
// operation. It is not run beside other tests, whose workers look at all teams.
func TestUsersDoNotDependOnOthers_slow(t *testing.T) { //nolint:paralleltest // see above
	count, seed := 120, uint64(1)
	if os.Getenv("KITH_TEST_OPERATIONS") != "" {
		count, seed = setting(t, "KITH_TEST_OPERATIONS"), uint64(setting(t, "KITH_TEST_SEED")) //nolint:gosec // small
	}
	clock := &testClock{}
	clock.nanos.Store(time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC).UnixNano())
	teams := []string{testenv.Team(t), testenv.Team(t)}
	alone := openAt(t, clock, teams[0], testenv.Neo4j(t))
	m := &mirrored{
		T: t, clock: clock, twins: []*isolated{alone, alone.of(t, teams[1])}, teams: teams, keys: userKeys("noor"),
		random: rand.New(rand.NewPCG(seed, 0)), others: rand.New(rand.NewPCG(seed, 1)), worker: duplicate.NewWorker(alone.instance.Duplicates, duplicate.Options{}), //nolint:gosec // a test's choice
		statuses: map[string]map[int]int{},
	}
	m.other = alone.of(t, teams[1])
	m.begin()
	for i := 1; i <= count && !t.Failed(); i++ {
		for range m.others.IntN(4) {
			m.sendOther()
		}
		m.compare(m.writes("noor", m.random, m.keys))
		if i%6 == 0 || i == count {
			for _, o := range m.reads() {
				m.compare(o)
			}
			for range 3 {
				m.sendOther()
			}
			m.compare(m.get("get-context", "/v1/context")) // cached before the last uses were counted: others do not renew it
		}
		if i%500 == 0 {
			t.Logf("%d operations", i)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.statuses)) {
		t.Logf("%s: %v", id, m.statuses[id])
		if counts := m.statuses[id]; count >= 1000 && counts[http.StatusOK]+counts[http.StatusCreated]+counts[http.StatusNoContent] == 0 { // of few, some may have none
			t.Errorf("%s never succeeded: %v", id, counts)
		}
	}
}

// mirrored are two teams: the other user writes in the second one only.
type mirrored struct {
	*testing.T

	clock          *testClock
	twins          []*isolated
	other          *isolated // the second team, for the other user
	teams, keys    []string
	random, others *rand.Rand
	worker         *duplicate.Worker
	statuses       map[string]map[int]int // of the first user, and of the other one
	written        int
}

// sharedKeys are those of what both users see.
var sharedKeys = []string{"hub", "acme", "acme-inc", "miller", "r-miller", "harbour"}

// likeNames are names of persons and entities of which many are proposed as one.
var likeNames = []string{
	"Robert Miller", "Bob Miller", "Bobby Miller", "R. Miller", "Rob Muller", "Acme Works", "Acme Works Inc.", "Acme Wroks", "Ann Verlinde", "Anne Verlinde", "Harbour",
}

func userKeys(user string) []string {
	var keys []string
	for i := range 14 {
		keys = append(keys, fmt.Sprintf("%s-%d", user, i))
	}
	return keys
}

// kindOf returns the kind of a node of the test: always the same for a key.
func kindOf(key string) string {
	if strings.HasSuffix(key, "miller") || key[len(key)-1]%2 == 0 {
		return "person"
	}
	return "entity"
}

func jsonText(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts, lists and maps
	}
	return string(raw)
}

func post(id, path string, body any) handlers.Operation {
	return handlers.Operation{ID: id, Method: http.MethodPost, Path: path, Body: jsonText(body)}
}

// begin stores what the users share.
func (m *mirrored) begin() {
	m.Helper()
	m.compare(handlers.Operation{ID: "set-team-trust", Method: http.MethodPatch, Path: "/v1/teams/TEAM/trust", Body: `{"min_trust":0.25}`})
	for i, key := range sharedKeys {
		m.compare(post("write-memory", "/v1/memory", map[string]any{"nodes": []any{map[string]any{"kind": kindOf(key), "entity_key": key, "name": likeNames[(i+3)%len(likeNames)]}}}))
	}
	for _, key := range sharedKeys[1:] {
		m.compare(post("write-memory", "/v1/memory", map[string]any{"relationships": []any{map[string]any{"from": key, "to": "hub", "type": "relates_to"}}}))
	}
}

// writes returns a write of a user: of nodes with like names, relationships also with what is shared, sources that mention both, and
// decisions about pairs, merges, sources and reviews. What is shared is not changed by the other user.
func (m *mirrored) writes(user string, random *rand.Rand, keys []string) handlers.Operation {
	own, other, some := pick(random, keys), pick(random, keys), pick(random, slices.Concat(keys, sharedKeys))
	source, query := fmt.Sprintf("%s-s%d", user, random.IntN(12)), "?user_id="+user
	switch random.IntN(22) {
	case 0, 1, 2, 3, 4:
		return post("write-memory", "/v1/memory", map[string]any{"user_id": user, "nodes": []any{map[string]any{
			"kind": kindOf(own), "entity_key": own, "name": pick(random, likeNames), "description": pick(random, []string{"plays the drums", "builds ships", "a harbour"}),
		}}})
	case 5, 6, 7, 8:
		return post("write-memory", "/v1/memory", map[string]any{"user_id": user, "relationships": []any{map[string]any{"from": own, "to": some, "type": "relates_to", "description": "met at the harbour"}}})
	case 9, 10, 11:
		mentions := slices.Compact(slices.Sorted(slices.Values([]string{own, some, pick(random, sharedKeys)})))
		return post("write-source", "/v1/sources", map[string]any{
			"user_id": user, "entity_key": source, "summary": "Bob of Acme at the harbour", "mentions": mentions,
			"messages": []any{map[string]any{"entity_key": fmt.Sprint(source, "-m", m.written), "role": "user", "text": "I prefer Acme over " + pick(random, likeNames) + "."}},
		})
	case 12:
		return post("withdraw-source", "/v1/sources/"+source+"/withdraw", map[string]any{"user_id": user, "undo": random.IntN(2) == 0})
	case 13:
		pair := []any{map[string]any{"first": own, "second": other}}
		return handlers.Operation{ID: "change-duplicates", Method: http.MethodPatch, Path: "/v1/duplicates" + query, Body: jsonText(map[string]any{pick(random, []string{"refuse", "admit"}): pair})}
	case 14:
		return post("merge-nodes", "/v1/nodes/"+kindOf(own)+"/"+own+"/merge"+query, map[string]any{"other": other})
	case 15, 16:
		return handlers.Operation{ID: "restore-node", Method: http.MethodPost, Path: "/v1/nodes/" + kindOf(own) + "/" + own + "/restore" + query}
	case 17:
		return handlers.Operation{ID: "delete-node", Method: http.MethodDelete, Path: "/v1/nodes/" + kindOf(own) + "/" + own + query}
	case 18:
		return post("write-memory", "/v1/memory", map[string]any{"user_id": user, "nodes": []any{map[string]any{
			"kind": kindOf(own), "entity_key": own, "name": "Lure", "origin": "external", "trust": 0.1,
		}}})
	case 19:
		return handlers.Operation{ID: "decide-review", Method: http.MethodPatch, Path: "/v1/reviews/{list-reviews/reviews/0/key}" + query, Body: jsonText(map[string]any{"state": pick(random, []string{"refused", "confirmed"})})}
	default:
		if user != "noor" { // what is shared is the first user's
			return post("explore", "/v1/explore", map[string]any{"user_id": user, "queries": []any{map[string]any{"query": pick(random, likeNames)}}})
		}
		key, to := pick(random, sharedKeys), pick(random, sharedKeys)
		if random.IntN(2) == 0 {
			return post("write-memory", "/v1/memory", map[string]any{"relationships": []any{map[string]any{"from": key, "to": to, "type": "connected_to"}}})
		}
		return post("write-memory", "/v1/memory", map[string]any{"nodes": []any{map[string]any{"kind": kindOf(key), "entity_key": key, "name": pick(random, likeNames)}}})
	}
}

// get returns a read of the first user.
func (m *mirrored) get(id, path string, query ...string) handlers.Operation {
	return handlers.Operation{ID: id, Method: http.MethodGet, Path: path + "?" + strings.Join(append(query, "user_id=noor"), "&")}
}

// reads returns all reads of the first user.
func (m *mirrored) reads() []handlers.Operation {
	get := m.get
	key := pick(m.random, slices.Concat(m.keys, sharedKeys))
	of := "/v1/nodes/" + kindOf(key) + "/" + url.PathEscape(key)
	shared := pick(m.random, sharedKeys)
	ofShared := "/v1/nodes/" + kindOf(shared) + "/" + shared
	all := []handlers.Operation{
		get("list-duplicates", "/v1/duplicates"), get("list-duplicates", "/v1/duplicates", "state=refused"), get("list-duplicates", "/v1/duplicates", "limit=2", "kind=person"),
		{ID: "list-statements", Method: http.MethodGet, Path: "/v1/users/noor/statements"}, get("get-context", "/v1/context"), get("get-context", "/v1/context", "format=text"), get("list-served", "/v1/served", "limit=5"),
		get("list-changes", "/v1/changes", "limit=1000"), get("list-reviews", "/v1/reviews"), get("list-consolidation", "/v1/consolidation"), get("list-conversations", "/v1/conversations"),
		get("get-schema", "/v1/schema"), get("get-why", "/v1/context/why", "key="+key),
		post("explore", "/v1/explore", map[string]any{"user_id": "noor", "queries": []any{map[string]any{"query": pick(m.random, likeNames)}}, "limit": 30, "return_explanations": true}),
		post("traverse", "/v1/traverse", map[string]any{"user_id": "noor", "mode": "ppr", "seed_nodes": []string{shared}, "top_k": 20}),
		post("traverse", "/v1/traverse", map[string]any{"user_id": "noor", "mode": "cypher", "cypher": "MATCH (n:Memory)-[r]-(m) RETURN n.entity_key AS key, n.name AS name, count(r) AS links ORDER BY key LIMIT 100"}),
		post("prompt", "/v1/prompt", map[string]any{"user_id": "noor", "message": "Who is Bob Miller?"}),
		{ID: "resources/read", Method: http.MethodPost, Path: "/mcp", Body: `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"kith://context/noor"}}`},
	}
	for _, kind := range []string{"person", "entity", "source", "message"} {
		all = append(all, get("list-nodes", "/v1/nodes/"+kind, "limit=100"))
	}
	for _, node := range []string{of, ofShared} {
		all = append(all, get("get-node", node))
		for _, part := range []string{"relationships", "mentions", "history", "changes", "notes", "linked"} {
			all = append(all, get("node "+part, node+"/"+part))
		}
	}
	return all
}

// sendOther sends a write of the other user, to the second team only.
func (m *mirrored) sendOther() {
	m.Helper()
	m.written++
	o := m.writes("ada", m.others, userKeys("ada"))
	if o.ID == "decide-review" {
		m.other.call(m.Context(), handlers.Operation{ID: "list-reviews", Method: http.MethodGet, Path: "/v1/reviews?user_id=ada"})
	}
	r := m.other.call(m.Context(), o)
	m.count("other's "+o.ID, r.status)
	m.settle(1)
}

// compare sends an operation to both teams, and compares the answers.
func (m *mirrored) compare(o handlers.Operation) {
	m.Helper()
	m.written++
	m.clock.nanos.Add(int64(time.Second)) // things of one second may be in the order of random ids
	var replies [2]reply
	for i, k := range m.twins {
		sent := o
		sent.Path = strings.ReplaceAll(o.Path, "TEAM", m.teams[i])
		r := k.call(context.WithoutCancel(m.Context()), sent)
		m.settle(i)
		replies[i] = reply{r.status, nil, m.plain(k.numbered(r.body))}
	}
	m.count(o.ID, replies[0].status)
	if first, second := replies[0], replies[1]; first.status != second.status || !bytes.Equal(first.body, second.body) {
		m.Errorf("%s %s %s\nalone:  %d %s\nbeside: %d %s", o.Method, o.Path, o.Body, first.status, first.body, second.status, second.body)
	}
}

func (m *mirrored) count(id string, status int) {
	if m.statuses[id] == nil {
		m.statuses[id] = map[int]int{}
	}
	m.statuses[id][status]++
}

// settle stores what an operation has left to the background, and looks for duplicates.
func (m *mirrored) settle(twin int) {
	m.Helper()
	k := m.twins[twin]
	if err := k.instance.Settle(m.Context()); err != nil {
		m.Fatal(err)
	}
	if err := m.worker.Finish(m.Context(), m.teams[twin]); err != nil {
		m.Fatal(err)
	}
}

// places are those of commits in a feed, which count the commits of others too.
var places = regexp.MustCompile(`changes [0-9a-f]+ \d+ \d+`)

// plain replaces the names of the teams, and places in the feed.
func (m *mirrored) plain(body []byte) []byte {
	for _, team := range m.teams {
		body = bytes.ReplaceAll(body, []byte(team), []byte("TEAM"))
	}
	return places.ReplaceAll(body, []byte("changes"))
}
