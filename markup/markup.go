// Package markup puts texts that somebody stored into Kith's own lines for prompts and people, so that each stays within its place. Of a
// stored text nothing begins a line, a list item or a table cell as something of Kith's own, and nothing reaches a terminal or a model that
// is not seen. It knows nothing of what the texts mean.
//
// The places: Inline is within a line, Item begins a line or a list item, Name stands between two pairs of asterisks, Cell in a table,
// Block takes lines of its own, Indented stands in a list item and goes on in lines of its own under it, JSON is an object or a list of JSON within a line, Document is all of an answer in JSON. Plain and Lines are for what is no Markdown: a terminal, or a message
// that holds the text alone. Normal texts come out as they went in, but for blanks, which are single ones within a line.
package markup

import "strings"

// Inline is a text within a line: one line with single blanks, without images and tags that a client might load.
func Inline(s string) string {
	if isInline(s) {
		return s
	}
	return defused(Plain(s))
}

// Item is a text that begins a line or a list item. It is as Inline has it, and no heading, list, quote, table, fence, rule or word of a speaker.
func Item(s string) string { return begun(Inline(s)) }

// Name is a text in bold: as Inline has it, and it cannot end the bold.
func Name(s string) string {
	s = Inline(s)
	if strings.Contains(s, "**") || strings.HasPrefix(s, "*") || strings.HasSuffix(s, "*") {
		s = escaped(s, func(s string, i int) bool { return s[i] == '*' })
	}
	if strings.HasSuffix(s, `\`) && slashes(s, len(s))%2 == 1 {
		s += `\`
	}
	return "**" + s + "**"
}

// Cell is a text in a table's cell: as Inline has it, and it cannot end the cell.
func Cell(s string) string {
	s = Inline(s)
	if strings.IndexByte(s, '|') < 0 {
		return s
	}
	return escaped(s, func(s string, i int) bool { return s[i] == '|' })
}

// Block is a text of several lines. Its line ends stay, and each line begins as an Item does.
func Block(s string) string {
	lines := strings.Split(Lines(s), "\n")
	for i, line := range lines {
		text := strings.TrimLeft(line, " \t")
		blank := line[:len(line)-len(text)]
		lines[i] = blank + begun(defused(text))
	}
	return strings.Join(lines, "\n")
}

// Indented is a text of several lines that begins within a list item. Its further lines are those of a Block, two blanks further in than
// the item, so that none of them begins where a line of Kith does.
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

// Plain is a text on one line, without what is not seen: for terminals, tables and faults.
func Plain(s string) string {
	return strings.Join(strings.Fields(sifted(s, func(_ rune, c class) string {
		if c == hidden {
			return ""
		}
		return " "
	})), " ")
}

// Lines is a text with its line ends and tabs, each of which is the usual one, without what is not seen.
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

// isInline says whether a text is ASCII that Inline leaves as it is.
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

// defused is a text of one line without images and tags: its "![" and "<" of tags are escaped.
func defused(s string) string {
	if !strings.ContainsAny(s, "<[") {
		return s
	}
	return escaped(s, func(s string, i int) bool { return isTag(s, i) || isImage(s, i) })
}

// isTag says whether a tag, a comment or a model's own mark may begin at a place: <b>, </b>, <!--, <?, <|.
func isTag(s string, i int) bool {
	if s[i] != '<' || i+1 == len(s) {
		return false
	}
	next := s[i+1] | 0x20 // a letter in lower case
	return next >= 'a' && next <= 'z' || strings.IndexByte("/!?|", s[i+1]) >= 0
}

func isImage(s string, i int) bool { return s[i] == '[' && i > 0 && s[i-1] == '!' }

// escaped has a backslash before each byte that is picked, unless there is one that counts.
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
