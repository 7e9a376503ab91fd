package recognise

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kith/text/steps"
)

// token is a word, a Chinese or Japanese character, or a punctuation mark of a text.
type token struct {
	word     string // in lower case, at most longestWord bytes; a mark as it is
	from, to int    // in bytes
	mark     bool
}

// sentence is a sentence of a text, as its tokens. Quoted words are not among them.
type sentence struct {
	tokens   []token
	question bool
}

const maxTokens = 400 // of a sentence; a longer one is cut into several

// sentences returns the sentences of what the author of a message says: without code, quoted mail and markup.
func sentences(c *steps.Counter, text string) []sentence {
	lower := lowered(text)
	var all []sentence
	fenced := false
	for from := 0; from < len(text); {
		to := len(text)
		if end := strings.IndexByte(text[from:], '\n'); end >= 0 {
			to = from + end
		}
		line := strings.TrimSpace(lower[from:to])
		if !c.Take(to - from + 1) {
			return nil
		}
		switch {
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			fenced = !fenced || strings.Count(line, "```") > 1
		case fenced || strings.HasPrefix(line, ">") || strings.HasPrefix(line, "|"):
		case forwarded(line):
			return all
		case !looksLikeCode(line):
			all = appendLine(c, all, text, lower, from, to)
		}
		from = to + 1
	}
	return all
}

// lowered returns the text in lower case, with every character at the same place.
func lowered(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for i, r := range text {
		l := unicode.ToLower(r)
		switch {
		case r == utf8.RuneError, utf8.RuneLen(l) != utf8.RuneLen(r):
			_, size := utf8.DecodeRuneInString(text[i:])
			b.WriteString(text[i : i+size])
		default:
			b.WriteRune(l)
		}
	}
	return b.String()
}

// forwarded reports whether a line, in lower case, begins a mail of somebody else.
func forwarded(l string) bool {
	for _, head := range mailHeads {
		if strings.HasPrefix(l, head) {
			return true
		}
	}
	for _, from := range []string{"from: ", "von: ", "de: ", "da: ", "van: ", "差出人: ", "发件人: ", "發件人: ", "寄件者: ", "发件人：", "寄件者：", "差出人："} {
		if strings.HasPrefix(l, from) && strings.Contains(l, "@") {
			return true
		}
	}
	if !strings.HasSuffix(l, ":") {
		return false
	}
	for _, begin := range mailBegins {
		if strings.HasPrefix(l, begin[0]) && strings.Contains(l, begin[1]) {
			return true
		}
	}
	return false
}

// mailHeads are lines before a mail; mailBegins how such a line begins that ends with a colon, and what else it has.
var (
	mailHeads = []string{
		"-----original message", "---------- forwarded message", "begin forwarded message", "-----ursprüngliche nachricht", "-------- original message",
		"-------- weitergeleitete nachricht", "-----message d'origine", "-----mensaje original", "---------- mensaje reenviado", "-----mensagem original",
		"---------- mensagem encaminhada", "-----oorspronkelijk bericht", "-----messaggio originale", "---------- messaggio inoltrato", "-----元のメッセージ",
		"-----原始邮件", "-----原始郵件",
	}
	mailBegins = [][2]string{
		{"on ", " wrote:"}, {"am ", " schrieb "}, {"le ", " a écrit"}, {"el ", " escribió:"}, {"em ", " escreveu:"}, {"op ", " schreef "}, {"il ", " ha scritto:"},
	}
)

// looksLikeCode reports whether a line has more signs of code and markup than words of a sentence would.
func looksLikeCode(line string) bool {
	if strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#include") || strings.HasPrefix(line, "<") {
		return true
	}
	signs := 0
	for i := range len(line) {
		switch line[i] {
		case '{', '}', ';', '=', '<', '>', '\\', '|', '[', ']', '_', '$', '`':
			signs++
		}
	}
	return signs > 2 && signs*12 > len(line)
}

