package main

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

	"kith/markup"
)

// access holds the flags of commands that read from a running Kith and print the response.
type access struct {
	URL     string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key     string `env:"KITH_KEY" required:"" help:"An API key with the scope read."`
	JSON    bool   `name:"json" help:"Print JSON."`
	NoColor string `env:"NO_COLOR" hidden:"" help:"Not empty: no colours."`
}

func (c *access) api() *apiClient { return newAPIClient(c.URL, c.Key) }

// paint styles text for a terminal. It returns text unchanged if the output is not a terminal.
type paint struct{ on bool }

func newPaint(out io.Writer, noColor string) paint { return paint{isTerminal(out) && noColor == ""} }

func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p paint) as(code, text string) string {
	if !p.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p paint) bold(text string) string  { return p.as("1", text) }
func (p paint) dim(text string) string   { return p.as("2", text) }
func (p paint) good(text string) string  { return p.as("32", text) }
func (p paint) wrong(text string) string { return p.as("31", text) }

var (
	boldText  = regexp.MustCompile(`\*\*(.+?)\*\*`)
	asideText = regexp.MustCompile(`^_(.+)_$`)
)

// markdown renders the Markdown that Kith writes: headings and names are bold, asides dim. It replaces control characters
// of stored texts, also for files, which may be shown on a terminal later.
func (p paint) markdown(text string) string {
	if text = visible(text); !p.on {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "#"):
			line = p.bold(strings.TrimLeft(line, "# "))
		case asideText.MatchString(line):
			line = p.dim(line[1 : len(line)-1])
		default:
			line = boldText.ReplaceAllString(line, p.bold("$1"))
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// visible returns a text of several lines with control characters replaced by dots and without invisible characters.
func visible(text string) string {
	return markup.Lines(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u2028' || r == '\u2029' {
			return '·'
		}
		return r
	}, text))
}

// printJSON prints a value as indented JSON.
func printJSON(out io.Writer, v any) error {
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

// printLine prints a value as one line of JSON.
func printLine(out io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err == nil {
		_, err = io.WriteString(out, markup.Document(string(raw))+"\n")
	}
	return err
}

// printTable prints rows in columns. The first row holds the headings.
func printTable(out io.Writer, rows [][]string) error {
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
