package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"kith/markup"
)

// progress prints the progress of a command: on a terminal in one line that changes, otherwise in a line at intervals.
type progress struct {
	out      io.Writer
	terminal bool
	faults   int
}

const (
	maxShownFaults = 100 // faults that are printed; further ones are only counted
	clearLine      = "\r\x1b[K"
)

func newProgress(out io.Writer) *progress {
	return &progress{out: out, terminal: isTerminal(out)}
}

func (p *progress) fault(line int, message string) {
	p.faultAt(fmt.Sprintf("line %d", line), message)
}

func (p *progress) faultAt(where, message string) {
	if p.faults++; p.faults > maxShownFaults {
		return
	}
	p.line(where + ": " + message)
}

// line prints a permanent line.
func (p *progress) line(text string) {
	p.clear()
	_, _ = fmt.Fprintln(p.out, markup.Plain(text))
}

// show replaces the current line of a terminal.
func (p *progress) show(text string) {
	_, _ = fmt.Fprint(p.out, clearLine, text)
}

func (p *progress) clear() {
	if p.terminal {
		_, _ = fmt.Fprint(p.out, clearLine)
	}
}

func (p *progress) end() {
	p.clear()
	if more := p.faults - maxShownFaults; more > 0 {
		_, _ = fmt.Fprintf(p.out, "and %d more faults\n", more)
	}
}

// meter prints how many bytes or items were processed, and how fast.
type meter struct {
	*progress
	verb             string             // sent, received, stored lines:
	format           func(int64) string // formats a number
	total            int64              // 0: unknown
	done, lines      int64
	from             int64 // the part of done that the rate does not count
	begun, lastShown time.Time
}

const (
	terminalInterval = 100 * time.Millisecond
	lineInterval     = 10 * time.Second
	barWidth         = 30
)

func newMeter(p *progress, verb string, total int64) *meter {
	now := time.Now()
	return &meter{progress: p, verb: verb, format: formatBytes, total: total, begun: now, lastShown: now}
}

// newCounter returns a meter of items instead of bytes.
func newCounter(p *progress, verb string, total int) *meter {
	m := newMeter(p, verb, int64(total))
	m.format = func(n int64) string { return strconv.FormatInt(n, 10) }
	return m
}

func (m *meter) add(amount, lines int64, now time.Time) {
	m.done += amount
	m.lines += lines
	switch since := now.Sub(m.lastShown); {
	case m.terminal && (since >= terminalInterval || m.done == m.total):
		m.lastShown = now
		m.show(m.bar() + m.text(now))
	case !m.terminal && since >= lineInterval:
		m.lastShown = now
		m.line(m.text(now))
	}
}

func (m *meter) bar() string {
	if m.total == 0 {
		return ""
	}
	filled := int(barWidth * m.done / m.total)
	return fmt.Sprintf("[%s%s] ", strings.Repeat("=", filled), strings.Repeat(" ", barWidth-filled))
}

func (m *meter) text(now time.Time) string {
	text := m.verb + " " + m.format(m.done)
	if m.total > 0 {
		text += fmt.Sprintf(" of %s (%d %%)", m.format(m.total), 100*m.done/m.total)
	}
	if m.lines > 0 {
		text += fmt.Sprintf(", %d lines", m.lines)
	}
	if m.verb == "sent" && m.done == m.total {
		return text + "; waiting for the report"
	}
	if seconds := now.Sub(m.begun).Seconds(); seconds > 0.5 { // earlier rates are inaccurate
		text += fmt.Sprintf(", %s/s", m.format(int64(float64(m.done-m.from)/seconds)))
	}
	return text
}

func formatBytes(bytes int64) string {
	const unit = 1000
	switch {
	case bytes < unit:
		return fmt.Sprintf("%d B", bytes)
	case bytes < unit*unit:
		return fmt.Sprintf("%.1f kB", float64(bytes)/unit)
	case bytes < unit*unit*unit:
		return fmt.Sprintf("%.1f MB", float64(bytes)/unit/unit)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/unit/unit/unit)
}
