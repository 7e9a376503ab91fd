package injection

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// structure adds what is not a matter of words: turns, headings, addresses with data, and what people do not see.
func (s *scratch) structure() {
	s.markup()
	s.invisible()
	s.encoded()
	for from := 0; from < len(s.text) && !s.Stopped(); {
		to := len(s.text)
		if end := strings.IndexByte(s.text[from:], '\n'); end >= 0 {
			to = from + end
		}
		s.Take(to - from + 1)
		s.line(from, to)
		from = to + 1
	}
	s.lines.add(s)
	s.unseen = joined(s.unseen)
}

func (s *scratch) add(kind Kind, from, to int, weak bool) {
	if len(s.found) < maxFound {
		s.found = append(s.found, found{Mark: Mark{kind, from, to}, weak: weak})
	}
}

// hide records a part that people do not see.
func (s *scratch) hide(from, to int) {
	if len(s.unseen) < maxFound && from < to {
		s.unseen = append(s.unseen, span{from, to})
	}
}

// special are the signs by which models and their callers separate turns, in lower case. weak ones also stand in ordinary markup.
var special = []struct {
	text string
	kind Kind
	weak bool
}{
	{"<|", Turn, false}, {"[inst]", Turn, false}, {"[/inst]", Turn, false}, {"<<sys>>", Turn, false}, {"<</sys>>", Turn, false},
	{"<start_of_turn>", Turn, false}, {"<end_of_turn>", Turn, false}, {"<function_calls>", Turn, false}, {"<function_results>", Turn, false},
	{"<tool_call", Turn, false}, {"<tool_result", Turn, false}, {"<tool_output", Turn, false}, {"</tool_", Turn, false}, {"<tool_response", Turn, false},
	{"<system", Turn, false}, {"</system", Turn, false}, {"<assistant>", Turn, false}, {"</assistant>", Turn, false}, {"<developer>", Turn, false},
	{"</user_input>", Turn, false}, {"<user>", Turn, true}, {"</user>", Turn, true}, {"<instructions>", Turn, true}, {"</instructions>", Turn, true},
	{"<important>", Turn, true}, {"</document>", Context, true}, {"</documents>", Context, true}, {"</context>", Context, false}, {"<context>", Context, true},
	{"</memory>", Context, false}, {"</memories>", Context, false}, {"<memory>", Context, true},
}

// markup looks at tags, comments and images.
func (s *scratch) markup() {
	text, closed := s.text, 0 // closed: where the next comment ends
	for at := 0; at < len(text); {
		i := strings.IndexAny(text[at:], "<[")
		if i < 0 || !s.Take(i+len(special)) {
			return
		}
		i += at
		at = i + 1
		if kind, n, weak := specialAt(text[i:]); n > 0 {
			s.add(kind, i, i+n, weak || i > 0 && strings.IndexByte("`'\"", text[i-1]) >= 0)
			continue
		}
		switch {
		case text[i] == '[':
			if i > 0 && text[i-1] == '!' {
				s.image(i - 1)
			}
		case closed < len(text) && strings.HasPrefix(text[i:], "<!--"):
			if closed <= i {
				closed = s.find(i, len(text), "-->")
			}
			s.hide(i, closed)
		default:
			at = max(at, s.tag(i))
		}
	}
}

// find returns where a sign is in a part of the text; the end of the part without one.
func (s *scratch) find(from, to int, sign string) int {
	if n := strings.Index(s.text[from:to], sign); n >= 0 {
		to = from + n
	}
	s.Take(to - from)
	return to
}

// specialAt returns the sign at the beginning of a text, and its length; 0 without one.
func specialAt(text string) (Kind, int, bool) {
	for i := range special {
		sign := &special[i]
		if len(text) < len(sign.text) || !strings.EqualFold(text[:len(sign.text)], sign.text) {
			continue
		}
		n := len(sign.text)
		if sign.text == "<|" {
			end := strings.Index(text[:min(len(text), 40)], "|>")
			if end < 3 || strings.ContainsAny(text[2:end], " \n") {
				continue
			}
			n = end + 2
		} else if sign.text[n-1] != '>' && sign.text[n-1] != ']' { // the rest of a tag's name
			end := strings.IndexAny(text[n:min(len(text), n+60)], "> \n")
			if end < 0 || text[n+end] == '\n' || strings.HasPrefix(sign.text, "<system") && strings.ContainsAny(text[n:n+end], ".:/=") {
				continue
			}
			n += end
		}
		return sign.kind, n, sign.weak
	}
	return "", 0, false
}

// tag looks at a tag: an image that carries data, or the beginning of what is not shown. It returns where to read on.
func (s *scratch) tag(i int) int {
	text := s.text
	if i+1 == len(text) || !isLetter(text[i+1]) {
		return i + 1
	}
	window := text[i+1 : min(len(text), i+600)]
	end := strings.IndexAny(window, "<>")
	if end < 0 {
		s.Take(len(window))
		return i + 1
	}
	if s.Take(end); window[end] == '<' {
		return i + 1
	}
	end += i + 2
	inner := lowerASCII(text[i+1 : end-1])
	name, attributes, _ := strings.Cut(inner, " ")
	if name == "img" {
		if carries(attributes) {
			s.add(Exfiltrate, i, end, false)
		}
		if alt := strings.Index(attributes, "alt="); alt >= 0 {
			s.hide(i+1+len(name)+1+alt, end)
		}
		return end
	}
	if !hides(attributes) {
		return end
	}
	to := s.find(end, min(len(text), end+8192), "</"+text[i+1:i+1+len(name)])
	s.hide(end, to)
	s.nested(end, to)
	return to
}

