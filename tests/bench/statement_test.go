package bench

import (
	"fmt"
	"testing"
	"time"

	"kith/graph"
	"kith/memory/statement"
	"kith/tests/testenv"
)

// said are messages of a user, one in four of which has a statement to remember.
var said = []string{
	"Could you look at the second draft of the letter to the landlord? The tone seems a bit sharp to me, and the date is missing.",
	"I prefer short answers with a list of steps at the end, without any introduction.",
	"The build fails with exit status 2 since this morning. Here is the log: undefined reference to main, and nothing else.",
	"Thanks, that worked. What would you change if the table had ten million rows instead of ten thousand?",
}

// searching is a store with or without the search for statements, and what its writes took.
type searching struct {
	*graph.Store
	team string
	took []time.Duration
}

// BenchmarkStatements compares what messages cost to store with the search for statements and without, in turns: an append of a
// question and its answer to a conversation, and an import of 1,000 messages.
func BenchmarkStatements(b *testing.B) {
	db := testenv.Neo4j(b)
	for name, store := range map[string]func(s *searching, round int) error{
		"append": func(s *searching, round int) error { return s.append(b, round) },
		"import": func(s *searching, round int) error { return s.importMessages(b, round) },
	} {
		b.Run(name, func(b *testing.B) {
			without := &searching{Store: openStore(b, db, graph.Options{}), team: testenv.Team(b)}
			with := &searching{Store: openStore(b, db, graph.Options{Said: statement.Listener()}), team: testenv.Team(b)}
			const warm = 3
			for round := range b.N + warm {
				for _, s := range []*searching{without, with} {
					took := measureCall(b, func() error { return store(s, round) })
					if round >= warm {
						s.took = append(s.took, took)
					}
				}
			}
			ratios := make([]float64, b.N)
			for i := range ratios {
				ratios[i] = float64(with.took[i]) / float64(without.took[i])
			}
			b.ReportMetric(milliseconds(median(without.took)), "without-p50-ms")
			b.ReportMetric(milliseconds(median(with.took)), "with-p50-ms")
			b.ReportMetric(median(ratios), "with/without")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// append adds a question and its answer to a conversation of the user.
func (s *searching) append(b *testing.B, round int) error {
	_, err := s.WriteSource(b.Context(), graph.Scope{TeamID: s.team, UserID: "u"}, &graph.SourceWrite{
		EntityKey: fmt.Sprint("talk ", round/20), ContentType: graph.Some(graph.Conversation), Messages: []graph.MessageWrite{
			{Role: "user", Text: fmt.Sprint(said[round%len(said)], " (", round, ")")}, {Role: "assistant", Text: said[0]},
		},
	})
	return err
}

// importMessages imports a conversation of 1,000 messages for a user of its own.
func (s *searching) importMessages(b *testing.B, round int) error {
	user, source := fmt.Sprint("u", round), fmt.Sprint("talk ", round)
	now := time.Now().UTC().Truncate(time.Second)
	batch := &graph.RestoreBatch{Nodes: []graph.NodeWrite{{
		Kind: "source", EntityKey: source, UserID: graph.Some(user), OwnFields: &graph.OwnFields{ContentType: graph.Some(graph.Conversation), StartedAt: graph.Some(now)},
	}}}
	for i := range 999 {
		batch.Nodes = append(batch.Nodes, graph.NodeWrite{
			Kind: "message", EntityKey: fmt.Sprintf("%s/%d", source, i), UserID: graph.Some(user), OwnFields: &graph.OwnFields{
				SourceKey: graph.Some(source), Role: graph.Some([]string{"user", "assistant"}[i%2]), At: graph.Some(now),
				Text: graph.Some(fmt.Sprint(said[i/2%len(said)], " (", i, ")")),
			},
		})
	}
	result, err := s.Restore(b.Context(), graph.Scope{TeamID: s.team}, batch, graph.ImportMark{}, func(graph.MemoryResult) string { return "" }, false)
	if err == nil && len(result.Refused) > 0 {
		err = fmt.Errorf("refused: %v", result.Refused[0])
	}
	return err
}
