package guard

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a caller's statement.
const (
	maxText   = 8 << 10 // bytes
	maxTokens = 2000
	maxDepth  = 32 // nested brackets, subqueries and operators
)

// A Refusal says why a caller's statement is not run, and what to write instead. It depends on the text alone, never on
// stored data.
type Refusal struct {
	Offset  int // of the first byte in question
	Line    int // from 1
	Column  int // in characters, from 1
	Message string
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", r.Line, r.Column, r.Message)
}

type tokenKind uint8

const (
	endToken    tokenKind = iota
	nameToken             // an unquoted name or a keyword
	quotedToken           // a name in backticks
	stringToken
	intToken
	floatToken
	paramToken
	signToken // an operator or a bracket
)

// token is a lexical token. Its text is its meaning: a string without quotes and escapes.
type token struct {
	kind  tokenKind
	text  string
	start int // offsets of its first byte, and of the byte after its last
	end   int
	num   int64
	float float64
	match int // of a bracket: the index of its partner
}

// signs holds the operators, longest first.
var signs = []string{
	"<-->", "<--", "-->", "<-", "->", "--", "<=", ">=", "<>", "=~", "==", "..", "::", "!=", "||",
	"(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "+", "-", "*", "/", "%", "^", "=", "<", ">", "|", "&", "!",
}

var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

type lexer struct {
	text   string
	at     int
	tokens []token
	open   []int // brackets not closed yet
}

