// Package bench measures Kith: `make bench` prints every figure of docs/benchmarks.md, as ratios taken in one run.
package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/loader"
	"kith/memory/preference"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var ownerTypes = []string{
	"has_relationship_with", "thinks_about", "relates_to", "involves", "associated_with", "engages_with", "connected_to",
}

func openStore(b testing.TB, db testenv.Database, o graph.Options) *graph.Store {
	b.Helper()
	store, err := graph.Open(neo.Connection{URI: db.URI, User: db.User, Password: db.Password, Database: db.Database}, o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close(context.Background()) })
	if err := store.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	return store
}

// fullUser writes a memory that fills every section of a context but that of statements to its limit, with an owner of degree
// relationships.
func fullUser(b *testing.B, store *graph.Store, scope graph.Scope, degree int) {
	b.Helper()
	now := time.Now()
	write := &graph.MemoryWrite{Nodes: []graph.NodeWrite{{
		Kind: "person", EntityKey: "owner", Name: graph.Some("Ada"), IsOwner: graph.Some(true),
		Description: graph.Some("Keeps the tide tables of a small harbour and mends what the sea breaks."),
	}}}
	concept := func(key, name string) graph.NodeWrite {
		return graph.NodeWrite{
			Kind: "concept", EntityKey: key, Name: graph.Some(name), State: graph.Some("core"),
			Description: graph.Some("What is held to be true or to be reached, told in a sentence of a usual length."),
			Salience:    graph.Some(0.5), LastAccessedAt: graph.Some(now.Add(-time.Hour)),
		}
	}
	for i := range 10 {
		belief := concept(fmt.Sprintf("belief-%d", i), fmt.Sprintf("belief %d", i))
		belief.TTLPolicy = graph.Some("keep_forever")
		write.Nodes = append(write.Nodes, belief, concept(fmt.Sprintf("goal-%d", i), fmt.Sprintf("goal %d", i)))
	}
	writeMemory(b, store, scope, write)
	for from := 0; from < degree; from += 2000 {
		writeMemory(b, store, scope, neighbours(from, min(from+2000, degree), degree))
	}
	for i := range 25 {
		writeConversation(b, store, scope, i, degree, now)
	}
	preferences := []preference.Preference{{Key: "conversation_style", Value: []byte(`"direct"`)}, {Key: "time_zone", Value: []byte(`"Europe/Berlin"`)}}
	if err := preference.NewStore(store).ReplacePreferences(b.Context(), scope, preferences); err != nil {
		b.Fatal(err)
	}
}

// writeStatements has the user say as much as the section of statements has. The store must search messages.
func writeStatements(b *testing.B, store *graph.Store, scope graph.Scope) {
	b.Helper()
	source := &graph.SourceWrite{EntityKey: "said", StartedAt: graph.Some(time.Now())}
	for i := range 110 {
		text := fmt.Sprintf("I prefer boats from yard%d.", i)
		if i >= 50 {
			text = fmt.Sprintf("My flight to harbour%d is on 3 May.", i)
		}
		source.Messages = append(source.Messages, graph.MessageWrite{Role: "user", Text: text})
	}
	if _, err := store.WriteSource(b.Context(), scope, source); err != nil {
		b.Fatal(err)
	}
	found := &loader.Sections{}
	err := loader.NewStore(store).ReadSection(b.Context(), scope, loader.StatementsSection, loader.SectionQuery{Now: time.Now()}, found)
	if err != nil || len(found.Statements) != len(source.Messages) {
		b.Fatalf("%d statements, %v", len(found.Statements), err)
	}
}

func neighbours(from, to, degree int) *graph.MemoryWrite {
	write := &graph.MemoryWrite{}
	for i := from; i < to; i++ {
		key := fmt.Sprintf("n-%d", i)
		write.Nodes = append(write.Nodes, graph.NodeWrite{
			Kind: "person", EntityKey: key, Name: graph.Some(key), State: graph.Some("active"),
			Salience: graph.Some(float64(i) / float64(degree)), Description: graph.Some("Somebody whom one meets at the quay."),
		})
		write.Relationships = append(write.Relationships, graph.RelationshipWrite{
			From: "owner", To: key, Type: ownerTypes[i%len(ownerTypes)], Salience: graph.Some(float64(i) / float64(degree)),
			Description: graph.Some("Met long ago, and there ever since, in good weather and in bad."),
		})
	}
	return write
}

func writeConversation(b *testing.B, store *graph.Store, scope graph.Scope, i, degree int, now time.Time) {
	b.Helper()
	source := &graph.SourceWrite{
		EntityKey: fmt.Sprintf("source-%d", i), ContextType: graph.Some("planning"),
		StartedAt: graph.Some(now.Add(-time.Duration(i+1) * 6 * time.Hour)), EndedAt: graph.Some(now.Add(-time.Duration(i+1)*6*time.Hour + time.Hour)),
		Summary: graph.Some("Talked about what the pier costs to mend, and about who could pay for it."),
	}
	for m := range 6 {
		source.Mentions = append(source.Mentions, fmt.Sprintf("n-%d", degree-1-(i+m)%10))
	}
	if _, err := store.WriteSource(b.Context(), scope, source); err != nil {
		b.Fatal(err)
	}
}

func writeMemory(b testing.TB, store *graph.Store, scope graph.Scope, write *graph.MemoryWrite) {
	b.Helper()
	write.Strict = true
	if _, err := store.Write(b.Context(), scope, write); err != nil {
		b.Fatal(err)
	}
}

// median returns the median of durations or ratios.
func median[T time.Duration | float64](values []T) T {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}

// measureCall returns the duration of a call, which must succeed.
func measureCall(b testing.TB, call func() error) time.Duration {
	b.Helper()
	begun := time.Now()
	if err := call(); err != nil {
		b.Fatal(err)
	}
	return time.Since(begun)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// speech makes texts whose words are distributed like those of a language without its stop words.
type speech struct {
	zipf *rand.Zipf
}

func newSpeech(seed uint64) speech {
	return speech{rand.NewZipf(rand.New(rand.NewPCG(seed, 3)), 1.1, 20, 20_000)}
}

func (s speech) words(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = "w" + strconv.FormatUint(s.zipf.Uint64(), 36)
	}
	return strings.Join(words, " ")
}
