package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kith/auth"
	"kith/handlers"
	"kith/internal/metrics"
	"kith/internal/testenv"
	"kith/mcp"
)

// No answer depends on what other teams store: two Kiths get the same random operations at the same times. One has the database for
// itself, the other one shares it with teams that store the same keys, names and words, and go on writing. The answers are the same to
// the byte, but for random ids. KITH_TEST_OPERATIONS is the number of operations, KITH_TEST_SEED the seed.
func TestAnswersDoNotDependOnOthers(t *testing.T) {
	t.Parallel()
	if os.Getenv("KITH_TEST_OPERATIONS") == "" {
		t.Skip("starts two databases: make isolation")
	}
	count, seed := setting(t, "KITH_TEST_OPERATIONS"), setting(t, "KITH_TEST_SEED")
	team := testenv.Team(t)
	clock := &testClock{}
	clock.nanos.Store(time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC).UnixNano())
	alone := openAt(t, clock, team, settings(testenv.StartNeo4j(t).Database(), ""))
	beside := openAt(t, clock, team, settings(testenv.StartNeo4j(t).Database(), ""))
	others := beside.neighbours(t, team, 5)

	random := rand.New(rand.NewPCG(uint64(seed), 0)) //nolint:gosec // a test's choice
	operations := newOperations(random)
	statuses, differences := map[string]map[int]int{}, 0
	for i := range count {
		clock.nanos.Add(int64(random.IntN(20)) * int64(time.Second))
		o := operations.next()
		first, second := alone.send(t, o), beside.send(t, o)
		if first.status != second.status || !bytes.Equal(first.body, second.body) {
			t.Errorf("operation %d of seed %d: %s %s %s\nalone:  %d %s\nbeside: %d %s", i, seed, o.Method, o.Path, o.Body,
				first.status, first.body, second.status, second.body)
			if differences++; differences == 5 {
				break
			}
		}
		if statuses[o.ID] == nil {
			statuses[o.ID] = map[int]int{}
		}
		statuses[o.ID][first.status]++
		others.send(t, operations.next())
	}
	for id, counts := range statuses {
		t.Logf("%s: %v", id, counts)
	}
	if count >= 5000 {
		for _, o := range operations.all {
			if counts := statuses[o.ID]; !slices.Contains(needModel, o.ID) && counts[200]+counts[201]+counts[202]+counts[204] == 0 {
				t.Errorf("%s never succeeded: %v", o.ID, counts)
			}
		}
	}
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
	api     http.Handler
	memory  *memory
	key     string
	keyID   string
	answers map[string]any // the last good one of each operation
	ids     map[string]int // random ids, in the order of their first appearance
}

// openAt opens a Kith with a clock until the test ends.
func openAt(t *testing.T, clock *testClock, team string, environ []string) *isolated {
	t.Helper()
	c := &serveCmd{config: parsedConfig(t, environ...)}
	c.clock = clock.now
	log, registry := slog.New(slog.DiscardHandler), metrics.New(build())
	services, err := c.openHTTPServices(registry, log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	opened, failed, ended := make(chan *isolated, 1), make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		failed <- c.withMemory(ctx, c.openDatabase, registry, log, streams{nil, io.Discard, io.Discard}, func(ctx context.Context, m *memory) error {
			if err := m.prepare(ctx, func(context.Context) error { return nil }); err != nil {
				return err
			}
			tools := mcp.New(m.toolServices(nil))
			defer tools.Close()
			handled := services.handlerServices(m, tools)
			handled.Chats = services.newChats(c, m)
			opened <- &isolated{
				api: handlers.New(handled, handlers.Options{Now: clock.now, Build: build(), Deadline: time.Minute, MaxBody: c.MaxBody}), memory: m,
			}
			<-ctx.Done()
			return nil
		})
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		services.close()
	})
	select {
	case k := <-opened:
		return k.of(t, team)
	case err := <-failed:
		t.Fatal(err)
		return nil
	}
}

// of returns the same Kith for another team.
func (k *isolated) of(t *testing.T, team string) *isolated {
	t.Helper()
	key, id, err := k.memory.keys.Create(t.Context(), auth.Spec{TeamID: team, Scopes: []string{"read", "write", "admin"}})
	if err != nil {
		t.Fatal(err)
	}
	return &isolated{k.api, k.memory, key, id, map[string]any{}, map[string]int{}}
}

// send sends an operation, waits until what it leaves to the background is stored, and returns the answer with numbers for ids.
func (k *isolated) send(t *testing.T, o handlers.Operation) reply {
	t.Helper()
	o.Path = placeholder.ReplaceAllStringFunc(o.Path, func(name string) string {
		steps := strings.Split(strings.Trim(name, "{}"), "/")
		return url.PathEscape(fmt.Sprint(at(k.answers[steps[0]], pathSteps(steps[1:])...)))
	})
	request := httptest.NewRequestWithContext(t.Context(), o.Method, o.Path, strings.NewReader(o.Body))
	request.Header.Set("Authorization", "Bearer "+k.key)
	if o.Body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	k.api.ServeHTTP(w, request)
	k.memory.recalls.Flush(t.Context())
	k.memory.served.Flush(t.Context())
	var answer any
	if w.Code < 300 && json.Unmarshal(w.Body.Bytes(), &answer) == nil {
		k.answers[o.ID] = answer
	}
	return reply{w.Code, w.Header(), k.numbered(w.Body.Bytes())}
}

