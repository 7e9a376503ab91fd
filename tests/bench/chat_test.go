package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/llm"
	"kith/memory/chat"
	"kith/tests/testenv"
)

// model is a language model with prepared answers.
type model func(ctx context.Context, messages []llm.Message, delta func(string)) (llm.Answer, error)

func (m model) Generate(ctx context.Context, _ string, messages []llm.Message, delta func(string)) (llm.Answer, error) {
	return m(ctx, messages, delta)
}

func (model) Availability() llm.Availability { return "available" }

// newChatService returns a chat service that runs until the benchmark ends.
func newChatService(b *testing.B, store *graph.Store, g chat.Generator, o chat.Options) *chat.Service {
	b.Helper()
	service := chat.New(chat.NewStore(store), g, nil, nil, o)
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

// growBranch adds a branch of the given number of turns, and returns the last one.
func growBranch(b testing.TB, store *graph.Store, scope graph.Scope, tree string, turns int) string {
	b.Helper()
	batch := &chat.Batch{Trees: []chat.TreeRecord{{ID: tree, UserID: graph.Some(scope.UserID)}}}
	parent, answer := "", strings.Repeat("A bowline holds, and comes undone when it is asked to. ", 8)
	for i := range turns {
		r := chat.TurnRecord{
			ID: fmt.Sprintf("%s-%d", tree, i), TreeID: tree, Seq: int64(i), Status: chat.StatusComplete, AssistantText: &answer, Attempt: 1,
			UserPrompt: fmt.Sprintf("And which knot do I tie on the %d. day, when the wind turns?", i),
		}
		if parent != "" {
			above := parent
			r.ParentID = &above
		}
		batch.Turns, parent = append(batch.Turns, r), r.ID
	}
	result, err := chat.NewStore(store).RestoreChats(b.Context(), scope, batch)
	if err != nil || result.Turns[turns-1].Status != graph.Created {
		b.Fatal(err, result.Turns[turns-1])
	}
	return parent
}

// longBranch returns a service, the counted connection to its database, and the last turn of a branch of 1,000 turns.
func longBranch(b testing.TB) (service *chat.Service, counted *wire, scope graph.Scope, last string) {
	b.Helper()
	db := testenv.Neo4j(b)
	counted = countRoundTrips(b, db.URI)
	db.URI = counted.uri
	store := openStore(b, db, graph.Options{})
	scope = graph.Scope{TeamID: testenv.Team(b), UserID: "u1"}
	return chat.New(chat.NewStore(store), nil, nil, nil, chat.Options{}), counted, scope, growBranch(b, store, scope, "long", 1000)
}

// BenchmarkChatPrompt assembles the prompt of the last turn of a branch of 1,000 turns.
func BenchmarkChatPrompt(b *testing.B) {
	service, wire, scope, last := longBranch(b)
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
		one, all := measureCall(b, assemble(0)), measureCall(b, assemble(1_000_000))
		if i >= 50 {
			usual, whole = append(usual, one), append(whole, all)
			b.ReportMetric(float64(wire.trips.Load()-before)/2, "round-trips")
		}
	}
	b.ReportMetric(milliseconds(median(usual)), "p50-ms")
	b.ReportMetric(milliseconds(median(whole)), "unbounded-p50-ms")
	b.ReportMetric(0, "ns/op")
}

// The prompt of a long branch takes two round trips: the path to the root, and the texts within the budget.
func TestChatRoundTrips(t *testing.T) {
	service, wire, scope, last := longBranch(t)
	for tokens, truncated := range map[int]bool{0: true, 1_000_000: false} {
		before := wire.trips.Load()
		told, err := service.Assemble(t.Context(), scope, last, tokens)
		if err != nil || told.Truncated != truncated || len(told.Messages)+2*told.LeftOut != 2000 {
			t.Fatalf("%d tokens: %v, %d messages, %d left out", tokens, err, len(told.Messages), told.LeftOut)
		}
		if got := wire.trips.Load() - before; got != 2 {
			t.Errorf("%d tokens: %d round trips", tokens, got)
		}
	}
}

