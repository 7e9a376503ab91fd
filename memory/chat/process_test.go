package chat_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/llm"
	"kith/memory/chat"
	"kith/tests/testenv"
)

// Two processes never generate one attempt twice, and a retry that both are asked for at once is one attempt.
func TestTwoProcessesShareAttempts(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{} // by prompt
	var failing atomic.Bool
	failing.Store(true)
	counting := scripted(func(_ context.Context, messages []llm.Message, _ func(string)) (llm.Answer, error) {
		mu.Lock()
		defer mu.Unlock()
		asked[messages[1].Text]++
		if failing.Load() {
			return llm.Answer{}, errScripted
		}
		return llm.Answer{Text: "yes"}, nil
	})
	a := startKith(t, counting, chat.Options{})
	b := startSecond(t, a, counting, chat.Options{})
	tree := a.tree()
	var turns []string
	for i := range 10 {
		turns = append(turns, a.submit(tree, "", fmt.Sprint("turn ", i)))
	}
	for _, id := range turns {
		same(t, "first attempt", "error", b.waitEnded(id)["status"])
	}
	failing.Store(false)
	var all sync.WaitGroup
	var retried atomic.Int64
	for _, id := range turns {
		for _, k := range []*kith{a, b, a, b} {
			all.Go(func() {
				status, o := k.ask("POST", "/v1/turns/"+id+"/retry?user_id=u1", "")
				if status != 200 {
					t.Errorf("retry: %d %v", status, o)
				}
				if o["retried"] == true {
					retried.Add(1)
				}
			})
		}
	}
	all.Wait()
	for i, id := range turns {
		turn := b.waitEnded(id)
		same(t, "second attempt", []any{"complete", 2.0}, []any{turn["status"], turn["attempt"]})
		mu.Lock()
		same(t, "times asked", 2, asked[fmt.Sprint("turn ", i)])
		mu.Unlock()
	}
	same(t, "retried", int64(len(turns)), retried.Load())
}

// Thirty-two callers of two processes submit, retry, cancel and delete in one tree, with a model that answers, fails or waits: no
// attempt is generated twice, every turn ends with the answer to its own prompt, and what is left is a tree.
func TestCallersAtOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int64{} // by prompt
	unsteady := scripted(func(ctx context.Context, messages []llm.Message, delta func(string)) (llm.Answer, error) {
		prompt := messages[len(messages)-1].Text
		mu.Lock()
		asked[prompt]++
		mu.Unlock()
		switch rand.IntN(4) {
		case 0:
			return llm.Answer{}, errScripted
		case 1:
			delta("half")
			select {
			case <-ctx.Done():
				return llm.Answer{}, ctx.Err()
			case <-time.After(50 * time.Millisecond):
			}
		}
		return echo(ctx, messages, delta)
	})
	o := chat.Options{Workers: 16, Queue: 1000}
	a := startKith(t, unsteady, o)
	both := []*kith{a, startSecond(t, a, unsteady, o)}
	tree := a.tree()
	root := a.submit(tree, "", "root")
	turns := []string{root}
	pick := func() string {
		mu.Lock()
		defer mu.Unlock()
		return turns[rand.IntN(len(turns))]
	}
	var all sync.WaitGroup
	for caller := range 32 {
		all.Go(func() {
			k := both[caller%2]
			ask := func(method, path, body string) (status int, answer object) { // again if the database is too busy
				for range 10 {
					if status, answer = k.ask(method, path, body); status != http.StatusServiceUnavailable {
						break
					}
				}
				return status, answer
			}
			for i := range 10 {
				id, picked, step := fmt.Sprintf("%d-%d", caller, i), pick(), rand.IntN(8)
				if i == 0 { // whatever is drawn later, each caller adds one
					picked, step = root, 0
				}
				path := "/v1/turns/" + picked
				want, status, answer := []int{200, 404}, 0, object{}
				switch step {
				case 0, 1, 2, 3:
					want = []int{202, 409, 422}
					status, answer = ask("POST", "/v1/trees/"+tree+"/turns", fmt.Sprintf(`{"user_id":"u1","id":%q,"parent_id":%q,"user_prompt":%q}`, id, picked, id))
					if status == 202 {
						mu.Lock()
						turns = append(turns, id)
						mu.Unlock()
					}
				case 4, 5:
					status, answer = ask("POST", path+"/retry?user_id=u1", "")
				case 6:
					want = append(want, 409)
					status, answer = ask("POST", path+"/cancel?user_id=u1", "")
				case 7:
					if picked != root {
						status, answer = ask("DELETE", path+"?user_id=u1", "")
					}
				}
				if status != 0 && !slices.Contains(want, status) {
					t.Errorf("%s: %d %v", path, status, answer)
				}
			}
		})
	}
	all.Wait()
	left := a.must(200, "GET", "/v1/trees/"+tree+"/turns?user_id=u1&limit=10000", "")["turns"].([]any)
	same(t, "turns that are counted", float64(len(left)), a.must(200, "GET", "/v1/trees/"+tree+"?user_id=u1", "")["turn_count"])
	if len(turns) < 1+32 {
		t.Errorf("%d turns: some that follow the root are missing", len(turns))
	}
	for _, line := range left {
		turn := a.waitEnded(line.(object)["id"].(string))
		prompt := turn["user_prompt"].(string)
		if turn["status"] == "complete" && turn["assistant_text"] != "echo of "+prompt {
			t.Errorf("answered: %v", turn)
		}
		mu.Lock()
		if asked[prompt] > int64(turn["attempt"].(float64)) {
			t.Errorf("asked %d times for %v", asked[prompt], turn)
		}
		mu.Unlock()
	}
	checked, err := a.store.CheckIntegrity(t.Context(), graph.IntegrityOptions{TeamID: a.team})
	same(t, "findings", []any{int64(0), nil}, []any{checked.Findings, err})
}