// nested looks for signs of turns within what is not shown.
func (s *scratch) nested(from, to int) {
	s.Take(to - from)
	for at := from; at < to; at++ {
		if s.text[at] == '<' || s.text[at] == '[' {
			s.Take(len(special))
			if kind, n, weak := specialAt(s.text[at:to]); n > 0 {
				s.add(kind, at, at+n, weak)
			}
		}
	}
}

var withoutBlanks = strings.NewReplacer(" ", "", "\n", "", "\t", "") //nolint:gochecknoglobals // never changed

// hides reports whether a tag with some attributes has content that is not shown.
func hides(attributes string) bool {
	plain := withoutBlanks.Replace(attributes)
	for _, sign := range []string{"display:none", "visibility:hidden", "font-size:0", "font-size:1px", "opacity:0;", "opacity:0\"", "opacity:0'", "color:white", "color:#fff", "color:transparent",
		"text-indent:-9", "left:-9", "aria-hidden=\"true\"", "max-height:0", "height:0;"} {
		if strings.Contains(plain, sign) {
			return true
		}
	}
	return slices.Contains(strings.Fields(attributes), "hidden")
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r | 0x20
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// image looks at an image in Markdown.
func (s *scratch) image(i int) {
	window := s.text[i:min(len(s.text), i+800)]
	s.Take(len(window))
	if end := strings.IndexByte(window, '\n'); end >= 0 {
		window = window[:end]
	}
	_, address, found := strings.Cut(window, "](")
	if !found {
		return
	}
	address, _, closed := strings.Cut(address, ")")
	if closed && carries(address) {
		to := i + strings.Index(window, "](") + 2 + len(address) + 1
		s.add(Exfiltrate, i, to, false)
	}
}

// carries reports whether an address on another server has room for data: a placeholder among its parameters.
func carries(address string) bool {
	_, rest, found := strings.Cut(address, "//")
	if !found {
		return false
	}
	_, query, found := strings.Cut(rest, "?")
	_, value, has := strings.Cut(query, "=")
	if !found || !has {
		_, value, found = strings.Cut(rest, "/")
		return found && strings.ContainsAny(value, "{<")
	}
	return strings.ContainsAny(value, "{[<$") || strings.Contains(strings.ToLower(value), "%7b")
}

// isInvisible reports whether a character is not seen, wherever it stands.
func isInvisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x180e, r == 0xfeff, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	}
	return isTagCharacter(r) || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}

func isTagCharacter(r rune) bool { return r >= 0xe0000 && r <= 0xe007f }

const (
	overrideBegin, overrideOther, overrideEnd = '\u202e', '\u202d', '\u202c'
	flag                                      = '\U0001f3f4' // after which tag characters name a region
	longestFlag                               = 8
	leastEncoded                              = 8 // invisible characters in a row that may encode a text
)

// invisible looks for characters that are not seen. Some have a use in ordinary texts: joiners, soft hyphens, marks of direction.
func (s *scratch) invisible() {
	if isASCII(s.text) {
		return
	}
	last, before := rune(0), rune(0) // the last visible character; the one right before a run
	from, count, tags, first, kinds := 0, 0, 0, rune(0), false
	end := func(to int, next rune) {
		switch {
		case count == 0:
		case tags > 0 && (before != flag || tags > longestFlag), count >= leastEncoded && kinds:
			s.add(Hidden, from, to, false)
			s.hide(from, to)
		case isLatin(last) && isLatin(next) && first != 0xad && before == last:
			s.hide(from, to)
		}
		count, tags, kinds = 0, 0, false
	}
	for i := 0; i < len(s.text); {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if !s.Take(size) {
			return
		}
		if r == overrideBegin || r == overrideOther {
			to := i + s.override(i)
			s.add(Hidden, i, to, false)
			end(i, 0)
			i = max(to, i+size)
			last, before = 0, 0
			continue
		}
		if !isInvisible(r) {
			end(i, r)
			last, before = r, r
			i += size
			continue
		}
		if count == 0 {
			from, first = i, r
		}
		kinds = kinds || r != first
		if isTagCharacter(r) {
			tags++
		}
		count++
		i += size
	}
	end(len(s.text), 0)
}

// override returns the length of an override of the direction that begins at a byte: it ends with its line.
func (s *scratch) override(from int) int {
	n := strings.IndexAny(s.text[from:], string(overrideEnd)+"\n")
	if n < 0 {
		n = len(s.text) - from
	}
	s.Take(n)
	return n
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isLatin(r rune) bool { return unicode.Is(unicode.Latin, r) }

const (
	leastBase64 = 32
	mostBase64  = 64 << 10
)

// encoded looks for base64 that is a text with marks of its own.
func (s *scratch) encoded() {
	text := s.text
	for at := 0; at < len(text); at++ {
		if !isBase64(text[at]) {
			continue
		}
		from, line := at, at
		for at < len(text) && (isBase64(text[at]) || at-line >= 60 && at+1 < len(text) && text[at] == '\n' && isBase64(text[at+1])) {
			if text[at] == '\n' {
				line = at + 1
			}
			at++
		}
		if !s.Take(at - from) {
			return
		}
		if at-from >= leastBase64 && at-from <= mostBase64 && s.hidesMarks(text[from:at]) {
			for at < len(text) && text[at] == '=' {
				at++
			}
			s.add(Hidden, from, at, false)
		}
	}
}

func isBase64(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

// hidesMarks reports whether a text in base64 has marks.
func (s *scratch) hidesMarks(text string) bool {
	text = strings.NewReplacer("\n", "", "-", "+", "_", "/").Replace(text)
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	raw, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || !utf8.Valid(raw) {
		return false
	}
	plain := string(raw)
	if strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' }) {
		return false
	}
	return len(marks(s.Counter, plain, true)) > 0
}
