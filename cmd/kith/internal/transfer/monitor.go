package transfer

import (
	"bytes"
	"time"

	"kith/cmd/kith/internal/terminal"
	"kith/exchange"
)

// exportMonitor counts the bytes and lines of an export that is written to it, and checks for its last line.
type exportMonitor struct {
	meter        *terminal.Meter
	bytes, lines int64
	tail         []byte // the last line, up to longestEnd+1 bytes
	ended        bool   // whether the last line has its newline
	end          exchange.End
}

const maxEndLine = 4096 // bytes

// Write counts p. It never fails.
func (w *exportMonitor) Write(p []byte) (int, error) {
	lines := int64(bytes.Count(p, []byte("\n")))
	w.bytes += int64(len(p))
	w.lines += lines
	w.keepTail(p)
	w.meter.Add(int64(len(p)), lines, time.Now())
	return len(p), nil
}

// keepTail keeps the last line that was begun.
func (w *exportMonitor) keepTail(p []byte) {
	if len(p) == 0 {
		return
	}
	ended := bytes.HasSuffix(p, []byte("\n"))
	begin := bytes.LastIndexByte(bytes.TrimSuffix(p, []byte("\n")), '\n') + 1
	if begin > 0 || w.ended {
		w.tail = w.tail[:0]
	}
	p = p[begin:]
	w.tail = append(w.tail, p[:min(len(p), maxEndLine+1-len(w.tail))]...)
	w.ended = ended
}

// parseEnd parses the line that ends an export, and reports whether it was complete.
func (w *exportMonitor) parseEnd() (ok bool) {
	if len(w.tail) > maxEndLine || !w.ended {
		return false
	}
	w.end, ok = exchange.ParseEnd(w.tail)
	return ok
}
