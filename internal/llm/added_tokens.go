package llm

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is an entry of added_tokens in tokenizer.json: a text that is always one token. The options lstrip and
// rstrip for adjacent white space make no difference here, because white space is no token.
type addedToken struct {
	ID         int64  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // not within a word
	Normalized bool   `json:"normalized"`  // matched in the normalized text
}

// addedTokens finds added tokens: the leftmost, and of several there the longest. They are indexed by their first
// byte, the longest first.
type addedTokens [256][]addedToken

func (a *addedTokens) add(token addedToken) {
	if token.Content == "" {
		return
	}
	first := token.Content[0]
	a[first] = append(a[first], token)
	slices.SortStableFunc(a[first], func(x, y addedToken) int { return len(y.Content) - len(x.Content) })
}

// split calls token for each token of s and text for each part between them, in order.
func (a *addedTokens) split(s string, text func(string), token func(id int64)) {
	begin := 0
	for i := 0; i < len(s); {
		t := a.match(s[i:])
		if t == nil {
			i++
			continue
		}
		start, stop := i, i+len(t.Content)
		i = stop
		if t.SingleWord && (endsInWord(s[:start]) || beginsWithWord(s[stop:])) {
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

func (a *addedTokens) match(s string) *addedToken {
	list := a[s[0]]
	for i := range list {
		if strings.HasPrefix(s, list[i].Content) {
			return &list[i]
		}
	}
	return nil
}

func endsInWord(s string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	return size > 0 && isWordRune(r)
}

func beginsWithWord(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size > 0 && isWordRune(r)
}

// isWordRune reports whether r matches \w of Unicode's regular expressions (UTS 18, annex C).
func isWordRune(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}
