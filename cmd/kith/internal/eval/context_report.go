package eval

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"kith/text/markup"
)

// looseAbove is the coverage by texts of other users, times 100, above which the rule says little about a set.
const looseAbove = 2.0

// print writes a table with the mean coverage of the set and of each category, the tokens of the contexts, and a check of the rule.
func (m *measurement) print(out io.Writer, name string) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprint(table, "SET\tN")
	for _, c := range m.columns {
		_, _ = fmt.Fprintf(table, "\t%s", strings.ToUpper(c.name))
	}
	_, _ = fmt.Fprintln(table, "\t")
	m.printRow(table, name, "")
	for _, category := range categories(m.questions) {
		m.printRow(table, category, category)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "tokens of the contexts: %s; questions without evidence: %d\n",
		strings.Join(m.spent, ", "), len(m.set.questions)-len(m.questions))
	if err != nil || len(m.foreign) == 0 {
		return err
	}
	return m.printForeign(out)
}

// printForeign writes the highest coverage by texts of other users.
func (m *measurement) printForeign(out io.Writer) error {
	highest := 0.0
	for _, c := range m.foreign {
		mean, _ := m.mean(c, "")
		highest = max(highest, mean)
	}
	note := ""
	if highest >= looseAbove {
		note = ": too much, the figures say little about this set"
	}
	_, err := fmt.Fprintf(out, "covered by texts of other users: at most %.1f%s\n", highest, note)
	return err
}

// printRow writes the mean coverage of the questions of a category; empty: all.
func (m *measurement) printRow(out io.Writer, name, category string) {
	_, n := m.mean(m.columns[0], category)
	_, _ = fmt.Fprintf(out, "%s\t%d", markup.Plain(name), n)
	for _, c := range m.columns {
		mean, _ := m.mean(c, category)
		_, _ = fmt.Fprintf(out, "\t%.1f", mean)
	}
	_, _ = fmt.Fprintln(out, "\t")
}

// mean returns the mean coverage times 100 of the questions of a category, and their number. Empty: all questions.
func (m *measurement) mean(c column, category string) (mean float64, n int) {
	for i, share := range c.shares {
		if category == "" || m.questions[i].Category == category {
			mean, n = mean+share, n+1
		}
	}
	return 100 * mean / float64(n), n
}

// writeRun writes the coverage of each question that has evidence, a line each.
func (m *measurement) writeRun(path string) error {
	type runLine struct {
		QID      string             `json:"qid"`
		Coverage map[string]float64 `json:"coverage"`
	}
	lines := make([]runLine, len(m.questions))
	for i := range lines {
		lines[i] = runLine{m.questions[i].QID, map[string]float64{}}
		for _, c := range m.columns {
			lines[i].Coverage[c.name] = c.shares[i]
		}
	}
	return writeLines(path, lines)
}
