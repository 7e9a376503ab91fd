package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kith/access/auth"
	program "kith/cmd/kith/command"
	"kith/handlers"
	"kith/tests/testenv"
)

// No answer depends on what other teams store: two Kiths get the same random operations at the same times. One has the database for
// itself, the other one shares it with teams that store the same keys, names and words, and write while the operations are sent. The
// answers are the same to the byte, but for what numbered replaces, and so are deliveries to webhooks. Every operation of the contract
// and every tool is sent. KITH_TEST_OPERATIONS is the number of operations, KITH_TEST_SEED the seed.
func TestAnswersDoNotDependOnOthers(t *testing.T) {
	t.Parallel()
	if os.Getenv("KITH_TEST_OPERATIONS") == "" {
		t.Skip("starts two databases: make isolation")
	}
	count, seed := setting(t, "KITH_TEST_OPERATIONS"), setting(t, "KITH_TEST_SEED")
	team := testenv.Team(t)
	clock := &testClock{}
	clock.nanos.Store(time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC).UnixNano())
	receiver, meaning := startReceiver(t), newEmbeddings(t)
	environ := []string{"KITH_WEBHOOKS_PRIVATE=allow", "KITH_EMBEDDINGS_URL=" + meaning.URL, "KITH_EMBEDDINGS_MODEL=words"}
	alone := openAt(t, clock, team, testenv.StartNeo4j(t).Database(), environ...)
	beside := openAt(t, clock, team, testenv.StartNeo4j(t).Database(), environ...)

	operations := newOperations(seed, receiver.URL, alone.tools(t))
	others := beside.neighbours(t, team, 5)
	stop := others.write(t, newOperations(seed+1, receiver.URL, alone.tools(t)))
	statuses, refused, differences := map[string]map[int]int{}, map[string][]byte{}, 0
	compare := func(what string, first, second reply) {
		if first.status != second.status || !bytes.Equal(first.body, second.body) || !maps.EqualFunc(first.header, second.header, slices.Equal) {
			t.Errorf("%s\nalone:  %d %v %s\nbeside: %d %v %s", what, first.status, first.header, first.body, second.status, second.header, second.body)
			differences++
		}
	}
	send := func(o handlers.Operation) {
		var first reply
		var sending sync.WaitGroup
		sending.Go(func() { first = alone.send(t, o) })
		second := beside.send(t, o)
		sending.Wait()
		compare(fmt.Sprintf("seed %d: %s %s %s", seed, o.Method, o.Path, o.Body), first, second)
		if statuses[o.ID] == nil {
			statuses[o.ID] = map[int]int{}
		}
		statuses[o.ID][outcome(first)]++
		if outcome(first) >= http.StatusBadRequest {
			refused[o.ID] = first.body
		}
	}
	began := time.Now()
	for i := 1; i <= max(count, len(operations.all)) && differences < 5; i++ {
		clock.nanos.Add(int64(1+operations.random.IntN(20)) * int64(time.Second)) // things of one second may be in the order of random ids
		send(operations.next())
		if i%deliverEvery == 0 || i == len(operations.all) {
			compare("deliveries", receiver.deliveries(t, alone), receiver.deliveries(t, beside))
		}
		if i%1000 == 0 {
			t.Logf("%d operations after %v, %d of others", i, time.Since(began).Round(time.Second), others.sent.Load())
		}
	}
	stop()
	if differences > 0 {
		return
	}
	send(operations.last)
	t.Logf("%d operations of others, %d deliveries", others.sent.Load(), receiver.compared)
	operations.check(t, statuses, refused, count)
}

// deliverEvery is the number of operations after which webhooks get what is due.
const deliverEvery = 250

// outcome returns the status of an answer; for a tool that reports a failure, that of an invalid request.
func outcome(r reply) int {
	if bytes.Contains(r.body, []byte(`"isError":true`)) || bytes.Contains(r.body, []byte(`"error":{"code"`)) {
		return http.StatusUnprocessableEntity
	}
	return r.status
}

// setting returns a number from the environment.
func setting(t *testing.T, name string) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		t.Fatal(name, err)
	}
	return n
}

type testClock struct{ nanos atomic.Int64 }

func (c *testClock) now() time.Time { return time.Unix(0, c.nanos.Load()).UTC() }

// isolated is a Kith without work in the background, and a key of a team.
type isolated struct {
	instance *program.Instance
	db       testenv.Database
	key      string
	keyID    string
	answers  map[string]any // the last good one of each operation
	ids      map[string]int // random ids, in the order of their first appearance
}

