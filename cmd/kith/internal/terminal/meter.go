package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Meter prints how many bytes or items were processed, and how fast.
type Meter struct {
	progress         *Progress
	verb             string             // sent, received, stored lines:
	format           func(int64) string // formats a number
	total            int64              // 0: unknown
	done, lines      int64
	from             int64 // the part of done that the rate does not count
	begun, lastShown time.Time
}

const barWidth = 30

// NewMeter returns a meter of bytes. The verb says what is done with them: sent, received. The total may be 0: unknown.
func NewMeter(p *Progress, verb string, total int64) *Meter {
	now := time.Now()
	return &Meter{progress: p, verb: verb, format: FormatBytes, total: total, begun: now, lastShown: now}
}

// NewCounter returns a meter of items instead of bytes.
func NewCounter(p *Progress, verb string, total int) *Meter {
	m := NewMeter(p, verb, int64(total))
	m.format = func(n int64) string { return strconv.FormatInt(n, 10) }
	return m
}

// Done returns how many bytes or items were processed.
func (m *Meter) Done() int64 { return m.done }

// Add adds bytes or items, and the lines in them, and shows the sum if it is time to.
func (m *Meter) Add(amount, lines int64, now time.Time) {
	m.done += amount
	m.lines += lines
	switch since := now.Sub(m.lastShown); {
	case m.progress.Terminal && (since >= terminalInterval || m.done == m.total):
		m.lastShown = now
		m.progress.Show(m.bar() + m.Text(now))
	case !m.progress.Terminal && since >= lineInterval:
		m.lastShown = now
		m.progress.Line(m.Text(now))
	}
}

// Set sets what was processed to done, and shows it if it is time to. The rate does not count what was processed at the
// first call, as an earlier attempt may have done that.
func (m *Meter) Set(done int64, now time.Time) {
	if m.done == 0 {
		m.from, m.begun = done, now
	}
	m.Add(done-m.done, 0, now)
}

func (m *Meter) bar() string {
	if m.total == 0 {
		return ""
	}
	filled := int(barWidth * m.done / m.total)
	return fmt.Sprintf("[%s%s] ", strings.Repeat("=", filled), strings.Repeat(" ", barWidth-filled))
}

// Text returns what was processed, and the rate until now.
func (m *Meter) Text(now time.Time) string {
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

// FormatBytes formats a number of bytes with a unit.
func FormatBytes(bytes int64) string {
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
