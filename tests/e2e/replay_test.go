package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kith/tests/testenv"
)

// servedContext is a context that was served: its parameters, moment and digest.
type servedContext struct {
	query, at, etag, digest string
}

// getContext gets a context and returns the response with its digest.
func getContext(t *testing.T, c caller, query string) (reply, string) {
	t.Helper()
	r := c.do(t, http.MethodGet, "/v1/context?"+query, "")
	if r.status != http.StatusOK {
		t.Fatalf("%s: %d %s", query, r.status, r.body)
	}
	sum := sha256.Sum256(r.body)
	return r, hex.EncodeToString(sum[:])
}

// replayOf returns the query for the context of a moment.
func replayOf(query, at string) string { return query + "&as_of=" + url.QueryEscape(at) }

// contextViews are parameters of contexts, without the user.
var contextViews = []string{ //nolint:gochecknoglobals // a constant table
	"", "&format=text", "&format=text&max_tokens=300", "&format=text&max_tokens=900&time_zone=Asia/Tokyo", "&sections=user,temporal",
	"&focus_kind=concept&focus_id=c0", "&time_zone=America/New_York", "&format=text&focus_kind=concept&focus_id=c0",
}

// replays serves contexts of several users and views by two processes while both write.
type replays struct {
	*pair
	callers [2]caller
	users   int

	mu     sync.Mutex
	served []servedContext
	cold   []time.Duration
}

// write changes a user's memory.
func (r *replays) write(t *testing.T, instance, user, n int) {
	t.Helper()
	c := r.callers[instance]
	id := fmt.Sprintf("u%d", user)
	text := fmt.Sprintf("thought %d of many", n)
	switch n % 5 {
	case 0:
		c.must(t, http.MethodPut, "/v1/users/"+id+"/preferences/style", `{"value":"`+text+`"}`)
	case 1:
		c.must(t, http.MethodPost, "/v1/sources", `{"user_id":"`+id+`","summary":"`+text+`","messages":[{"role":"user","text":"`+text+`"}],"mentions":["c`+strconv.Itoa(user)+`0"]}`)
	case 2:
		c.must(t, http.MethodPost, "/v1/explore", `{"user_id":"`+id+`","text_matches":["thought"]}`)
	default:
		c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"`+id+`","nodes":[{"kind":"concept","entity_key":"c`+strconv.Itoa(user)+strconv.Itoa(n%7)+`","name":"Idea `+strconv.Itoa(n%7)+`","state":"core","ttl_policy":"keep_forever","description":"`+text+`"}]}`)
	}
}

// prepare gives every user something to be served.
func (r *replays) prepare(t *testing.T) {
	t.Helper()
	r.callers[0].must(t, http.MethodPost, "/v1/memory", `{"nodes":[{"kind":"concept","entity_key":"c0","name":"Harbour"}]}`)
	for user := range r.users {
		r.callers[0].must(t, http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":"u%d","nodes":[
			{"kind":"person","entity_key":"me%d","name":"Ada %d","is_owner":true,"description":"Keeps a lighthouse"},
			{"kind":"concept","entity_key":"c%d0","name":"Idea 0","state":"core","ttl_policy":"keep_forever"}],
			"relationships":[{"from":"me%d","to":"c%d0","type":"thinks_about","description":"every day"}]}`, user, user, user, user, user, user))
	}
}

// serve gets contexts, some after a write, until there are so many.
func (r *replays) serve(t *testing.T, total, writers int) {
	t.Helper()
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 1)) //nolint:gosec // a test
			for n := range total / 4 {
				user, instance := random.IntN(r.users), random.IntN(2)
				wrote := random.IntN(writers) == 0
				if wrote {
					r.write(t, instance, user, worker*total+n)
				}
				r.get(t, instance, fmt.Sprintf("user_id=u%d", user)+contextViews[random.IntN(len(contextViews))], wrote)
			}
		})
	}
	all.Wait()
}