var randomID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(kith_|whsec_|msg_)[A-Za-z0-9_+/=-]+|"(next|next_cursor|cursor|key_id)":"[^"]*"`)

// lastUse is stored in the background.
var lastUse = regexp.MustCompile(`"last_used_at":[^},]*`)

// numbered returns an answer with numbers for random ids.
func (k *isolated) numbered(body []byte) []byte {
	body = bytes.ReplaceAll(lastUse.ReplaceAll(body, nil), []byte(k.keyID), []byte("KEY"))
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
	next  int
}

func (k *isolated) neighbours(t *testing.T, team string, count int) *neighbours {
	t.Helper()
	n := &neighbours{}
	for i := range count {
		n.teams = append(n.teams, k.of(t, fmt.Sprintf("%s-%d", team, i)))
	}
	return n
}

// send sends an operation as one of the teams.
func (n *neighbours) send(t *testing.T, o handlers.Operation) {
	t.Helper()
	n.teams[n.next].send(t, o)
	n.next = (n.next + 1) % len(n.teams)
}

// operations draws operations: those of operations.md, with values of one in another.
type operations struct {
	random *rand.Rand
	all    []handlers.Operation
	values map[string][]string // texts by the name of their field or parameter
	keys   []string
}

// notSent are operations that answer when something in the background happens, or end the test's own key and team.
var notSent = []string{
	"watch-turn", "create-webhook", "list-webhooks", "get-webhook", "patch-webhook", "rotate-webhook-secret", "list-failed-deliveries", "redeliver",
	"delete-failed-delivery", "delete-webhook", "erase-team", "pause-team-statements",
}

// fillers are operations that store what others look for.
var fillers = []string{"write-memory", "write-source", "open-conversation", "append-messages", "merge-system-memory", "create-tree", "submit-turn", "link"}

// needModel are operations that succeed only with a language model, which these Kiths lack.
var needModel = []string{"explain", "cancel-turn"}

func newOperations(random *rand.Rand) *operations {
	o := &operations{random: random, values: map[string][]string{}}
	for _, each := range handlers.Operations() {
		if slices.Contains(notSent, each.ID) {
			continue
		}
		o.all = append(o.all, each)
		var body any
		if json.Unmarshal([]byte(each.Body), &body) == nil {
			o.collect("", body)
		}
		if address, err := url.Parse(each.Path); err == nil {
			for name, values := range address.Query() {
				o.values[name] = append(o.values[name], values...)
			}
		}
	}
	o.values["user_id"] = []string{"noor", "noor", "noor", "ada"}
	for name := range o.values {
		slices.Sort(o.values[name])
	}
	o.keys = slices.Compact(o.values["entity_key"])
	return o
}

func (o *operations) collect(name string, value any) {
	switch v := value.(type) {
	case string:
		o.values[name] = append(o.values[name], v)
	case []any:
		for _, each := range v {
			o.collect(name, each)
		}
	case map[string]any:
		for name, each := range v {
			o.collect(name, each)
		}
	}
}

func (o *operations) chance(percent int) bool { return o.random.IntN(100) < percent }

func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

// next returns an operation. Half of them store something, and few erase or delete, or there would be little to answer.
func (o *operations) next() handlers.Operation {
	drawn := pick(o.random, o.all)
	for drawn.ID == "erase-user" && o.chance(95) || drawn.Method == http.MethodDelete && o.chance(60) {
		drawn = pick(o.random, o.all)
	}
	if o.chance(40) {
		filler := pick(o.random, fillers)
		drawn = o.all[slices.IndexFunc(o.all, func(each handlers.Operation) bool { return each.ID == filler })]
	}
	path, query, _ := strings.Cut(drawn.Path, "?")
	steps := strings.Split(path, "/")
	for i, step := range steps {
		if unescaped, err := url.PathUnescape(step); err == nil && slices.Contains(o.keys, unescaped) && o.chance(15) {
			steps[i] = url.PathEscape(pick(o.random, o.keys))
		}
	}
	drawn.Path = strings.Join(steps, "/")
	if parameters, err := url.ParseQuery(query); err == nil && query != "" {
		for _, name := range slices.Sorted(maps.Keys(parameters)) {
			if o.chance(15) {
				parameters.Set(name, pick(o.random, o.values[name]))
			}
		}
		drawn.Path += "?" + parameters.Encode()
	}
	var body any
	if json.Unmarshal([]byte(drawn.Body), &body) == nil {
		raw, err := json.Marshal(o.change("", body))
		if err != nil {
			panic(err) // it was read from JSON
		}
		drawn.Body = string(raw)
	}
	return drawn
}

// change returns a value with some texts of other operations, and without some fields.
func (o *operations) change(name string, value any) any {
	switch v := value.(type) {
	case string:
		if o.chance(3) {
			return pick(o.random, o.values[name])
		}
	case []any:
		for i := range v {
			v[i] = o.change(name, v[i])
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] = o.change(name, v[name]); o.chance(1) {
				delete(v, name)
			}
		}
	}
	return value
}
