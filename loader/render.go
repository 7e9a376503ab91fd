package loader

import "strings"

// Part is a part of the text of a context.
type Part string

// The parts of a text. LinePart is a line of a section.
const (
	TitlePart   Part = "title"
	OwnerPart   Part = "owner"
	HeadingPart Part = "heading"
	LinePart    Part = "line"
	NoticePart  Part = "notice"
	NowPart     Part = "now"

	ConversationPart Part = "conversation" // that is open
)

// piece is a part of a rendered text: its end in bytes, and the block and place of a line.
type piece struct {
	part       Part
	end        int
	block, row int
}

// render returns the context without the lines that are cut, and with a note on their number. Pieces that cover the text are added
// to pieces, if it is not nil.
func (t *textContext) render(cut []line, pieces *[]piece) string {
	gone, counts := map[[2]int]bool{}, make([]int, len(t.blocks))
	for _, l := range cut {
		gone[[2]int{l.block, l.place}] = true
		counts[l.block]++
	}
	var out strings.Builder
	write := func(part Part, block, row int, text string) {
		out.WriteString(text)
		if pieces != nil && text != "" {
			*pieces = append(*pieces, piece{part, out.Len(), block, row})
		}
	}
	title, owner := t.title+"\n\n", t.opening()[len(t.title)+2:]
	write(TitlePart, 0, 0, title)
	write(OwnerPart, 0, 0, owner)
	var parts []string
	for i := range t.blocks {
		b := &t.blocks[i]
		if counts[i] > 0 {
			parts = append(parts, b.counted(counts[i]))
		}
		if counts[i] == len(b.lines) {
			continue
		}
		write(HeadingPart, i, 0, heading(b.heading))
		for place, text := range b.lines {
			if !gone[[2]int{i, place}] {
				write(LinePart, i, place, item(text))
			}
		}
		out.WriteString("\n")
		if pieces != nil {
			(*pieces)[len(*pieces)-1].end++
		}
	}
	for _, note := range t.notes {
		write(NoticePart, 0, 0, note+"\n\n")
	}
	if len(parts) > 0 {
		write(NoticePart, 0, 0, cutNote(parts))
	}
	return out.String()
}

// opening returns the title and the description of the owner.
func (t *textContext) opening() string {
	if t.owner == "" {
		return t.title + "\n\n"
	}
	return t.title + "\n\n" + t.owner + "\n\n"
}

func heading(text string) string { return "## " + text + "\n\n" }

// item returns a line as an item of a list.
func item(text string) string { return "- " + text + "\n" }

// cutNote says how many lines are cut.
func cutNote(parts []string) string {
	if len(parts) > 0 {
		parts[0] = " " + parts[0]
	}
	return "_Left out to keep the token budget:" + strings.Join(parts, ", ") + "._\n\n"
}
