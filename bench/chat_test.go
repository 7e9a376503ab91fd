package bench

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"kith/auth"
	"kith/cache"
	"kith/chat"
	"kith/graph"
	"kith/handlers"
	"kith/internal/testenv"
	"kith/llm"
	"kith/loader"
)

// model answers as it is told.
type model func(ctx context.Context, messages []llm.Message, delta func(string)) (llm.Answer, error)

func (m model) Generate(ctx context.Context, messages []llm.Message, delta func(string)) (llm.Answer, error) {
	return m(ctx, messages, delta)
}

func (model) Availability() llm.Availability { return "available" }

// chatting is a chat service that runs until the benchmark ends.
func chatting(b *testing.B, store *graph.Store, g chat.Generator, o chat.Options) *chat.Service {
	b.Helper()
	service := chat.New(store, g, nil, o)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	return service
}

// grow makes a branch of so many turns, and returns the last.
func grow(b *testing.B, store *graph.Store, scope graph.Scope, tree string, turns int) string {
	b.Helper()
	batch := &graph.ChatBatch{Trees: []graph.ChatTreeRecord{{ID: tree, UserID: graph.Some(scope.UserID)}}}
	parent, answer := "", strings.Repeat("A bowline holds, and comes undone when it is asked to. ", 8)
	for i := range turns {
		r := graph.ChatTurnRecord{
			ID: fmt.Sprintf("%s-%d", tree, i), TreeID: tree, Seq: int64(i), Status: graph.ChatComplete, AssistantText: &answer, Attempt: 1,
			UserPrompt: fmt.Sprintf("And which knot do I tie on the %d. day, when the wind turns?", i),
		}
		if parent != "" {
			above := parent
			r.ParentID = &above
		}
		batch.Turns, parent = append(batch.Turns, r), r.ID
	}
	result, err := store.RestoreChats(b.Context(), scope, batch)
	if err != nil || result.Turns[turns-1].Status != graph.Created {
		b.Fatal(err, result.Turns[turns-1])
	}
	return parent
}