// get gets a context and notes it. After a write it is cold.
func (r *replays) get(t *testing.T, instance int, query string, wrote bool) {
	t.Helper()
	begun := time.Now()
	found, digest := getContext(t, r.callers[instance], query)
	took := time.Since(begun)
	at := found.header.Get("Kith-As-Of")
	if at == "" {
		t.Errorf("%s: no Kith-As-Of", query)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.served = append(r.served, servedContext{query, at, found.header.Get("ETag"), digest})
	if wrote {
		r.cold = append(r.cold, took)
	}
}

// median sorts values and returns the middle one.
func median[T time.Duration | float64](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}

// Contexts that two processes served while both wrote are served again by either, with the same bytes. KITH_TEST_REPLAYS is the number
// of contexts served.
func TestContextsCanBeAskedAgain(t *testing.T) {
	t.Parallel()
	total, asked := 300, 100
	if n, err := strconv.Atoi(os.Getenv("KITH_TEST_REPLAYS")); err == nil {
		total, asked = n, 1000
	}
	p := startPair(t, append(settings(testenv.Neo4j(t), testenv.Redis(t)), "KITH_SERVED_EVENTS=true"))
	key := p.services[0].newKey(t, testenv.Team(t), "read", "write")
	r := &replays{pair: p, callers: [2]caller{p.services[0].as(key), p.services[1].as(key)}, users: 12}
	r.prepare(t)
	r.serve(t, total, 4)
	var took []time.Duration
	for range asked {
		s, instance := r.served[rand.IntN(len(r.served))], rand.IntN(2) //nolint:gosec // a test
		var (
			again  reply
			digest string
			last   time.Duration
		)
		eventually(t, time.Minute, "the digest is stored, off the path of the answer", func() bool {
			begun := time.Now()
			again, digest = getContext(t, r.callers[instance], replayOf(s.query, s.at))
			last = time.Since(begun)
			return again.header.Get("Kith-Replay") != "recorded"
		})
		took = append(took, last)
		if how := again.header.Get("Kith-Replay"); digest != s.digest || how != "equal" || again.header.Get("ETag") != s.etag {
			t.Fatalf("%s at %s by %d: %s, %s and not %s; %s, not %s: %s", s.query, s.at, instance, how, digest, s.digest, again.header.Get("ETag"), s.etag, again.body)
		}
	}
	cold, replay := median(r.cold), median(took)
	t.Logf("%d contexts served, %d of %d replays equal; median of a cold context %v, of a replay %v", len(r.served), asked, asked, cold, replay)
	if replay > 2*cold {
		t.Error("a replay takes more than twice as long as a cold context")
	}
	r.checkServed(t)
}

// checkServed checks that the list of answers has all of a user, and only digests.
func (r *replays) checkServed(t *testing.T) {
	t.Helper()
	want := map[string]string{}
	for _, s := range r.served {
		if strings.HasPrefix(s.query, "user_id=u3&") || s.query == "user_id=u3" {
			want[s.at] = s.digest
		}
	}
	got, after := 0, ""
	for {
		page := r.callers[1].must(t, http.MethodGet, "/v1/served?user_id=u3&limit=7"+after, "")
		for _, item := range page["served"].([]any) {
			one := item.(map[string]any)
			if got++; want[one["at"].(string)] != one["digest"] || one["kind"] != "context" {
				t.Errorf("%v was served with %s", one, want[one["at"].(string)])
			}
		}
		next, _ := page["next"].(string)
		if next == "" {
			break
		}
		after = "&after=" + next
	}
	if got != len(want) {
		t.Errorf("%d of %d answers are listed", got, len(want))
	}
}

// What is written, recalled, deleted and erased later does not change a context of the past, until an erasure removes it.
func TestContextOfThePast(t *testing.T) {
	t.Parallel()
	s, team := shared(t), testenv.Team(t)
	c := s.as(s.newKey(t, team, "read", "write", "admin"))
	c.must(t, http.MethodPut, "/v1/users/u1/preferences/style", `{"value":"brief"}`) // of a user without anything nothing is kept
	first, never := getContext(t, c, "user_id=u1")
	before := first.header.Get("Kith-As-Of")
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[
		{"kind":"person","entity_key":"me","name":"Ada","is_owner":true},
		{"kind":"concept","entity_key":"c","name":"Tides","state":"core","ttl_policy":"keep_forever","description":"first"}]}`)
	second, written := getContext(t, c, "user_id=u1")
	then := second.header.Get("Kith-As-Of")
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","entity_key":"c","name":"Tides","description":"second"}]}`)
	c.must(t, http.MethodPost, "/v1/explore", `{"user_id":"u1","text_matches":["Tides"]}`)
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"concept","name":"tides","description":"merged by its natural key"}]}`)
	c.do(t, http.MethodDelete, "/v1/nodes/concept/c?user_id=u1", "")
	for at, digest := range map[string]string{before: never, then: written} {
		again, got := getContext(t, c, replayOf("user_id=u1", at))
		if how := again.header.Get("Kith-Replay"); got != digest || how != "recorded" || again.header.Get("Kith-As-Of") != at {
			t.Errorf("%s: %s %s", at, how, again.body)
		}
	}
	c.checkOthers(t, s, team, then)
	c.checkTyped(t, then)
	c.must(t, http.MethodDelete, "/v1/users/u1", "")
	again, _ := getContext(t, c, replayOf("user_id=u1", then))
	if how := again.header.Get("Kith-Replay"); how != "reconstructed" || strings.Contains(string(again.body), "Tides") || !strings.Contains(string(again.body), "the memory was erased after this moment") {
		t.Errorf("after an erasure: %s %s", how, again.body)
	}
	text, _ := getContext(t, c, replayOf("user_id=u1&format=text", then))
	if !strings.Contains(string(text.body), "_Warning: the memory was erased") {
		t.Errorf("after an erasure: %s", text.body)
	}
}

// checkOthers checks that nobody else gets anything of the context of a moment.
func (c caller) checkOthers(t *testing.T, s *service, team, at string) {
	t.Helper()
	bound := s.as(c.must(t, http.MethodPost, "/v1/keys", `{"user_id":"u2","scopes":["read"]}`)["key"].(string))
	if r := bound.do(t, http.MethodGet, "/v1/context?"+replayOf("user_id=u1", at), ""); r.status != http.StatusForbidden {
		t.Errorf("another user's: %d", r.status)
	}
	for _, other := range []caller{bound, s.as(s.newKey(t, testenv.Team(t), "read"))} {
		user := "user_id=u2"
		if r, _ := getContext(t, other, replayOf(user, at)); strings.Contains(string(r.body), "Tides") || r.header.Get("Kith-Replay") != "reconstructed" {
			t.Errorf("of %s: %s %s", team, r.header.Get("Kith-Replay"), r.body)
		}
	}
}

// checkTyped checks moments that no instance answered at.
func (c caller) checkTyped(t *testing.T, at string) {
	t.Helper()
	exact, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		t.Fatal(err)
	}
	soon := exact.Truncate(time.Millisecond).Add(2 * time.Millisecond)
	for time.Now().Before(soon.Add(time.Second)) { // later moments are of the future
		time.Sleep(10 * time.Millisecond)
	}
	for moment, want := range map[time.Time]string{
		soon: "recorded", exact.Add(-time.Hour): "reconstructed", exact.Add(time.Microsecond): "reconstructed", time.Date(1400, 1, 1, 0, 0, 0, 0, time.UTC): "reconstructed",
		exact.Add(-31 * 24 * time.Hour).Truncate(time.Second): "reconstructed",
	} {
		r, _ := getContext(t, c, replayOf("user_id=u1", moment.Format(time.RFC3339Nano)))
		compacted := strings.Contains(string(r.body), `"compacted":true`)
		if how := r.header.Get("Kith-Replay"); how != want || compacted != (want == "reconstructed") {
			t.Errorf("%s: %s, not %s: %s", moment, how, want, r.body)
		}
	}
	text, _ := getContext(t, c, replayOf("user_id=u1&format=text", "2020-01-01T00:00:00Z"))
	if !strings.Contains(string(text.body), "what was answered then is not kept") {
		t.Errorf("a text of long ago: %s", text.body)
	}
	explained := c.must(t, http.MethodGet, "/v1/context?"+replayOf("user_id=u1&explain=true", at), "")
	if explained["receipt"] == nil || explained["meta"].(map[string]any)["compacted"] != true {
		t.Errorf("explained: %v", explained)
	}
	for _, wrong := range []string{time.Now().Add(time.Hour).Format(time.RFC3339), "yesterday", "2026-02-30T00:00:00Z", "0999-01-01T00:00:00Z"} {
		if r := c.do(t, http.MethodGet, "/v1/context?"+replayOf("user_id=u1", wrong), ""); r.status != http.StatusUnprocessableEntity || !strings.Contains(string(r.body), "query.as_of") {
			t.Errorf("as_of %s: %d %s", wrong, r.status, r.body)
		}
	}
}

// An opened conversation has a moment too, of the context without it.
func TestConversationCanBeAskedAgain(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	c.must(t, http.MethodPost, "/v1/memory", `{"user_id":"u1","nodes":[{"kind":"person","entity_key":"me","name":"Ada","is_owner":true}]}`)
	opened := c.do(t, http.MethodPost, "/v1/conversations", `{"user_id":"u1"}`)
	at := opened.header.Get("Kith-As-Of")
	again, _ := getContext(t, c, replayOf("user_id=u1", at))
	whole := string(opened.body)
	_, inner, _ := strings.Cut(whole, `"context":`)
	head, _, _ := strings.Cut(inner, `,"current_conversation":`)
	if got := again.header.Get("Kith-Replay"); got != "recorded" || !strings.HasPrefix(string(again.body), head) || strings.Contains(string(again.body), "current_conversation") {
		t.Errorf("%s: %s\n%s", got, again.body, whole)
	}
}

// What a killed process did not store is never answered with other bytes as if they were those.
func TestReplayAfterAKill_slow(t *testing.T) {
	t.Parallel()
	p := startPair(t, settings(testenv.Neo4j(t), testenv.Redis(t)))
	key := p.services[0].newKey(t, testenv.Team(t), "read", "write")
	dying, living := p.services[0].as(key), p.services[1].as(key)
	var served []servedContext
	for n := range 12 {
		if n == 6 {
			stored := replayOf(served[5].query, served[5].at)
			eventually(t, 10*time.Second, "answers are stored", func() bool {
				r, _ := getContext(t, living, stored)
				return r.header.Get("Kith-Replay") == "recorded"
			})
		}
		dying.must(t, http.MethodPut, "/v1/users/u1/preferences/style", `{"value":`+strconv.Itoa(n)+`}`)
		r, digest := getContext(t, dying, "user_id=u1")
		served = append(served, servedContext{"user_id=u1", r.header.Get("Kith-As-Of"), "", digest})
	}
	p.kill[0]()
	recorded := 0
	for n, s := range served {
		r, digest := getContext(t, living, replayOf(s.query, s.at))
		switch how := r.header.Get("Kith-Replay"); {
		case how == "recorded" && digest == s.digest:
			recorded++
		case how == "reconstructed" && strings.Contains(string(r.body), `"compacted":true`):
		default:
			t.Errorf("answer %d: %s %s", n, how, r.body)
		}
	}
	t.Logf("%d of %d were stored before the kill", recorded, len(served))
	if recorded < 6 {
		t.Error("what was stored before the kill is not found")
	}
}