// openAt opens a Kith with a clock until the test ends.
func openAt(t *testing.T, clock *testClock, team string, db testenv.Database, environ ...string) *isolated {
	t.Helper()
	instance, err := program.Open(t.Context(), append(settings(db, ""), environ...), clock.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(instance.Close)
	return (&isolated{instance: instance, db: db}).of(t, team)
}

// of returns the same Kith for another team.
func (k *isolated) of(t *testing.T, team string) *isolated {
	t.Helper()
	key, id, err := k.instance.Keys.Create(t.Context(), auth.Spec{TeamID: team, Scopes: []string{"read", "write", "admin"}})
	if err != nil {
		t.Fatal(err)
	}
	other := *k
	other.key, other.keyID, other.answers, other.ids = key, id, map[string]any{}, map[string]int{}
	return &other
}

// send sends an operation, waits until what it leaves to the background is stored, and returns the answer as numbered.
func (k *isolated) send(t *testing.T, o handlers.Operation) reply {
	t.Helper()
	r := k.call(t.Context(), o)
	for tries := 0; r.status == http.StatusServiceUnavailable && tries < 60; tries++ { // a busy machine
		t.Logf("%s is sent again: %s", o.ID, r.body)
		time.Sleep(time.Second)
		r = k.call(t.Context(), o)
	}
	if o.ID == "create-webhook" && r.status == http.StatusCreated {
		addFailedDeliveries(t, k.db, fmt.Sprint(at(k.answers[o.ID], "id")))
	}
	k.settle(t)
	header := http.Header{}
	for name, values := range r.header {
		if name == "X-Request-Id" || name == "Content-Length" { // the length depends on what numbered replaces
			continue
		}
		for _, value := range values {
			header.Add(name, string(k.numbered([]byte(value))))
		}
	}
	return reply{r.status, header, k.numbered(r.body)}
}

// call sends an operation with values of the answers before it.
func (k *isolated) call(ctx context.Context, o handlers.Operation) reply {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o.Path = placeholder.ReplaceAllStringFunc(o.Path, func(name string) string {
		steps := strings.Split(strings.Trim(name, "{}"), "/")
		return url.PathEscape(fmt.Sprint(at(k.answers[steps[0]], pathSteps(steps[1:])...)))
	})
	request := httptest.NewRequestWithContext(ctx, o.Method, o.Path, strings.NewReader(o.Body))
	request.Header.Set("Authorization", "Bearer "+k.key)
	if o.Body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	recorder := httptest.NewRecorder()
	switch {
	case o.Path == "/mcp":
		request.Header.Set("Accept", "application/json, text/event-stream")
		k.instance.API.ServeHTTP(recorder, request)
	case slices.Contains(streamed, o.ID):
		request.Header.Set("Accept", "text/event-stream")
		quiet := time.AfterFunc(time.Minute, cancel)
		defer quiet.Stop()
		k.instance.API.ServeHTTP(untilQuiet{recorder, quiet}, request)
	default:
		k.instance.API.ServeHTTP(recorder, request)
	}
	var answer any
	if recorder.Code < 300 && json.Unmarshal(recorder.Body.Bytes(), &answer) == nil {
		k.answers[o.ID] = answer
	}
	return reply{recorder.Code, recorder.Header(), recorder.Body.Bytes()}
}

// streamed are operations whose answer is a stream of events.
var streamed = []string{"watch-turn", "watch-changes"}

// untilQuiet is a recorder of a stream that ends when nothing has been sent for a while.
type untilQuiet struct {
	*httptest.ResponseRecorder
	quiet *time.Timer
}

// Flush sends what has been written.
func (w untilQuiet) Flush() {
	w.ResponseRecorder.Flush()
	w.quiet.Reset(150 * time.Millisecond)
}

// settle stores what operations have left to the background.
func (k *isolated) settle(t *testing.T) {
	t.Helper()
	if err := k.instance.Settle(t.Context()); err != nil {
		t.Error(err)
	}
}

// randomID matches ids, secrets and digests that Kith makes by chance, or from such.
var randomID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(kith_|whsec_|msg_)[A-Za-z0-9_+/=-]+|"key_id":"[^"]*"|^(W/)?"[0-9A-Za-z_-]{16,}"$`)

// encoded matches what may be a cursor.
var encoded = regexp.MustCompile(`[A-Za-z0-9_-]{16,}`)

var (
	// machineTime matches what depends on the machine's clock: the last use of a key, which is stored in the background, and the number
	// of contexts that are still in the cache.
	machineTime = regexp.MustCompile(`"(last_used_at|cache_entries)":[^},]*`)
	// fraction is that of the moment of a context, which has the random number of the process. The test's clock has whole seconds.
	fraction = regexp.MustCompile(`(:\d\d)\.\d+Z`)
	// tokenCount is the number of tokens of a text that may have random ids.
	tokenCount = regexp.MustCompile(`("tokens\\?":)\d+`)
)

// numbered returns an answer with numbers for random ids, in the order of their first appearance, and with readable cursors.
func (k *isolated) numbered(body []byte) []byte {
	body = encoded.ReplaceAllFunc(body, func(word []byte) []byte {
		text, err := base64.RawURLEncoding.DecodeString(string(word))
		if err != nil || slices.ContainsFunc(text, func(b byte) bool { return b < ' ' && b != 0x1f || b > '~' }) {
			return word
		}
		return text
	})
	body = fraction.ReplaceAll(machineTime.ReplaceAll(body, nil), []byte("${1}Z"))
	body = tokenCount.ReplaceAll(body, []byte("${1}N"))
	body = bytes.ReplaceAll(body, []byte(k.keyID), []byte("KEY"))
	return randomID.ReplaceAllFunc(body, func(id []byte) []byte {
		n, ok := k.ids[string(id)]
		if !ok {
			n = len(k.ids)
			k.ids[string(id)] = n
		}
		return fmt.Appendf(nil, "#%d", n)
	})
}

// neighbours are other teams of the same database.
type neighbours struct {
	teams []*isolated
	sent  atomic.Int64
}

func (k *isolated) neighbours(t *testing.T, team string, count int) *neighbours {
	t.Helper()
	n := &neighbours{}
	for i := range count {
		n.teams = append(n.teams, k.of(t, fmt.Sprintf("%s-%d", team, i)))
	}
	return n
}

// write sends operations as the teams in turn until stop is called.
func (n *neighbours) write(t *testing.T, o *operations) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			n.teams[i%len(n.teams)].call(context.WithoutCancel(ctx), o.next()) // an export that is cut off panics
			n.sent.Add(1)
		}
	})
	stop = func() {
		cancel()
		writing.Wait()
	}
	t.Cleanup(stop)
	return stop
}
