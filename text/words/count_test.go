package words

import (
	"strings"
	"testing"
	"time"

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

// The letters of a word are read once for each step of stemming, also the y, which is a vowel or not by the letter before it.
func TestLongWordsTakeNoTime(t *testing.T) {
	t.Parallel()
	began := time.Now()
	long := strings.Repeat("y", 1<<19)
	Stem(long)
	NewCounter([]string{"yy"}).Count(long, []float64{0})
	if took := time.Since(began); took > 20*time.Second { // of some milliseconds
		t.Errorf("%s", took)
	}
}

// Words are cut where the index cuts them, whatever else is in the text.
func TestLongWordsAreCutInAllTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("b", 2*maxLength)
	for _, text := range []string{long, "é " + long} {
		often := []float64{0}
		if NewCounter([]string{Stem(long[:maxLength])}).Count(text, often); often[0] != 1 {
			t.Errorf("%.4q: counted %v times", text, often[0])
		}
	}
}
