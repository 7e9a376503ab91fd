package recognise

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kith/text/steps"
)

// example is a sentence as the model sees it.
type example struct {
	features []uint32
	worth    float64 // 1: worth keeping; 0: not
	kind     int     // of modelKinds; -1: none
}

// grades are what the model learns for the grades of the corpus.
var grades = map[string]float64{"0": 0, "1": 0.3, "2": 1} //nolint:gochecknoglobals // a constant table

const whole = "=" // the stretch of a line that is all of it

// examplesOf returns the sentences of some lines.
func examplesOf(lines []graded, some func(line int) bool) (all []example) {
	for i, line := range lines {
		if some(i) {
			all = append(all, sentenceExamples(line.text, line.stretch, grades[line.grade], strings.Index(letters, line.kind))...)
		}
	}
	return all
}

// pairExamples returns what is said first in the pairs of the corpus, each once: it holds until something closes it.
func pairExamples(t *testing.T) (all []example) {
	t.Helper()
	for _, path := range corpusFiles(t) {
		if !strings.HasPrefix(filepath.Base(path), "pairs_") {
			continue
		}
		last := ""
		for _, line := range corpusLines(t, path, 3) {
			if line[0] != last {
				all = append(all, sentenceExamples(line[0], whole, 1, -1)...)
			}
			last = line[0]
		}
	}
	return all
}

// saidExamples returns the sentences of TestLanguages.
func saidExamples(t *testing.T) (all []example) {
	t.Helper()
	for _, line := range saidLines(t) {
		want, text, _ := strings.Cut(line, ": ")
		worth, kind := 1.0, strings.IndexByte("ipf", strings.TrimPrefix(want, "-")[0])
		switch {
		case want == "nothing":
			worth = 0
		case strings.HasPrefix(want, "plan"):
			kind = strings.Index(letters, "L")
		case kind < 0: // forget
			continue
		}
		all = append(all, sentenceExamples(text, whole, worth, kind)...)
	}
	return all
}

// saidLines returns the sentences of TestLanguages after what they must give.
func saidLines(t *testing.T) (lines []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/said/*.txt")
	if err != nil || len(files) != len(forms().languages)-1 { // English is in TestEnglish
		t.Fatal(files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file) //nolint:gosec // as listed
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(strings.TrimSpace(string(raw)), "\n")...)
	}
	return lines
}

// sentenceExamples returns the sentences of a text, of which those with the stretch have some worth and kind.
func sentenceExamples(text, stretch string, worth float64, kind int) (all []example) {
	c := steps.Begin(context.Background())
	at := strings.Index(text, stretch)
	found := sentences(c, text)
	for i := range found {
		m := &matcher{Counter: c, sentence: &found[i], text: text, steps: maxSteps}
		forms, ends := m.findForms()
		e := example{features: m.features(m.language(), forms, ends != nil), kind: -1}
		if tokens := m.tokens; stretch == whole || at >= 0 && at < tokens[len(tokens)-1].to && tokens[0].from < at+len(stretch) {
			e.worth, e.kind = worth, kind
		}
		all = append(all, e)
	}
	return all
}

// train returns the weights of the model for some examples: logistic regression with AdaGrad (Duchi, Hazan and Singer, 2011), the same for the
// same examples.
func train(all []example) []byte {
	const epochs, rate, decay = 10, 0.03, 0.002
	w, g := make([]float64, outputs*buckets), make([]float64, outputs*buckets) // weights, and sums of squared gradients
	learn := func(e *example, output int, target float64) {
		z := 0.0
		for _, f := range e.features {
			z += w[output*buckets+int(f)]
		}
		loss := 1/(1+math.Exp(-z)) - target
		for _, f := range e.features {
			i := output*buckets + int(f)
			gradient := loss + decay*w[i]
			g[i] += gradient * gradient
			w[i] -= rate * gradient / math.Sqrt(g[i]+1e-8)
		}
	}
	order := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same order each time
	for range epochs {
		for _, i := range order.Perm(len(all)) {
			e := &all[i]
			learn(e, 0, e.worth)
			if e.kind < 0 {
				continue
			}
			for k := range modelKinds {
				target := 0.0
				if k == e.kind {
					target = 1
				}
				learn(e, k+1, target)
			}
		}
	}
	raw := make([]byte, len(w))
	for i := range w {
		raw[i] = byte(int8(max(-127, min(127, math.Round(w[i]*weightScale))))) //nolint:gosec // bytes are signed weights
	}
	return raw
}
