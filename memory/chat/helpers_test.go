package chat_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/graph/neo"
	"kith/handlers"
	"kith/internal/cache"
	"kith/internal/llm"
	"kith/loader"
	"kith/loader/ontology"
	"kith/memory/chat"
	"kith/memory/preference"
	"kith/memory/recall"
	"kith/memory/workspace"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) {
	if os.Getenv(generatesAlone) != "" {
		generateAlone()
	}
	testenv.Main(m)
}

// scripted is a model with prepared answers.
type scripted func(ctx context.Context, messages []llm.Message, delta func(string)) (llm.Answer, error)

func (s scripted) Generate(ctx context.Context, _ string, messages []llm.Message, delta func(string)) (llm.Answer, error) {
	return s(ctx, messages, delta)
}

func (scripted) Availability() llm.Availability { return "available" }

// echo answers with the last message.
func echo(_ context.Context, messages []llm.Message, delta func(string)) (llm.Answer, error) {
	text := "echo of " + messages[len(messages)-1].Text
	delta(text)
	return llm.Answer{Text: text, ProviderID: "scripted"}, nil
}

// model is a generator whose calls wait for what the test sends them.
type model struct {
	calls chan *call
}

type call struct {
	ctx      context.Context
	model    string
	messages []llm.Message
	delta    func(string)
	answer   chan reply
}

type reply struct {
	text string
	err  error
}

func newModel() *model { return &model{calls: make(chan *call, 1000)} }

func (m *model) Availability() llm.Availability { return "available" }

func (m *model) Generate(ctx context.Context, name string, messages []llm.Message, delta func(string)) (llm.Answer, error) {
	c := &call{ctx, name, messages, delta, make(chan reply, 1)}
	m.calls <- c
	select {
	case r := <-c.answer:
		return llm.Answer{Text: r.text, ProviderID: "model"}, r.err
	case <-ctx.Done():
		return llm.Answer{}, ctx.Err()
	}
}

func (m *model) next(t testing.TB) *call {
	t.Helper()
	select {
	case c := <-m.calls:
		return c
	case <-time.After(time.Minute):
		t.Fatal("the model was not asked")
		return nil
	}
}

// kith is the API over a store and a chat service: one process of several on one database.
type kith struct {
	testing.TB
	url, key, team string
	store          *graph.Store
	service        *chat.Service
	stop           func() // ends the service, and waits for that
}

var migrate sync.Once

func startKith(t testing.TB, g chat.Generator, o chat.Options) *kith {
	t.Helper()
	db := testenv.Neo4j(t)
	store, err := graph.Open(neo.Connection(db), graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close(context.Background()) })
	migrate.Do(func() { err = store.Migrate(t.Context()) })
	if err != nil {
		t.Fatal(err)
	}
	return startSecond(t, &kith{team: testenv.Team(t), store: store}, g, o)
}

