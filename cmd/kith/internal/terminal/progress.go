package terminal

import (
	"fmt"
	"io"
	"time"

	"kith/text/markup"
)

// Progress prints the progress of a command: on a terminal in one line that changes, otherwise in a line at intervals.
// It is not safe for concurrent use.
type Progress struct {
	Terminal bool // the output is a terminal
	Faults   int  // faults so far
	out      io.Writer
	updated  time.Time // time of the last Line or Update that was shown
}

const (
	maxShownFaults   = 100 // faults that are printed; further ones are only counted
	clearLine        = "\r\x1b[K"
	terminalInterval = 100 * time.Millisecond
	lineInterval     = 10 * time.Second
)

// NewProgress returns a Progress that writes to out.
func NewProgress(out io.Writer) *Progress {
	return &Progress{Terminal: IsTerminal(out), out: out, updated: time.Now()}
}

// Fault prints and counts a fault in a line of a file.
func (p *Progress) Fault(line int, message string) {
	p.FaultAt(fmt.Sprintf("line %d", line), message)
}

// FaultAt prints and counts a fault at a place.
func (p *Progress) FaultAt(where, message string) {
	if p.Faults++; p.Faults > maxShownFaults {
		return
	}
	p.Line(where + ": " + message)
}

// Line prints a permanent line.
func (p *Progress) Line(text string) {
	p.Clear()
	p.updated = time.Now()
	_, _ = fmt.Fprintln(p.out, markup.Plain(text))
}

// Show replaces the current line of a terminal.
func (p *Progress) Show(text string) {
	_, _ = fmt.Fprint(p.out, clearLine, text)
}

// Update shows a text that changes: on a terminal in the current line, at most ten times a second; otherwise in a line
// every ten seconds.
func (p *Progress) Update(text string) {
	switch since := time.Since(p.updated); {
	case p.Terminal && since >= terminalInterval:
		p.updated = time.Now()
		p.Show(text)
	case !p.Terminal && since >= lineInterval:
		p.Line(text)
	}
}

// Clear removes the current line of a terminal.
func (p *Progress) Clear() {
	if p.Terminal {
		_, _ = fmt.Fprint(p.out, clearLine)
	}
}

// End removes the current line of a terminal, and prints how many faults were not shown.
func (p *Progress) End() {
	p.Clear()
	if more := p.Faults - maxShownFaults; more > 0 {
		_, _ = fmt.Fprintf(p.out, "and %d more faults\n", more)
	}
}
