package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/tests/testenv"
)

// startBehind returns a cluster whose last member is a Neo4j of its own. same checks that both have the same data and indexes.
func startBehind(t *testing.T) (c *testenv.Cluster, db testenv.Database, same func()) {
	t.Helper()
	leader, follower := testenv.StartNeo4j(t).Database(), testenv.StartNeo4j(t).Database()
	c, db = testenv.StartCluster(t, leader, follower), leader
	db.URI = c.URI()
	return c, db, func() {
		t.Helper()
		c.CatchUp(t)
		for _, what := range []string{indexesThere, nodesThere, relationshipsThere} {
			want, got := dump(t, leader, what), dump(t, follower, what)
			if len(want) == 0 || !slices.Equal(want, got) {
				t.Errorf("of %d records, the member that was behind has %d, not the same: %s", len(want), len(got), difference(want, got))
			}
		}
	}
}

// What a Neo4j has.
const (
	indexesThere       = "SHOW INDEXES YIELD name, state, type, labelsOrTypes, properties RETURN [name, state, type, labelsOrTypes, properties] AS row"
	nodesThere         = "MATCH (n) RETURN [labels(n), properties(n)] AS row"
	relationshipsThere = "MATCH (a)-[r]->(b) RETURN [type(r), properties(r), labels(a), properties(a), labels(b), properties(b)] AS row"
)

// dump returns the rows of a statement as texts, sorted.
func dump(t *testing.T, db testenv.Database, statement string) []string {
	t.Helper()
	ctx := t.Context()
	driver, err := neo4j.NewDriverWithContext(db.URI, neo4j.BasicAuth(db.User, db.Password, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = driver.Close(ctx) }()
	result, err := neo4j.ExecuteQuery(ctx, driver, statement, nil, neo4j.EagerResultTransformer, neo4j.ExecuteQueryWithReadersRouting(), neo4j.ExecuteQueryWithDatabase(db.Database))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, r := range result.Records {
		row, err := json.Marshal(r.Values)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, string(row))
	}
	slices.Sort(rows)
	return rows
}

// difference returns the first row that only one has.
func difference(want, got []string) string {
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			return fmt.Sprintf("%.2000s\n%.2000s", strings.Join(want[min(i, len(want)):min(i+1, len(want))], ""), strings.Join(got[min(i, len(got)):min(i+1, len(got))], ""))
		}
	}
	return ""
}

// behind is a cluster whose last member lags, with three instances of Kith: two share a Redis, the third is alone.
type behind struct {
	*testenv.Cluster
	here, there, alone caller
	admin              caller // of here
	model              *languageModel
}

// A member that is behind lets readers wait, so that no one reads what is older than what they wrote or read. A Kith starts when the
// indexes are on every member.
func TestClusterMemberBehind(t *testing.T) {
	if os.Getenv("KITH_TEST_FAULTS") == "" {
		t.Skip("starts two databases: make cluster")
	}
	c, db, same := startBehind(t)
	redis := testenv.StartRedis(t)
	b := &behind{Cluster: c, model: startModel(t)}
	environ := append(settings(db, ""), "KITH_REQUEST_TIMEOUT=60s", "KITH_WEBHOOKS_PRIVATE=allow",
		"KITH_LLM_URL="+b.model.URL+"/v1", "KITH_LLM_KEY="+modelKey, "KITH_LLM_MODEL=tiny")
	shared := append(slices.Clone(environ), "KITH_REDIS_URI="+redis.URI())

	c.Hold(3 * time.Second)
	first := start(t, shared)
	if want, got := dump(t, db, indexesThere), b.ofFollower(t, db, indexesThere); len(want) < 20 || !slices.Equal(want, got) {
		t.Errorf("kith has started, and a member lacks an index: %s", difference(want, got))
	}
	c.Hold(0)
	c.Kill(1) // all reads go to the member that is behind
	second, third := start(t, shared), start(t, environ)
	if !strings.Contains(second.err.String(), "a member of the cluster cannot be reached") {
		t.Error("no line of the log says that a member is not awaited")
	}
	team := testenv.Team(t)
	key := first.newKey(t, team, "read", "write", "admin")
	c.CatchUp(t)
	b.here, b.there, b.alone, b.admin = first.as(key), second.as(key), third.as(key), first.as(key)

	b.checkOwnWrites(t)
	b.checkCursor(t)
	b.checkTimeout(t)
	c.Revive(1)
	b.checkTold(t)
	b.checkDeliveries(t)
	b.checkPages(t)
	same()
}