// startSecond starts another process on the same store and team.
func startSecond(t testing.TB, k *kith, g chat.Generator, o chat.Options) *kith {
	t.Helper()
	kept, err := cache.New(cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	keys := auth.New(auth.NewStore(k.store), time.Now)
	contexts := loader.New(loader.NewStore(k.store), kept, loader.Options{})
	ontologies := ontology.New(contexts, workspace.NewStore(k.store), ontology.Options{})
	service := chat.New(chat.NewStore(k.store), g, contexts, ontologies, o)
	ctx, stop := runService(t, service)
	server := httptest.NewServer(handlers.New(handlers.Services{
		Memory: k.store, Nodes: k.store, Sources: k.store, ChatStore: chat.NewStore(k.store), Preferences: preference.NewStore(k.store), Keys: keys, Recalls: recall.New(k.store, recall.Options{}),
		Ready: k.store.Ping, Contexts: contexts, Ontologies: ontologies, Chats: service,
	}, handlers.Options{Deadline: time.Minute, Stopping: func(end func()) func() bool { return context.AfterFunc(ctx, end) }}))
	t.Cleanup(func() {
		stop()
		server.Close()
		keys.Close()
		_ = kept.Close()
	})
	secret, _, err := keys.Create(t.Context(), auth.Spec{TeamID: k.team, Scopes: []string{auth.Read, auth.Write}})
	if err != nil {
		t.Fatal(err)
	}
	return &kith{t, server.URL, secret, k.team, k.store, service, stop}
}

// runService runs a service until stop, or the end of the test; ctx is done when it is about to end.
func runService(t testing.TB, service *chat.Service) (ctx context.Context, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return ctx, stop
}

func (k *kith) request(ctx context.Context, method, path, body string) *http.Request {
	k.Helper()
	r, err := http.NewRequestWithContext(ctx, method, k.url+path, strings.NewReader(body))
	if err != nil {
		k.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+k.key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

type object = map[string]any

// ask makes a request and returns the answer.
func (k *kith) ask(method, path, body string) (int, object) {
	k.Helper()
	response, err := http.DefaultClient.Do(k.request(k.Context(), method, path, body))
	if err != nil {
		k.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		k.Fatal(err)
	}
	var o object
	if err := json.Unmarshal(raw, &o); err != nil {
		k.Fatalf("%s %s: %d %s", method, path, response.StatusCode, raw)
	}
	return response.StatusCode, o
}

// must makes a request that must have a status.
func (k *kith) must(status int, method, path, body string) object {
	k.Helper()
	got, o := k.ask(method, path, body)
	if got != status {
		k.Fatalf("%s %s: %d %v, want %d", method, path, got, o, status)
	}
	return o
}

// tree creates a tree of user u1.
func (k *kith) tree() string {
	k.Helper()
	return k.must(201, "POST", "/v1/trees", `{"user_id":"u1"}`)["id"].(string)
}

// submit adds a turn; an empty parent: a root.
func (k *kith) submit(tree, parent, prompt string) string {
	k.Helper()
	body := object{"user_id": "u1", "user_prompt": prompt}
	if parent != "" {
		body["parent_id"] = parent
	}
	raw, _ := json.Marshal(body)
	return k.must(202, "POST", "/v1/trees/"+tree+"/turns", string(raw))["id"].(string)
}

func (k *kith) turn(id string) object {
	k.Helper()
	return k.must(200, "GET", "/v1/turns/"+id+"?user_id=u1", "")
}

// waitEnded waits until a turn has ended.
func (k *kith) waitEnded(id string) object {
	k.Helper()
	var turn object
	k.eventually("the turn ends", func() bool {
		turn = k.turn(id)
		return turn["status"] != "generating" && turn["status"] != "pending"
	})
	return turn
}

func (k *kith) eventually(what string, is func() bool) {
	k.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-tick.C {
		if is() {
			return
		}
	}
	k.Fatalf("not within a minute: %s", what)
}

// event is one event of a stream.
type event struct{ id, kind, data string }

// watch reads the events of a turn, from behind the one of an id; the channel is closed at the end of the stream.
func (k *kith) watch(ctx context.Context, turn, last string) <-chan event {
	k.Helper()
	r := k.request(ctx, "GET", "/v1/turns/"+turn+"/events?user_id=u1", "")
	r.Header.Set("Last-Event-ID", last)
	response, err := http.DefaultClient.Do(r) //nolint:bodyclose // closed by the reader below
	if err != nil {
		k.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		k.Fatalf("events: %d", response.StatusCode)
	}
	events := make(chan event, 1000)
	go func() {
		defer close(events)
		defer func() { _ = response.Body.Close() }()
		var e event
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.kind = value
			case "data":
				e.data = value
			case "":
				if e != (event{}) {
					events <- e
				}
				e = event{}
			}
		}
	}()
	return events
}

// readAllEvents returns the events until the stream ends.
func readAllEvents(t testing.TB, events <-chan event) []event {
	t.Helper()
	var list []event
	for {
		select {
		case e, more := <-events:
			if !more {
				return list
			}
			list = append(list, e)
		case <-time.After(time.Minute):
			t.Fatal("the stream does not end")
		}
	}
}

func nextEvent(t testing.TB, events <-chan event) event {
	t.Helper()
	select {
	case e, more := <-events:
		if !more {
			t.Fatal("the stream has ended")
		}
		return e
	case <-time.After(time.Minute):
		t.Fatal("there is no event")
	}
	return event{}
}

var errScripted = errors.New("the model said no")