// BenchmarkChatSubmit compares the time from a submit to the model's request with that of the smallest chat write, a
// new name of a tree, through the driver alone.
func BenchmarkChatSubmit(b *testing.B) {
	w := newWriter(b)
	scope := graph.Scope{TeamID: w.team, UserID: "u1"}
	asked, stored := make(chan time.Time, 1), make(chan chat.Outcome, 1)
	service := newChatService(b, w.store, model(func(context.Context, []llm.Message, func(string)) (llm.Answer, error) {
		asked <- time.Now()
		return llm.Answer{Text: "yes"}, nil
	}), chat.Options{Observe: func(outcome chat.Outcome, _ time.Duration) { stored <- outcome }})
	tree, _, err := chat.NewStore(w.store).CreateChatTree(b.Context(), scope, "", &chat.TreeWrite{})
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
		if outcome := <-stored; outcome != chat.Completed { // before the other write begins
			b.Fatal(outcome)
		}
		if i%10 == 0 { // branches of ten
			parent = turn.ID
		}
		write := measureCall(b, func() error {
			w.runBare(b, step{"chat_tree_change", map[string]any{
				"team_id": w.team, "owners": []string{"u1"}, "id": tree.ID, "properties": map[string]any{"name": fmt.Sprint(i)}, "now": begun.UnixMilli(),
			}})
			return nil
		})
		if i >= 50 {
			submits, bare = append(submits, submit), append(bare, write)
		}
	}
	b.ReportMetric(milliseconds(median(submits)), "submit-p50-ms")
	b.ReportMetric(milliseconds(median(bare)), "bare-p50-ms")
	b.ReportMetric(float64(median(submits))/float64(median(bare)), "submit/bare")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkChatStreams measures the peak resident memory of the kith binary while it generates 500 answers at once,
// each with one reader. The model is an OpenAI-compatible server. It and the readers run in this process.
func BenchmarkChatStreams(b *testing.B) {
	const streams, pieces, pause = 500, 40, 100 * time.Millisecond
	begin := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		<-begin
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for range pieces {
			<-tick.C
			_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"A bowline holds. "}}]}`+"\n\n")
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	b.Cleanup(slow.Close)
	s, process := startBinary(b, buildBinary(b), "KITH_LLM_URL="+slow.URL, "KITH_LLM_MODEL=slow", "KITH_LLM_TIMEOUT=10m", fmt.Sprint("KITH_LLM_WORKERS=", 2*streams)) // a team may have half
	w := &writer{url: s.url, key: s.key}
	tree := testenv.Team(b) // any id that is new
	w.post(b, "/v1/trees", "application/json", strings.NewReader(fmt.Sprintf(`{"id":%q}`, tree)))
	var readers sync.WaitGroup
	for i := range streams {
		turn := fmt.Sprint(tree, "-", i)
		w.post(b, "/v1/trees/"+tree+"/turns", "application/json", strings.NewReader(fmt.Sprintf(`{"id":%q,"user_prompt":"Which knot holds?"}`, turn)))
		events := w.openEvents(b, turn)
		readers.Go(func() {
			if last := lastEvent(events); !strings.Contains(last, `"status":"complete"`) {
				b.Errorf("ends with %.100s", last)
			}
		})
	}
	begun := time.Now()
	close(begin)
	readers.Wait()
	b.ReportMetric(time.Since(begun).Seconds()/(pieces*pause).Seconds(), "time/model's")
	b.ReportMetric(residentMB(b, process.Pid, "VmHWM"), "peak-MB")
	b.ReportMetric(0, "ns/op")
}

// openEvents opens the event stream of a turn.
func (w *writer) openEvents(b *testing.B, turn string) io.ReadCloser {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, w.url+"/v1/turns/"+turn+"/events", http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+w.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatal(err, response)
	}
	return response.Body
}

// lastEvent reads a stream to its end, and returns the data of its last event.
func lastEvent(events io.ReadCloser) (last string) {
	defer func() { _ = events.Close() }()
	for lines := bufio.NewScanner(events); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "data: ") {
			last = lines.Text()
		}
	}
	return last
}
