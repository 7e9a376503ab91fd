package llm

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzTokenizer(f *testing.F) {
	for _, text := range []string{tokenizerJSON, "{", strings.Replace(tokenizerJSON, `"vocab":{`, `"max_input_chars_per_word":9,"vocab":{"a":1,"##b":2,`, 1)} {
		f.Add(text, "ab, Éa\u0301日 [UNK]\xff")
	}
	f.Fuzz(func(t *testing.T, file, text string) {
		w, err := newWordPiece([]byte(file))
		if err != nil {
			return
		}
		for _, id := range w.tokens(nil, text) {
			if id < 0 || int(id) > w.highest {
				t.Fatalf("token %d, the highest is %d", id, w.highest)
			}
		}
	})
}

func FuzzTokens(f *testing.F) {
	e := openFolder(f, "testdata/odd")
	texts, _ := golden(f, "testdata/odd")
	f.Add("boat\xff\xffrain")
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids := e.tokenizer.tokens(nil, text)
		if len(ids) > len(text) {
			t.Errorf("%d tokens of %d bytes", len(ids), len(text))
		}
		for _, id := range ids {
			if id < 0 || int(id) > e.tokenizer.highest {
				t.Errorf("token %d, the highest is %d", id, e.tokenizer.highest)
			}
		}
	})
}

func FuzzBertWords(f *testing.F) {
	f.Add("it's 5-6, isn't it?\u3000é\xff")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\ufffd")
		var words strings.Builder
		eachWord(text, func(word string) {
			if word == "" || !utf8.ValidString(word) {
				t.Errorf("word %q", word)
			}
			words.WriteString(word)
		})
		if got, want := words.String(), strings.Join(strings.Fields(text), ""); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
