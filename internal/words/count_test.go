package words

import (
	"testing"

	"pgregory.net/rapid"
)

// Counter leaves words out by their first letters, without their stems.
func TestCounterCountsAllWordsWithTheStem(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zA-Z0-9éß]{1,4}(y|i|ies|ing|ed|s|e|ation|'s)?`).Draw(t, "word")
		tokens := Of(word)
		if len(tokens) != 1 {
			t.Skip()
		}
		stem := Stem(tokens[0])
		often := []float64{0, 0}
		if n := NewCounter([]string{"other", stem}).Count("first "+word+" last", often); often[1] != 1 || n != 3 {
			t.Errorf("%q with the stem %q: %v of %v words, want it once, of 3 words", word, stem, often, n)
		}
	})
}

func TestCountAllocatesNothing(t *testing.T) {
	var text any = "what the gardeners planted, planting and planted: gardens in the valley of the kings"
	c, often := NewCounter([]string{Stem("planted"), Stem("gardens"), Stem("valleys")}), make([]float64, 3)
	if n := testing.AllocsPerRun(100, func() { c.Count(text, often) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