// ofFollower is dump of the last member.
func (b *behind) ofFollower(t *testing.T, db testenv.Database, statement string) []string {
	t.Helper()
	db.URI = "bolt://" + b.Address(2)
	return dump(t, db, statement)
}

// behindViews are requests whose answers contain the texts that write stores, %s is the mark.
func behindViews() map[string][3]string {
	all := maps.Clone(views)
	maps.Copy(all, map[string][3]string{
		"node":    {http.MethodGet, "/v1/nodes/concept/c?user_id=u1"},
		"nodes":   {http.MethodGet, "/v1/nodes/task?user_id=u1&project_id=p"},
		"sources": {http.MethodGet, "/v1/nodes/source?user_id=u1"},
		"trees":   {http.MethodGet, "/v1/trees?user_id=u1"},
		"changes": {http.MethodGet, "/v1/changes?user_id=u1&limit=1000"},
		"export":  {http.MethodGet, "/v1/export"},
	})
	return all
}

// write stores a mark in all that behindViews show.
func (b *behind) write(t *testing.T, mark string) {
	t.Helper()
	b.send(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[
		{"kind":"person","entity_key":"me","name":"Ada","is_owner":true,"description":"`+mark+`"},
		{"kind":"concept","entity_key":"c","name":"Lighthouse","description":"`+mark+`"},
		{"kind":"concept","entity_key":"`+mark+`","name":"`+mark+`"},
		{"kind":"project","entity_key":"p","name":"Pier","user_id":null,"description":"`+mark+`"},
		{"kind":"task","entity_key":"t","project_id":"p","name":"`+mark+`"}],
		"relationships":[{"from":"p","to":"t","type":"has_task"}]}`)
	b.send(t, http.MethodPut, preferencesPath, `{"preferences":[{"key":"n","value":"`+mark+`"}]}`)
	b.send(t, http.MethodPost, "/v1/sources", `{"user_id":"u1","entity_key":"s-`+mark+`","content_type":"text-note","summary":"`+mark+`"}`)
	b.send(t, http.MethodPost, "/v1/trees", `{"user_id":"u1","name":"`+mark+`"}`)
}

// send sends a write until it is stored: a new database needs time for its first ones.
func (b *behind) send(t *testing.T, method, path, body string) {
	t.Helper()
	eventually(t, 2*time.Minute, path+" is stored", func() bool {
		r := b.here.do(t, method, path, body)
		if r.status != http.StatusServiceUnavailable && r.status >= 300 {
			t.Fatalf("%s: %d %.300s", path, r.status, r.body)
		}
		return r.status < 300
	})
}

// checkOwnWrites writes while the member is behind. Two Kiths with one Redis answer when it has caught up, and the third at once with
// what is there.
func (b *behind) checkOwnWrites(t *testing.T) {
	t.Helper()
	b.write(t, "mark0")
	b.CatchUp(t)
	for what, view := range behindViews() { // plans the statements
		for _, c := range []caller{b.here, b.there, b.alone} {
			eventually(t, time.Minute, what+" has what was written", func() bool {
				r := c.do(t, view[0], view[1], view[2])
				if r.status != http.StatusOK && r.status != http.StatusServiceUnavailable {
					t.Fatalf("%s: %d %.300s", what, r.status, r.body)
				}
				return r.status == http.StatusOK && strings.Contains(string(r.body), "mark0")
			})
		}
	}
	for n := range 40 { // more bookmarks than Redis keeps
		b.send(t, http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"n%d","name":"n%[1]d"}]}`, n))
	}
	b.Hold()
	b.write(t, "mark1")
	<-time.After(time.Second) // for the message to the other
	older := 0
	for _, view := range behindViews() {
		if r := b.alone.do(t, view[0], view[1], view[2]); !strings.Contains(string(r.body), "mark1") {
			older++
		}
	}
	if older < len(behindViews())/2 {
		t.Errorf("without Redis, %d of %d answers are old: the member is not behind, so this test shows nothing", older, len(behindViews()))
	}
	var asking sync.WaitGroup
	var mu sync.Mutex
	caught, waited := false, 0
	for what, view := range behindViews() {
		for where, c := range []caller{b.here, b.there} {
			asking.Go(func() {
				r, err := c.try(context.WithoutCancel(t.Context()), view[0], view[1], view[2])
				mu.Lock()
				defer mu.Unlock()
				if caught {
					waited++
				}
				if err != nil || r.status != http.StatusOK || !strings.Contains(string(r.body), "mark1") {
					t.Errorf("%s at kith %d: %v %d, without the last write: %.300s", what, where, err, r.status, r.body)
				}
			})
		}
	}
	<-time.After(time.Second)
	mu.Lock()
	caught = true
	mu.Unlock()
	b.CatchUp(t)
	asking.Wait()
	t.Logf("%d of %d answers waited for the member, %d of %d were old without Redis", waited, 2*len(behindViews()), older, len(behindViews()))
	if waited < len(behindViews()) {
		t.Error("too few waited")
	}
	tree := b.here.must(t, http.MethodPost, "/v1/trees", `{"user_id":"u1"}`)["id"].(string)
	b.Hold(300 * time.Millisecond)
	b.model.setScript(streamText("an answer"))
	turn := b.here.must(t, http.MethodPost, "/v1/trees/"+tree+"/turns", `{"user_id":"u1","user_prompt":"x"}`)["id"].(string)
	<-time.After(100 * time.Millisecond)
	for _, c := range []caller{b.here, b.there} {
		eventually(t, 20*time.Second, "the turn is answered", func() bool {
			return c.must(t, http.MethodGet, "/v1/turns/"+turn+"?user_id=u1", "")["status"] == "complete"
		})
	}
}