// refuse returns the refusal of the text at an offset.
func refuse(text string, offset int, format string, args ...any) *Refusal {
	before := text[:min(offset, len(text))]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return &Refusal{Offset: offset, Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

func (l *lexer) refuse(offset int, format string, args ...any) *Refusal {
	return refuse(l.text, offset, format, args...)
}

// lex splits a text into tokens, ended by an end token. Brackets refer to their partners.
func lex(text string) ([]token, *Refusal) {
	if len(text) > maxText {
		return nil, refuse(text, maxText, "the statement has %d bytes; at most %d are allowed. Ask for less at once", len(text), maxText)
	}
	l := &lexer{text: text}
	if i := badByte(text, true); i >= 0 {
		return nil, l.invisible(i)
	}
	for {
		if r := l.space(); r != nil {
			return nil, r
		}
		if l.at == len(text) {
			break
		}
		start := l.at
		t, r := l.next()
		if r != nil {
			return nil, r
		}
		if t.start, t.end = start, l.at; t.kind != stringToken {
			if i := badByte(text[start:l.at], false); i >= 0 {
				return nil, l.invisible(start + i)
			}
		}
		if r := l.bracket(&t); r != nil {
			return nil, r
		}
		if l.tokens = append(l.tokens, t); len(l.tokens) > maxTokens {
			return nil, l.refuse(start, "the statement has more than %d words and signs. Ask for less at once", maxTokens)
		}
	}
	if len(l.open) > 0 {
		t := l.tokens[l.open[len(l.open)-1]]
		return nil, l.refuse(t.start, "%s is never closed", t.text)
	}
	return append(l.tokens, token{kind: endToken, start: len(text), end: len(text)}), nil
}

func (l *lexer) invisible(at int) *Refusal {
	return l.refuse(at, "control characters, invisible characters and invalid UTF-8 are not allowed. Write plain text")
}

// badByte returns the offset of the first character that no statement needs and readers do not see, or -1. Strings may
// have the joiners of scripts and emoji.
func badByte(text string, withTexts bool) int {
	for i, c := range text {
		switch {
		case c >= ' ' && c < 0x7f, c == '\n' || c == '\r' || c == '\t':
		case c == utf8.RuneError, c == '\ufeff', unicode.IsControl(c):
			return i
		case withTexts:
		case unicode.In(c, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp), unicode.Is(unicode.Zs, c) && c != ' ':
			return i
		}
	}
	return -1
}

// space skips white space and comments.
func (l *lexer) space() *Refusal {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		switch {
		case rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\r' || rest[0] == '\t':
			l.at++
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexAny(rest, "\n\r")
			if end < 0 {
				end = len(rest)
			}
			if r := l.comment(end); r != nil {
				return r
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return l.refuse(l.at, "the comment never ends: write */ after it")
			}
			if r := l.comment(2 + end + 2); r != nil {
				return r
			}
		default:
			return nil
		}
	}
	return nil
}

// comment skips a comment with an opening of so many bytes. Neo4j decodes \u escapes first, so that one could end a
// comment there.
func (l *lexer) comment(size int) *Refusal {
	if i := strings.IndexByte(l.text[l.at:l.at+size], '\\'); i >= 0 {
		return l.refuse(l.at+i, `\ is not allowed in comments. Leave it out`)
	}
	if i := badByte(l.text[l.at:l.at+size], false); i >= 0 {
		return l.invisible(l.at + i)
	}
	l.at += size
	return nil
}

func (l *lexer) next() (token, *Refusal) {
	c, size := utf8.DecodeRuneInString(l.text[l.at:])
	switch {
	case c == '_' || unicode.IsLetter(c):
		return token{kind: nameToken, text: l.word()}, nil
	case c == '\'' || c == '"':
		return l.quoted(byte(c))
	case c == '`':
		return l.name()
	case c == '$':
		return l.parameter()
	case c >= '0' && c <= '9', c == '.' && l.at+1 < len(l.text) && isDigit(l.text[l.at+1]) && !l.afterValue():
		return l.number()
	}
	for _, sign := range signs {
		if strings.HasPrefix(l.text[l.at:], sign) {
			l.at += len(sign)
			return token{kind: signToken, text: sign}, nil
		}
	}
	switch {
	case c == '\\':
		return token{}, l.refuse(l.at, `\ is only allowed within strings`)
	case badByte(l.text[l.at:l.at+size], false) >= 0:
		return token{}, l.invisible(l.at)
	}
	return token{}, l.refuse(l.at, "%q is not a sign of Cypher", l.text[l.at:l.at+size])
}

// afterValue reports whether the last token can have a property: then a dot does not begin a number.
func (l *lexer) afterValue() bool {
	if len(l.tokens) == 0 {
		return false
	}
	t := l.tokens[len(l.tokens)-1]
	return t.end == l.at && (t.kind != signToken || t.text == ")" || t.text == "]" || t.text == "}" || t.text == "..")
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// word reads letters, digits, marks and underscores.
func (l *lexer) word() string {
	start := l.at
	for l.at < len(l.text) {
		if c := l.text[l.at]; c == '_' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			l.at++
			continue
		}
		c, size := utf8.DecodeRuneInString(l.text[l.at:])
		if c != '_' && !unicode.In(c, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc) {
			break
		}
		l.at += size
	}
	return l.text[start:l.at]
}

// name reads a name in backticks. A name with a backtick is refused: nothing in the graph has such a name.
func (l *lexer) name() (token, *Refusal) {
	start := l.at
	end := strings.IndexByte(l.text[start+1:], '`')
	if end < 0 {
		return token{}, l.refuse(start, "the name never ends: write ` after it")
	}
	text := l.text[start+1 : start+1+end]
	l.at = start + end + 2
	switch {
	case text == "":
		return token{}, l.refuse(start, "a name is empty")
	case strings.HasPrefix(l.text[l.at:], "`"):
		return token{}, l.refuse(l.at, "backticks within a name are not allowed. Choose a plain name")
	case strings.ContainsAny(text, "\\#@\n\r\t"), text[0] == ' ':
		return token{}, l.refuse(start, `\, #, @, line ends and a blank at the beginning are not allowed in a name. Choose a plain name`)
	}
	return token{kind: quotedToken, text: text}, nil
}

func (l *lexer) parameter() (token, *Refusal) {
	start := l.at
	l.at++
	text := ""
	if l.at < len(l.text) && l.text[l.at] == '`' {
		t, r := l.name()
		if r != nil {
			return token{}, r
		}
		text = t.text
	} else if text = l.word(); text == "" {
		return token{}, l.refuse(start, "$ needs the name of a parameter after it, as in $name")
	}
	return token{kind: paramToken, text: text}, nil
}

var escapes = map[byte]string{'\\': "\\", '\'': "'", '"': `"`, 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t"}

// quoted reads a string.
func (l *lexer) quoted(quote byte) (token, *Refusal) {
	start := l.at
	l.at++
	var text strings.Builder
	for l.at < len(l.text) {
		c := l.text[l.at]
		switch c {
		case quote:
			l.at++
			return token{kind: stringToken, text: text.String()}, nil
		case '\\':
			if r := l.escape(&text); r != nil {
				return token{}, r
			}
		default:
			text.WriteByte(c)
			l.at++
		}
	}
	return token{}, l.refuse(start, "the string never ends: write %c after it", quote)
}

func (l *lexer) escape(text *strings.Builder) *Refusal {
	start := l.at
	l.at++
	if l.at == len(l.text) {
		return l.refuse(start, `the string ends with \`)
	}
	c := l.text[l.at]
	l.at++
	if plain, ok := escapes[c]; ok {
		text.WriteString(plain)
		return nil
	}
	if c != 'u' {
		return l.refuse(start, `\%c is not an escape of Cypher. Write \\ for a backslash`, c)
	}
	first, ok := l.unit()
	if !ok {
		return l.refuse(start, `\u needs four hexadecimal digits`)
	}
	if first >= 0xD800 && first < 0xE000 {
		if first < 0xDC00 && strings.HasPrefix(l.text[l.at:], `\u`) {
			l.at += 2
			if second, ok := l.unit(); ok && second >= 0xDC00 && second < 0xE000 {
				text.WriteRune((first-0xD800)<<10 + (second - 0xDC00) + 0x10000)
				return nil
			}
		}
		return l.refuse(start, `\u escapes half a character`)
	}
	text.WriteRune(first)
	return nil
}

// unit reads four hexadecimal digits.
func (l *lexer) unit() (rune, bool) {
	if l.at+4 > len(l.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(l.text[l.at:l.at+4], 16, 16)
	l.at += 4
	return rune(n), err == nil
}

// number reads a number without a sign.
func (l *lexer) number() (token, *Refusal) {
	start := l.at
	for l.at < len(l.text) {
		c := l.text[l.at]
		switch {
		case isDigit(c), c == '_', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			l.at++
		case c == '.' && l.at+1 < len(l.text) && isDigit(l.text[l.at+1]) && !strings.Contains(l.text[start:l.at], "."):
			l.at++
		case (c == '-' || c == '+') && l.inExponent(start):
			l.at++
		default:
			return l.numberOf(start)
		}
	}
	return l.numberOf(start)
}

// inExponent reports whether a sign belongs to the number that began at start: its last letter is the e of an exponent.
func (l *lexer) inExponent(start int) bool {
	text := l.text[start:l.at]
	last := text[len(text)-1]
	return (last == 'e' || last == 'E') && !strings.HasPrefix(text, "0x") && l.at+1 < len(l.text) && isDigit(l.text[l.at+1])
}

func (l *lexer) numberOf(start int) (token, *Refusal) {
	text := l.text[start:l.at]
	if n, err := strconv.ParseInt(text, 0, 64); err == nil && (len(text) == 1 || text[0] != '0' || text[1] == 'x' || text[1] == 'o') {
		return token{kind: intToken, num: n}, nil
	} else if err != nil && strings.Contains(err.Error(), "out of range") {
		return token{}, l.refuse(start, "the number does not fit into 64 bits")
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && strings.Contains(err.Error(), "out of range") || math.IsInf(f, 0) {
		return token{}, l.refuse(start, "the number does not fit into 64 bits")
	}
	if err != nil || strings.ContainsAny(text, "_xXpPn") || !strings.ContainsAny(text, ".eE") {
		return token{}, l.refuse(start, "this is no number of Cypher. Write 42, 4.2, 4.2e1 or 0x2A")
	}
	return token{kind: floatToken, float: f}, nil
}

// bracket matches brackets.
func (l *lexer) bracket(t *token) *Refusal {
	if t.kind != signToken {
		return nil
	}
	if closing[t.text] != "" {
		if l.open = append(l.open, len(l.tokens)); len(l.open) > maxDepth {
			return l.refuse(t.start, "there are more than %d brackets within each other. Split the statement with WITH", maxDepth)
		}
		return nil
	}
	if t.text != ")" && t.text != "]" && t.text != "}" {
		return nil
	}
	if len(l.open) == 0 {
		return l.refuse(t.start, "%s closes nothing", t.text)
	}
	other := l.open[len(l.open)-1]
	if closing[l.tokens[other].text] != t.text {
		return l.refuse(t.start, "%s does not close %s", t.text, l.tokens[other].text)
	}
	l.open = l.open[:len(l.open)-1]
	l.tokens[other].match = len(l.tokens)
	t.match = other
	return nil
}
