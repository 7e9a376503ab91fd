package llm

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is an entry of added_tokens in tokenizer.json: a text that is one token wherever it stands. Whether it takes
// the white space beside it (lstrip, rstrip) makes no difference here, as white space is no token.
type addedToken struct {
	ID         int64  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // not within a word
	Normalized bool   `json:"normalized"`  // looked for in the normalized text
}

// addedTokens finds added tokens: the leftmost, of several there the longest. By their first byte, longest first.
type addedTokens [256][]addedToken

func (a *addedTokens) add(token addedToken) {
	if token.Content == "" {
		return
	}
	first := token.Content[0]
	a[first] = append(a[first], token)
	slices.SortStableFunc(a[first], func(x, y addedToken) int { return len(y.Content) - len(x.Content) })
}

// split calls text for what is between the tokens of s, and token for each of them, in order.
func (a *addedTokens) split(s string, text func(string), token func(id int64)) {
	begin := 0
	for i := 0; i < len(s); {
		t := a.at(s[i:])
		if t == nil {
			i++
			continue
		}
		start, stop := i, i+len(t.Content)
		i = stop
		if t.SingleWord && (wordEnds(s[:start]) || wordBegins(s[stop:])) {
			continue
		}
		if begin < start {
			text(s[begin:start])
		}
		token(t.ID)
		begin = stop
	}
	if begin < len(s) {
		text(s[begin:])
	}
}

func (a *addedTokens) at(s string) *addedToken {
	list := a[s[0]]
	for i := range list {
		if strings.HasPrefix(s, list[i].Content) {
			return &list[i]
		}
	}
	return nil
}

func wordEnds(s string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	return size > 0 && wordRune(r)
}

func wordBegins(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size > 0 && wordRune(r)
}

// wordRune is \w of Unicode's regular expressions (UTS 18, annex C).
func wordRune(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}