// A cancel or a delete in one process ends the generation in another one, and both processes send its events.
func TestProcessesLearnOfEachOther(t *testing.T) {
	t.Parallel()
	m := newModel()
	a := startKith(t, m, chat.Options{Lease: 12 * time.Second}) // which shows a sign of itself each two seconds
	b := startSecond(t, a, nil, chat.Options{})
	tree := a.tree()
	ends := map[string]func(id string){
		"cancelled": func(id string) { b.must(200, "POST", "/v1/turns/"+id+"/cancel?user_id=u1", "") },
		"deleted":   func(id string) { b.must(200, "DELETE", "/v1/turns/"+id+"?user_id=u1", "") },
	}
	for what, end := range ends {
		id := a.submit(tree, "", what)
		c := m.next(t)
		there, here := b.watch(t.Context(), id, ""), a.watch(t.Context(), id, "")
		same(t, what+" elsewhere, first", "status", nextEvent(t, there).kind)
		end(id)
		select {
		case <-c.ctx.Done():
		case <-time.After(time.Minute):
			t.Fatalf("%s elsewhere, and the model goes on", what)
		}
		for where, events := range map[string]<-chan event{"there": there, "here": here} {
			list := readAllEvents(t, events)
			last := list[len(list)-1]
			if want := map[string]string{"cancelled": "status", "deleted": "deleted"}[what]; last.kind != want {
				t.Errorf("%s, told %s: %v", what, where, last)
			}
		}
	}
	id := a.submit(tree, "", "answered")
	there := b.watch(t.Context(), id, "")
	m.next(t).answer <- reply{text: "yes"}
	list := readAllEvents(t, there)
	if last := list[len(list)-1]; last.data != fmt.Sprintf(`{"turn_id":%q,"status":"complete","attempt":1,"assistant_text":"yes"}`, id) {
		t.Errorf("told in another process: %v", last)
	}
}

// A service that ends leaves no turn that stays generating for ever.
func TestEndInterrupts(t *testing.T) {
	t.Parallel()
	m := newModel()
	k := startKith(t, m, chat.Options{Workers: 1})
	other := startSecond(t, k, scripted(echo), chat.Options{})
	tree := k.tree()
	running, waiting := k.submit(tree, "", "a"), k.submit(tree, "", "b")
	m.next(t)
	events := k.watch(t.Context(), running, "")
	nextEvent(t, events)
	k.stop()
	for _, id := range []string{running, waiting} {
		turn := other.turn(id)
		same(t, "after the end", []any{"error", chat.InterruptedText}, []any{turn["status"], turn["error"]})
		other.must(200, "POST", "/v1/turns/"+id+"/retry?user_id=u1", "")
		same(t, "retried", "complete", other.waitEnded(id)["status"])
	}
	readAllEvents(t, events) // the stream has ended
}

// cutOff is a store that is unreachable for renewing leases, or for storing the next answers.
type cutOff struct {
	*chat.Store
	renewals bool
	answers  atomic.Int64
}

func (c *cutOff) RenewChatLeases(ctx context.Context, lease chat.Lease) (map[chat.AttemptID]bool, error) {
	if c.renewals {
		return nil, graph.ErrUnavailable
	}
	return c.Store.RenewChatLeases(ctx, lease)
}

func (c *cutOff) FinishChatTurn(ctx context.Context, scope graph.Scope, id string, attempt int64, a *chat.Answer) (bool, error) {
	if c.answers.Add(-1) >= 0 {
		return false, graph.ErrUnavailable
	}
	return c.Store.FinishChatTurn(ctx, scope, id, attempt, a)
}

// submitToOwnService submits a turn to a new service, whose store is not always reachable.
func (k *kith) submitToOwnService(store *cutOff, g chat.Generator, o chat.Options) (id string) {
	k.Helper()
	service := chat.New(store, g, nil, nil, o)
	runService(k, service)
	turn, _, err := service.Submit(k.Context(), graph.Scope{TeamID: k.team, UserID: "u1"}, k.tree(), chat.Prompt{Text: "x"})
	if err != nil {
		k.Fatal(err)
	}
	return turn.ID
}