// appendLine appends the sentences of a line.
func appendLine(c *steps.Counter, all []sentence, text, lower string, from, to int) []sentence {
	s := sentence{}
	unclosed := "" // signs of quotations that the rest of the line does not close
	end := func(question bool) {
		if len(s.tokens) > 0 {
			s.question = question
			all = append(all, s)
		}
		s = sentence{}
	}
	for at := from; at < to; {
		r, size := utf8.DecodeRuneInString(lower[at:])
		switch {
		case unicode.IsSpace(r):
			at += size
			continue
		case len(s.tokens) == 0 && strings.ContainsRune("-*•#–—", r): // a list item or a heading
			at += size
			continue
		case strings.ContainsRune("\"“„«»「『", r) && !strings.ContainsRune(unclosed, r):
			after := quoted(text, at, to, r)
			c.Take(max(after, at) - at)
			if after == 0 {
				c.Take(to - at)
				unclosed += string(r)
			} else if at > from+2 || after < to-2 {
				s.tokens = append(s.tokens, token{word: `"`, from: at, to: after, mark: true})
				at = after
				continue
			}
		}
		t := nextToken(lower, at, to)
		if !c.Take(t.to - at) {
			return nil
		}
		if t.word == "." && len(s.tokens) > 0 && s.tokens[len(s.tokens)-1].word[0] <= '9' && at+2 < to {
			next := nextToken(lower, at+2, to)
			c.Take(next.to - at)
			t.mark = !months[next.word]
		}
		s.tokens = append(s.tokens, t)
		at = t.to
		if t.mark && ends(lower, s.tokens, at, to) || len(s.tokens) == maxTokens {
			end(strings.ContainsAny(t.word, "?？"))
		}
	}
	end(false)
	return all
}

// closing has the signs that end a quotation, by the sign that begins it.
var closing = map[rune]string{'"': `"`, '“': "”", '„': "“”\"", '«': "»", '»': "«", '「': "」", '『': "』"}

// quoted returns the end of a quotation of more than a word; 0 if a sign begins none.
func quoted(text string, from, to int, sign rune) int {
	size := utf8.RuneLen(sign)
	i := strings.IndexAny(text[from+size:to], closing[sign])
	if i < 0 {
		return 0
	}
	_, last := utf8.DecodeRuneInString(text[from+size+i:])
	return from + size + i + last
}

func nextToken(lower string, from, to int) token {
	r, size := utf8.DecodeRuneInString(lower[from:])
	if strings.ContainsRune("'’", r) {
		for end := range contracted {
			if rest := lower[from+size : to]; strings.HasPrefix(rest, end) && !startsWord(rest[len(end):]) {
				return token{word: "'" + end, from: from, to: from + size + len(end)}
			}
		}
	}
	if !isWord(r) {
		return token{word: lower[from : from+size], from: from, to: from + size, mark: true}
	}
	at := from + size
	if !isCharacter(r) {
		for at < to {
			r, size := utf8.DecodeRuneInString(lower[at:])
			if !isWord(r) || isCharacter(r) {
				next, _ := utf8.DecodeRuneInString(lower[min(at+size, to):to])
				if !strings.ContainsRune("'’.", r) || !isWord(next) || isCharacter(next) {
					break
				}
			}
			at += size
		}
		if i := strings.LastIndexAny(lower[from:at], "'’"); i > 0 && contracted[strings.TrimLeft(lower[from+i:at], "'’")] {
			at = from + i
		}
	}
	return token{word: shortened(strings.ReplaceAll(lower[from:at], "’", "'")), from: from, to: at}
}

const longestWord = 96 // bytes; far more than the longest word of a form

// shortened returns a word as its beginning and end if it is too long for any form. Patterns compare words again and again.
func shortened(word string) string {
	if len(word) > longestWord {
		return word[:longestWord/2] + word[len(word)-longestWord/2:]
	}
	return word
}

// contracted has the ends of English words that are tokens of their own, after an apostrophe.
var contracted = map[string]bool{"m": true, "ve": true, "d": true, "ll": true, "re": true, "s": true}

// startsWord reports whether a text begins with a word.
func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isWord(r)
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// isCharacter reports whether a character is a token of its own: Chinese and Japanese have no blanks between words.
func isCharacter(r rune) bool {
	return r >= 0x2e80 && (unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r) || r == 'ー')
}

// short has words before a point that does not end a sentence
var short = map[string]bool{"e.g": true, "i.e": true, "mr": true, "mrs": true, "ms": true, "dr": true, "vs": true, "etc": true, "z.b": true, "st": true, "no": true, "approx": true, "sra": true, "sr": true, "bzw": true, "ca": true, "p.ex": true}

// months are the German ones, before which a number has a point.
var months = map[string]bool{
	"januar": true, "jänner": true, "februar": true, "märz": true, "april": true, "mai": true, "juni": true, "juli": true, "august": true,
	"september": true, "oktober": true, "november": true, "dezember": true,
}

// ends reports whether the last token ends the sentence.
func ends(lower string, tokens []token, at, to int) bool {
	t := tokens[len(tokens)-1]
	switch t.word {
	case "。", "！", "？", "｡":
		return true
	case "!", "?", "…":
	case ".":
		if len(tokens) > 1 && short[tokens[len(tokens)-2].word] {
			return false
		}
	default:
		return false
	}
	next, _ := utf8.DecodeRuneInString(lower[min(at, to):to])
	return at >= to || unicode.IsSpace(next) || strings.ContainsRune(`"')”»`, next)
}
