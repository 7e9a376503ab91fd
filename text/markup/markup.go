// Package markup embeds stored texts into Kith's own lines for prompts and people, so that each stays in its place. No
// stored text begins a line, a list item or a table cell with markup of its own. No invisible character reaches a
// terminal or a model. The package knows nothing of what the texts mean.
//
// The places: Inline is within a line, Item begins a line or a list item, Name stands between two pairs of asterisks,
// Cell in a table, Quoted between quotation marks, Said between curly ones. Block takes its own lines. Indented stands in a list item and continues in its own lines under it.
// JSON is an object or a list of JSON within a line, Document a whole answer in JSON. Plain and Lines are for places
// without Markdown: a terminal, or a message that holds the text alone. Ordinary texts stay the same, except that
// blanks within a line become single ones.
package markup

import (
	"strings"

	"kith/text/clip"
)

// Inline returns s for a place within a line: one line with single blanks, without images and tags that a client might
// load.
func Inline(s string) string {
	if isInline(s) {
		return s
	}
	return defused(Plain(s))
}

// Item returns s for the beginning of a line or a list item: as Inline, and without the start of a heading, list,
// quote, table, fence, rule or speaker's line.
func Item(s string) string { return begun(Inline(s)) }

// Name returns s in bold: as Inline, with asterisks escaped where they could end the bold.
func Name(s string) string {
	s = Inline(s)
	if strings.Contains(s, "**") || strings.HasPrefix(s, "*") || strings.HasSuffix(s, "*") {
		s = escaped(s, func(s string, i int) bool { return s[i] == '*' })
	}
	return "**" + closed(s) + "**"
}

// Quoted returns s in quotation marks: as Inline, with quotation marks escaped.
func Quoted(s string) string {
	s = escaped(Inline(s), func(s string, i int) bool { return s[i] == '"' })
	return `"` + closed(s) + `"`
}

// Said returns what somebody said in curly quotation marks: as Inline, with single marks for whatever looks like one of these within it.
func Said(s string) string {
	s = Inline(s)
	if strings.ContainsAny(s, likeQuotes) {
		s = strings.Map(single, s)
	}
	for _, mark := range []string{"‘", "’"} { // two of them look like a double one
		for strings.Contains(s, mark+mark) {
			s = strings.ReplaceAll(s, mark+mark, mark)
		}
	}
	return "“" + closed(s) + "”"
}

// likeQuotes are the marks that look like curly quotation marks.
const (
	likeQuotes  = openQuotes + closeQuotes
	openQuotes  = "“„‟❝〝🙶"
	closeQuotes = "”❞❠〞〟＂″‶ʺˮ🙷🙸"
)

// single returns a single quotation mark for a double one.
func single(r rune) rune {
	switch {
	case strings.ContainsRune(openQuotes, r):
		return '‘'
	case strings.ContainsRune(closeQuotes, r):
		return '’'
	}
	return r
}

// closed returns a text without a backslash at its end that would escape what follows.
func closed(s string) string {
	if slashes(s, len(s))%2 == 1 {
		s += `\`
	}
	return s
}

// Cell returns s for a table's cell: as Inline, with bars escaped.
func Cell(s string) string {
	s = Inline(s)
	if strings.IndexByte(s, '|') < 0 {
		return s
	}
	return escaped(s, func(s string, i int) bool { return s[i] == '|' })
}

// Block returns s as several lines. Line ends stay, and each line begins as an Item does.
func Block(s string) string {
	lines := strings.Split(Lines(s), "\n")
	for i, line := range lines {
		text := strings.TrimLeft(line, " \t")
		blank := line[:len(line)-len(text)]
		lines[i] = blank + begun(defused(text))
	}
	return strings.Join(lines, "\n")
}

// Indented returns s as several lines, beginning within a list item. Further lines are those of a Block, indented by
// two blanks, so that none begins where a line of Kith does.
func Indented(s string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(Lines(s)), "\n")
	first = Inline(first)
	if !more {
		return first
	}
	lines := strings.Split(Block(rest), "\n")
	for i, line := range lines {
		if line = strings.TrimRight(line, " \t"); line != "" {
			lines[i] = "  " + line
		} else {
			lines[i] = ""
		}
	}
	return first + "\n" + strings.Join(lines, "\n")
}

// Plain returns s on one line without invisible characters: for terminals, tables and errors.
func Plain(s string) string {
	return strings.Join(strings.Fields(sifted(s, func(_ rune, c class) string {
		if c == hidden {
			return ""
		}
		return " "
	})), " ")
}

// Lines returns s without invisible characters, with line ends and tabs in their usual form.
func Lines(s string) string {
	if strings.Contains(s, "\r\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return sifted(s, func(r rune, c class) string {
		switch {
		case r == '\t':
			return "\t"
		case c == lineEnd:
			return "\n"
		case c == control:
			return " "
		}
		return ""
	})
}

// isInline reports whether s is ASCII that Inline returns unchanged.
func isInline(s string) bool {
	last := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == '<' || c == ' ' && last == ' ' || c == '[' && last == '!' {
			return false
		}
		last = c
	}
	return last != ' ' || s == ""
}

// defused returns a line without images and tags: "![" and the "<" of tags are escaped. Of the special tokens of models the "|" is
// escaped, so that none is left in one piece.
func defused(s string) string {
	if !strings.ContainsAny(s, "<[") {
		return s
	}
	return escaped(s, func(s string, i int) bool {
		return isTag(s, i) && s[i+1] != '|' || isImage(s, i) || s[i] == '|' && i > 0 && s[i-1] == '<'
	})
}

// isTag reports whether a tag, a comment or a model's special token may begin at a place: <b>, </b>, <!--, <?, <|.
func isTag(s string, i int) bool {
	if s[i] != '<' || i+1 == len(s) {
		return false
	}
	next := s[i+1] | 0x20 // a letter in lower case
	return next >= 'a' && next <= 'z' || strings.IndexByte("/!?|", s[i+1]) >= 0
}

func isImage(s string, i int) bool { return s[i] == '[' && i > 0 && s[i-1] == '!' }

// escaped puts a backslash before each picked byte that is not escaped yet.
func escaped(s string, picked func(s string, i int) bool) string {
	var out strings.Builder
	from := 0
	for i := range len(s) {
		if picked(s, i) && slashes(s, i)%2 == 0 {
			out.WriteString(s[from:i] + `\`)
			from = i
		}
	}
	return out.String() + s[from:]
}

// slashes counts the backslashes right before a place.
func slashes(s string, at int) int { return at - len(strings.TrimRight(s[:at], `\`)) }

// Truncate returns at most length characters of s, with "…" after them if s is longer.
func Truncate(s string, length int) string {
	short, cut := clip.Runes(s, length)
	if cut {
		return short + "…"
	}
	return short
}
