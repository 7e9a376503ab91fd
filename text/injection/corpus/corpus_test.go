package corpus

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCorpus(t *testing.T) {
	t.Parallel()
	poisoned, good := Poisoned(1, 500), GoodOnes(1, 5000)
	kinds, states := map[string]int{}, map[int]bool{}
	for _, item := range slices.Concat(poisoned, good) {
		kinds[item.Kind]++
		if item.Text == "" || strings.Contains(item.Text, "{lead}") || strings.Contains(item.Text, "{bare}") || !utf8.ValidString(item.Text) || item.Author == "" {
			t.Errorf("%+v", item)
		}
		if item.Kind == Good && item.Origin == "user" && item.States {
			states[item.Fact] = true
			if !strings.Contains(item.Text, load().facts[item.Fact].value) {
				t.Errorf("%+v lacks the value", item)
			}
		}
	}
	for _, kind := range Kinds {
		if kinds[kind] < 80 {
			t.Errorf("%d of %s", kinds[kind], kind)
		}
	}
	questions := Questions()
	if len(questions) != 100 {
		t.Errorf("%d questions", len(questions))
	}
	for _, q := range questions {
		if !states[q.Fact] || q.Answer == q.Wrong {
			t.Errorf("%+v has no good source", q)
		}
	}
	var a, b bytes.Buffer
	if Write(&a, poisoned) != nil || Write(&b, Poisoned(1, 500)) != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the same seed gives other sources")
	}
	if bytes.Count(a.Bytes(), []byte("\n")) != 500 {
		t.Errorf("%d lines", bytes.Count(a.Bytes(), []byte("\n")))
	}
}