// checkCursor reads the changes behind a cursor that the member has not reached.
func (b *behind) checkCursor(t *testing.T) {
	t.Helper()
	b.CatchUp(t)
	b.Hold()
	b.write(t, "mark2")
	b.Revive(1)
	b.Kill(2)
	next, _ := b.here.must(t, http.MethodGet, "/v1/changes?after=now", "")["next"].(string)
	b.Revive(2)
	b.Kill(1)
	if r := b.alone.do(t, http.MethodGet, "/v1/changes?after="+next, ""); r.status != http.StatusOK || at(r.object(t), "next") != next {
		t.Errorf("changes behind a cursor that a member has not reached: %d %s", r.status, r.body)
	}
	b.CatchUp(t)
}

// checkTimeout reads what the only reader does not get in time: the leader answers.
func (b *behind) checkTimeout(t *testing.T) {
	t.Helper()
	b.Hold()
	b.write(t, "mark3")
	begun := time.Now()
	if r := b.here.do(t, http.MethodGet, "/v1/nodes/concept/c?user_id=u1", ""); r.status != http.StatusOK || !strings.Contains(string(r.body), "mark3") {
		t.Errorf("a read that the only reader does not get in time: %d %s", r.status, r.body)
	}
	if took := time.Since(begun); took < 4*time.Second {
		t.Errorf("it took %v: the member has not let it wait", took)
	}
	b.Revive(1) // has it, and the other not
	for range 4 {
		if r := b.here.do(t, http.MethodGet, "/v1/nodes/concept/c?user_id=u1", ""); r.status != http.StatusOK || !strings.Contains(string(r.body), "mark3") {
			t.Errorf("a read that one of two members can answer: %d %s", r.status, r.body)
		}
	}
	b.CatchUp(t)
}

