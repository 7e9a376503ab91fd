// Package terminal prints the results and the progress of commands. What it prints cannot control a terminal, whatever
// is stored.
package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"text/tabwriter"
	"unicode"

	"kith/text/markup"
)

// Paint styles text for a terminal. The zero Paint returns text without styles.
type Paint struct{ on bool }

// NewPaint returns a Paint that styles text if out is a terminal and noColor is empty.
func NewPaint(out io.Writer, noColor string) Paint { return Paint{IsTerminal(out) && noColor == ""} }

// IsTerminal reports whether out is a terminal.
func IsTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p Paint) as(code, text string) string {
	if !p.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold returns text in bold.
func (p Paint) Bold(text string) string { return p.as("1", text) }

// Good returns text in green.
func (p Paint) Good(text string) string { return p.as("32", text) }

// Wrong returns text in red.
func (p Paint) Wrong(text string) string { return p.as("31", text) }

var (
	boldText  = regexp.MustCompile(`\*\*(.+?)\*\*`)
	asideText = regexp.MustCompile(`^_(.+)_$`)
)

// Markdown renders the Markdown that Kith writes: headings and names are bold, asides dim. It replaces control characters
// of stored texts, also for files, which may be shown on a terminal later.
func (p Paint) Markdown(text string) string {
	if text = Visible(text); !p.on {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "#"):
			line = p.Bold(strings.TrimLeft(line, "# "))
		case asideText.MatchString(line):
			line = p.as("2", line[1:len(line)-1])
		default:
			line = boldText.ReplaceAllString(line, p.Bold("$1"))
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// Visible returns a text of several lines with control characters replaced by dots and without invisible characters.
func Visible(text string) string {
	return markup.Lines(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u2028' || r == '\u2029' {
			return '·'
		}
		return r
	}, text))
}

// PrintJSON prints a value as indented JSON.
func PrintJSON(out io.Writer, v any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(out, markup.Document(text.String()))
	return err
}

// PrintLine prints a value as one line of JSON.
func PrintLine(out io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err == nil {
		_, err = io.WriteString(out, markup.Document(string(raw))+"\n")
	}
	return err
}

// PrintTable prints rows in columns. The first row holds the headings.
func PrintTable(out io.Writer, rows [][]string) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = markup.Plain(cell)
		}
		_, _ = fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}
