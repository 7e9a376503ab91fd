package demo

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/memory/replay"
	"kith/tests/graphtest"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// month is the time that the demo's conversations span.
const month = 28 * 24 * time.Hour

// year is a year of the demo's user: every four weeks the demo's memory and conversations again, about others. After each conversation
// its agent changes what two of the nodes it mentions, and one relationship, say. Before each it asks for a context, which is kept for
// replay.
type year struct {
	*graphtest.Env
	*dataset
	recorder *replay.Recorder
	scope    graph.Scope
}

// TestHistoryIsSmall_slow bounds what former versions, the feed of changes and the served contexts of 30 days add to what the memory itself
// takes. It lives through KITH_TEST_MONTHS times four weeks, 6 if not set. Former versions are not thinned, as maintenance does.
func TestHistoryIsSmall_slow(t *testing.T) {
	y := &year{Env: graphtest.New(t)}
	y.scope = y.As(User)
	var err error
	if y.dataset, err = read(); err != nil {
		t.Fatal(err)
	}
	y.recorder = replay.New(replay.NewStore(y.Store), replay.Options{Now: func() time.Time { return y.Now }})
	if err := y.recorder.Claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	months := 6
	if n, err := strconv.Atoi(os.Getenv("KITH_TEST_MONTHS")); err == nil {
		months = n
	}
	for n := range months {
		y.month(n, n == months-1)
	}
	sizes := y.sizes()
	past := sizes["versions"] + sizes["feed"] + sizes["served"]
	t.Logf("%d months: the memory has %d kB; in %% of it, former versions have %d, the feed %d, served contexts %d", months, sizes["memory"]/1000,
		100*sizes["versions"]/sizes["memory"], 100*sizes["feed"]/sizes["memory"], 100*sizes["served"]/sizes["memory"])
	if months > 1 && past > sizes["memory"]*30/100 {
		t.Errorf("the past takes %d bytes, the memory %d", past, sizes["memory"])
	}
}

// month writes one demo, and lives through its conversations. In the last one contexts are served.
func (y *year) month(n int, last bool) {
	memory, sources, err := y.memoryWrites(y.Now.Add(month))
	if err != nil {
		y.Fatal(err)
	}
	key := func(key string) string {
		if key == memory.Nodes[0].EntityKey { // the user
			return key
		}
		return fmt.Sprintf("%s/%d", key, n)
	}
	for i := range memory.Nodes {
		w := &memory.Nodes[i]
		w.CreatedAt, w.UpdatedAt, w.LastAccessedAt = graph.Optional[time.Time]{}, graph.Optional[time.Time]{}, graph.Optional[time.Time]{} // now
		if w.EntityKey = key(w.EntityKey); i > 0 {
			w.Name.Value += fmt.Sprint(" ", n)
		}
	}
	for i := range memory.Relationships {
		r := &memory.Relationships[i]
		r.From, r.To, r.ValidFrom = key(r.From), key(r.To), graph.Optional[time.Time]{}
	}
	y.write(memory)
	for i := range sources {
		s := &sources[i]
		y.Now = s.EndedAt.Value
		if last {
			y.serve(fmt.Sprint(n, i))
		}
		for at := range s.Mentions {
			s.Mentions[at] = key(s.Mentions[at])
		}
		s.EntityKey = key(s.EntityKey)
		for at := range s.Messages {
			s.Messages[at].EntityKey = ""
		}
		if _, err := y.Store.WriteSource(context.Background(), y.scope, s); err != nil {
			y.Fatal(err)
		}
		y.learn(memory, s)
	}
}

// learn changes two nodes that a conversation mentions and one of their relationships.
func (y *year) learn(memory *graph.MemoryWrite, s *graph.SourceWrite) {
	y.Now = y.Now.Add(time.Minute)
	said := " " + s.Summary.Value[:min(40, len(s.Summary.Value))]
	changed := &graph.MemoryWrite{UserID: User, Strict: true}
	mentioned := map[string]bool{}
	for _, key := range s.Mentions {
		mentioned[key] = true
	}
	for i := range memory.Nodes {
		if w := &memory.Nodes[i]; mentioned[w.EntityKey] && len(changed.Nodes) < 2 {
			w.Description.Value += said
			changed.Nodes = append(changed.Nodes, graph.NodeWrite{Kind: w.Kind, EntityKey: w.EntityKey, Description: w.Description})
		}
	}
	for i := range memory.Relationships {
		if r := &memory.Relationships[i]; mentioned[r.To] {
			r.Description.Value += said
			changed.Relationships = append(changed.Relationships, graph.RelationshipWrite{From: r.From, To: r.To, Type: r.Type, Description: r.Description})
			break
		}
	}
	y.write(changed)
}

func (y *year) write(w *graph.MemoryWrite) {
	if _, err := y.Store.Write(context.Background(), y.scope, w); err != nil {
		y.Fatal(err)
	}
}

// serve keeps a context of the demo's size.
func (y *year) serve(name string) {
	text := strings.Builder{}
	for i := range y.Concepts {
		text.WriteString(name + y.Concepts[i].Name + y.Concepts[i].Description)
	}
	y.recorder.Served(y.scope, "context", replay.Entry{Sum: name, Raw: []byte(text.String())})
	y.recorder.Flush(context.Background())
}

// sizes returns the bytes of all properties, by what they are for.
func (y *year) sizes() map[string]int {
	sizes := map[string]int{}
	for _, row := range y.Raw(`MATCH (n {team_id: $team}) RETURN CASE
			WHEN n:Former THEN 'versions' WHEN n:Commit OR n:Feed THEN 'feed' WHEN n:ContextServed OR n:ContextBody THEN 'served'
			ELSE 'memory' END AS part, properties(n) AS properties
		UNION ALL MATCH ()-[r {team_id: $team}]->() RETURN 'memory' AS part, properties(r) AS properties`) {
		sizes[row[0].(string)] += size(row[1]) //nolint:forcetypeassert // the statement returns texts
	}
	return sizes
}

// size returns the bytes of a value: a number, a time and the name of a property have 8.
func size(value any) (bytes int) {
	switch value := value.(type) {
	case string:
		return len(value)
	case []byte:
		return len(value)
	case []any:
		for _, item := range value {
			bytes += size(item)
		}
		return bytes
	case map[string]any:
		for _, item := range value {
			bytes += 8 + size(item)
		}
		return bytes
	}
	return 8
}