var toldText = regexp.MustCompile(`"description":"(\d+)"`)

// checkTold reads through a Kith that is told of no write, from a member that has it and from one that does not.
func (b *behind) checkTold(t *testing.T) {
	t.Helper()
	b.Hold(150 * time.Millisecond)
	ended := make(chan struct{})
	reads, last := 0, 0
	go func() {
		defer close(ended)
		for n := range 100 {
			_, err := b.here.try(context.WithoutCancel(t.Context()), http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"told","name":"told","description":"%d"}]}`, n+1))
			if err != nil {
				t.Errorf("a write: %v", err)
			}
			<-time.After(20 * time.Millisecond)
		}
	}()
	for writing := true; writing; reads++ {
		select {
		case <-ended:
			writing = false
		default:
		}
		r := b.alone.do(t, http.MethodGet, "/v1/nodes/concept/told?user_id=u1", "")
		found := toldText.FindSubmatch(r.body)
		if r.status == http.StatusServiceUnavailable || r.status == http.StatusNotFound && last == 0 {
			continue
		}
		if r.status != http.StatusOK || found == nil {
			t.Fatalf("a read: %d %s", r.status, r.body)
		}
		n, _ := strconv.Atoi(string(found[1]))
		if n < last {
			t.Fatalf("read %d: %d after %d", reads, n, last)
		}
		last = n
	}
	t.Logf("%d reads through a kith that is told of no write, up to number %d: none older than the one before", reads, last)
	if reads < 10 || last < 50 {
		t.Error("too few to show anything")
	}
}

// checkDeliveries has changes sent to a webhook, each once, while a member is behind.
func (b *behind) checkDeliveries(t *testing.T) {
	t.Helper()
	var mu sync.Mutex
	got, batches := map[string]int{}, map[string]bool{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if id := r.Header.Get("webhook-id"); !batches[id] {
			batches[id] = true
			for n := range 60 {
				got[fmt.Sprintf("w%02d", n)] += strings.Count(string(body), fmt.Sprintf(`"key":"w%02d"`, n))
			}
		}
	}))
	t.Cleanup(receiver.Close)
	b.CatchUp(t)
	made := b.admin.must(t, http.MethodPost, "/v1/webhooks", `{"url":"`+receiver.URL+`/hook"}`)
	b.Hold(300 * time.Millisecond)
	for n := range 60 {
		b.here.must(t, http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":"u1","strict":true,"nodes":[{"kind":"concept","entity_key":"w%02d","name":"w%02d"}]}`, n, n))
	}
	whole := func() bool {
		mu.Lock()
		defer mu.Unlock()
		count := 0
		for _, n := range got {
			count += min(n, 1)
		}
		return count == 60
	}
	eventually(t, time.Minute, "60 changes are delivered", whole)
	mu.Lock()
	for key, n := range got {
		if n != 1 {
			t.Errorf("%s was delivered %d times", key, n)
		}
	}
	t.Logf("60 changes in %d deliveries", len(batches))
	mu.Unlock()
	b.admin.do(t, http.MethodDelete, "/v1/webhooks/"+fmt.Sprint(made["id"]), "")
}

// checkPages reads a list page by page from members of whose nodes have different internal numbers.
func (b *behind) checkPages(t *testing.T) {
	t.Helper()
	b.CatchUp(t)
	seen := map[string]bool{}
	for cursor := ""; ; {
		page := b.there.must(t, http.MethodGet, "/v1/nodes/concept?user_id=u1&limit=3&cursor="+cursor, "")
		for _, node := range page["nodes"].([]any) {
			key := at(node, "entity_key").(string)
			if seen[key] {
				t.Errorf("%s is on two pages", key)
			}
			seen[key] = true
		}
		next, more := page["next"].(string)
		if cursor = next; !more {
			break
		}
	}
	if len(seen) != 106 { // c, four marks, 40 more, told, 60 of the webhook
		t.Errorf("%d concepts are on the pages", len(seen))
	}
}