// Storing an answer waits for an unavailable database.
func TestAnswersWaitForTheStore(t *testing.T) {
	t.Parallel()
	k := startKith(t, nil, chat.Options{})
	store := &cutOff{Store: chat.NewStore(k.store)}
	store.answers.Store(2)
	turn := k.waitEnded(k.submitToOwnService(store, scripted(echo), chat.Options{}))
	same(t, "stored in the end", []any{"complete", "echo of x"}, []any{turn["status"], turn["assistant_text"]})
}

// The answer of a process without a renewed lease is dropped when another process has started a new attempt.
func TestLeasesThatAreOverAreLost(t *testing.T) {
	t.Parallel()
	k := startKith(t, scripted(echo), chat.Options{})
	release, outcomes := make(chan struct{}), make(chan chat.Outcome, 1)
	deaf := scripted(func(context.Context, []llm.Message, func(string)) (llm.Answer, error) {
		<-release
		return llm.Answer{Text: "late"}, nil
	})
	id := k.submitToOwnService(&cutOff{Store: chat.NewStore(k.store), renewals: true}, deaf, chat.Options{
		Lease: 2 * time.Second, Observe: func(o chat.Outcome, _ time.Duration) { outcomes <- o },
	})
	same(t, "given up", "generation interrupted", k.waitEnded(id)["error"])
	same(t, "retried", true, k.must(200, "POST", "/v1/turns/"+id+"/retry?user_id=u1", "")["retried"])
	same(t, "answered anew", "echo of x", k.waitEnded(id)["assistant_text"])
	close(release)
	same(t, "outcome", chat.Dropped, <-outcomes)
	turn := k.turn(id)
	same(t, "in the end", []any{"complete", "echo of x", 2.0}, []any{turn["status"], turn["assistant_text"], turn["attempt"]})
}

// generatesAlone is set for a test binary that is to be nothing but a process that generates, so that it can be killed. Its
// value is the team to whose tree it submits a turn.
const generatesAlone = "KITH_TEST_GENERATES_ALONE"

const aloneLease = 8 * time.Second

func generateAlone() {
	ctx := context.Background()
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	store, err := graph.Open(neo.Connection{
		URI: os.Getenv("KITH_TEST_NEO4J_URI"), User: os.Getenv("KITH_TEST_NEO4J_USER"), Password: os.Getenv("KITH_TEST_NEO4J_PASSWORD"),
		Database: os.Getenv("KITH_TEST_NEO4J_DATABASE"),
	}, graph.Options{})
	fail(err)
	service := chat.New(chat.NewStore(store), scripted(func(ctx context.Context, _ []llm.Message, delta func(string)) (llm.Answer, error) {
		delta("half an ")
		<-ctx.Done()
		return llm.Answer{}, ctx.Err()
	}), nil, nil, chat.Options{Lease: aloneLease})
	_, _, err = service.Submit(ctx, graph.Scope{TeamID: os.Getenv(generatesAlone), UserID: "u1"}, "tree", chat.Prompt{ID: "turn", Text: "x"})
	fail(err)
	fail(service.Run(ctx))
}

// A generation whose process was killed ends as an error, and can be retried.
func TestKillInterrupts_slow(t *testing.T) {
	t.Parallel()
	k := startKith(t, scripted(echo), chat.Options{Lease: aloneLease})
	k.must(201, "POST", "/v1/trees", `{"id":"tree","user_id":"u1"}`)
	command := exec.Command(os.Args[0])
	db := testenv.Neo4j(t)
	command.Env = append(os.Environ(), generatesAlone+"="+k.team, "KITH_TEST_NEO4J_URI="+db.URI, "KITH_TEST_NEO4J_USER="+db.User,
		"KITH_TEST_NEO4J_PASSWORD="+db.Password, "KITH_TEST_NEO4J_DATABASE="+db.Database)
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = command.Process.Kill(); _ = command.Wait() }()
	k.eventually("it generates", func() bool {
		status, turn := k.ask("GET", "/v1/turns/turn?user_id=u1", "")
		return status == 200 && turn["status"] == "generating"
	})
	time.Sleep(aloneLease + time.Second) // it lives on by its signs of life
	same(t, "while it lives", "generating", k.turn("turn")["status"])
	events := k.watch(t.Context(), "turn", "1.7") // by a reader who has had half of it from there
	same(t, "watched elsewhere", event{"1.7", "status", `{"turn_id":"turn","status":"generating","attempt":1}`}, nextEvent(t, events))
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()
	turn := k.waitEnded("turn")
	same(t, "when it was killed", []any{"error", "generation interrupted"}, []any{turn["status"], turn["error"]})
	same(t, "told", []event{{"1.end", "status", `{"turn_id":"turn","status":"error","attempt":1,"error":"generation interrupted"}`}}, readAllEvents(t, events))
	same(t, "retried", true, k.must(200, "POST", "/v1/turns/turn/retry?user_id=u1", "")["retried"])
	_, status := read(t, readAllEvents(t, k.watch(t.Context(), "turn", "1.end")))
	same(t, "told of the next attempt", "complete", status)
	turn = k.waitEnded("turn")
	same(t, "retried", []any{"complete", "echo of x", 2.0}, []any{turn["status"], turn["assistant_text"], turn["attempt"]})
}