// BenchmarkChatPrompt puts together what a model is told for the last turn of a branch of 1,000 turns.
func BenchmarkChatPrompt(b *testing.B) {
	db := testenv.Neo4j(b)
	wire := countRoundTrips(b, db.URI)
	db.URI = wire.uri
	store := open(b, db, graph.Options{})
	scope := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	service := chat.New(store, nil, nil, chat.Options{})
	last := grow(b, store, scope, "long", 1000)
	assemble := func(tokens int) func() error {
		return func() error {
			a, err := service.Assemble(b.Context(), scope, last, tokens)
			if err == nil && a.Truncated != (tokens < 1_000_000) {
				return fmt.Errorf("%d turns left out of %d tokens", a.LeftOut, tokens)
			}
			return err
		}
	}
	var usual, whole []time.Duration
	for i := range max(b.N, 100) + 50 {
		before := wire.trips.Load()
		one, all := took(b, assemble(0)), took(b, assemble(1_000_000))
		if i >= 50 {
			usual, whole = append(usual, one), append(whole, all)
			b.ReportMetric(float64(wire.trips.Load()-before)/2, "round-trips")
		}
	}
	b.ReportMetric(milliseconds(median(usual)), "p50-ms")
	b.ReportMetric(milliseconds(median(whole)), "unbounded-p50-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkChatSubmit compares the time from a submit until the model is asked with that of storing a turn through nothing but
// the driver.
func BenchmarkChatSubmit(b *testing.B) {
	w := writing(b)
	scope := graph.Scope{TeamID: w.team, UserID: "u1"}
	asked := make(chan time.Time, 1)
	service := chatting(b, w.store, model(func(context.Context, []llm.Message, func(string)) (llm.Answer, error) {
		asked <- time.Now()
		return llm.Answer{Text: "yes"}, nil
	}), chat.Options{})
	tree, _, err := w.store.CreateChatTree(b.Context(), scope, "", &graph.ChatTreeWrite{})
	if err != nil {
		b.Fatal(err)
	}
	var submits, bare []time.Duration
	parent := ""
	for i := range max(b.N, 100) + 50 {
		begun := time.Now()
		turn, _, err := service.Submit(b.Context(), scope, tree.ID, chat.Prompt{ParentID: parent, Text: "Which knot holds?"})
		if err != nil {
			b.Fatal(err)
		}
		submit := (<-asked).Sub(begun)
		if i%10 == 0 { // branches of ten
			parent = turn.ID
		}
		write := took(b, func() error {
			now := time.Now().UnixMilli()
			w.bare(b, step{"chat_turn_create", map[string]any{
				"team_id": w.team, "tree_id": tree.ID, "id": fmt.Sprintf("bare-%d", i), "parent_id": nil, "now": now,
				"properties": map[string]any{"prompt": "Which knot holds?", "status": "pending", "attempt": 1, "created_at": now, "updated_at": now},
			}})
			return nil
		})
		if i >= 50 {
			submits, bare = append(submits, submit), append(bare, write)
		}
	}
	b.ReportMetric(milliseconds(median(submits)), "submit-p50-ms")
	b.ReportMetric(float64(median(submits))/float64(median(bare)), "submit/bare")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkChatStreams generates 500 answers at once, each watched by a reader of its own, in this process: Kith, its model and the
// readers.
func BenchmarkChatStreams(b *testing.B) {
	const streams, pieces = 500, 40
	store := open(b, testenv.Neo4j(b), graph.Options{})
	scope := graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	begin := make(chan struct{})
	service := chatting(b, store, model(func(_ context.Context, _ []llm.Message, delta func(string)) (llm.Answer, error) {
		<-begin
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		var all strings.Builder
		for range pieces {
			<-tick.C
			delta("A bowline holds. ")
			all.WriteString("A bowline holds. ")
		}
		return llm.Answer{Text: all.String()}, nil
	}), chat.Options{Workers: streams})
	kept, err := cache.New(cache.Options{})
	if err != nil {
		b.Fatal(err)
	}
	keys := auth.New(store, time.Now)
	key, _, err := keys.Create(b.Context(), auth.Spec{TeamID: scope.TeamID, Scopes: auth.Scopes[:2]})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(handlers.New(handlers.Services{
		Store: store, Preferences: store, Keys: keys, Changes: kept, Ready: store.Ping, Chats: service,
		Recalls: graph.NewRecalls(store, graph.RecallOptions{}), Contexts: loader.New(store, kept, loader.Options{}),
	}, handlers.Options{}))
	b.Cleanup(func() {
		server.Close()
		keys.Close()
		_ = kept.Close()
	})
	tree, _, err := store.CreateChatTree(b.Context(), scope, "", &graph.ChatTreeWrite{})
	if err != nil {
		b.Fatal(err)
	}
	var readers sync.WaitGroup
	for range streams {
		turn, _, err := service.Submit(b.Context(), scope, tree.ID, chat.Prompt{Text: "Which knot holds?"})
		if err != nil {
			b.Fatal(err)
		}
		request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, server.URL+"/v1/turns/"+turn.ID+"/events?user_id=u1", http.NoBody)
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+key)
		response, err := http.DefaultClient.Do(request)
		if err != nil || response.StatusCode != http.StatusOK {
			b.Fatal(err, response.StatusCode)
		}
		readers.Go(func() {
			defer func() { _ = response.Body.Close() }()
			lines := bufio.NewScanner(response.Body)
			last := ""
			for lines.Scan() {
				if strings.HasPrefix(lines.Text(), "data: ") {
					last = lines.Text()
				}
			}
			if !strings.Contains(last, `"status":"complete"`) {
				b.Errorf("ends with %.100s", last)
			}
		})
	}
	debug.FreeOSMemory()
	forgetPeak(b, os.Getpid())
	begun := time.Now()
	close(begin)
	readers.Wait()
	took := time.Since(begun)
	b.ReportMetric(residentMB(b, os.Getpid(), "VmHWM"), "peak-MB")
	b.ReportMetric(took.Seconds()/(pieces*0.1), "time/model's")
	b.ReportMetric(0, "ns/op")
}
