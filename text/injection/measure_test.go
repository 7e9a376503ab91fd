package injection_test

import (
	"slices"
	"testing"

	"kith/text/injection"
	"kith/text/injection/corpus"
)

// measured counts what was marked of the sources of one half.
type measured struct {
	marked, all map[string]int // by kind
}

func measure(t *testing.T, items []corpus.Item, reported bool) measured {
	m := measured{map[string]int{}, map[string]int{}}
	for _, item := range items {
		if item.Reported != reported {
			continue
		}
		m.all[item.Kind]++
		found, err := injection.Marks(t.Context(), item.Text)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			m.marked[item.Kind]++
		}
		if wrong := (item.Kind == corpus.Good) == (len(found) > 0); wrong && !reported && item.Kind != "false_fact" && testing.Verbose() {
			t.Logf("%s %s %v: %q", item.Kind, item.Language, found, item.Text)
		}
	}
	return m
}

// rates returns the precision, and the recall of all kinds and of those that have instructions or imitations.
func (m measured) rates() (precision, recall, formal float64) {
	hits, all, hitsFormal, allFormal := 0, 0, 0, 0
	for _, kind := range corpus.Kinds {
		hits, all = hits+m.marked[kind], all+m.all[kind]
		if kind != "false_fact" {
			hitsFormal, allFormal = hitsFormal+m.marked[kind], allFormal+m.all[kind]
		}
	}
	return float64(hits) / float64(max(1, hits+m.marked[corpus.Good])), float64(hits) / float64(all), float64(hitsFormal) / float64(allFormal)
}

// The forms were written with one half of the templates and attacks in view; the other half says how they do on what they were not
// written for. A false fact without an instruction is not to be found by its form. -v prints the figures.
func TestRates(t *testing.T) {
	t.Parallel()
	items := slices.Concat(corpus.Poisoned(7, 500), corpus.GoodOnes(7, 5000))
	for _, half := range []struct {
		name              string
		reported          bool
		precision, formal float64 // at least
	}{{"developed on", false, 0.9, 0.9}, {"reported on", true, 0.9, 0.7}} {
		m := measure(t, items, half.reported)
		precision, recall, formal := m.rates()
		t.Logf("%s: precision %.3f, recall %.3f, without false facts %.3f; good marked %d of %d", half.name, precision, recall, formal, m.marked[corpus.Good], m.all[corpus.Good])
		for _, kind := range corpus.Kinds {
			t.Logf("  %-10s %d of %d", kind, m.marked[kind], m.all[kind])
		}
		if precision < half.precision || formal < half.formal {
			t.Errorf("%s: precision %.3f, recall without false facts %.3f", half.name, precision, formal)
		}
	}
}
