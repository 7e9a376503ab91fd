package main

import (
	"bytes"
	"time"

	"kith/exchange"
)

// exportWatch looks at an export as it goes by: how much it is, and whether it has its last line.
type exportWatch struct {
	alive        func()
	meter        *meter
	bytes, lines int64
	tail         []byte // of the last line, as far as it can be one that ends an export
	ended        bool   // with a newline
	end          exchange.End
}

const longestEnd = 4096 // bytes

// Write never fails.
func (w *exportWatch) Write(p []byte) (int, error) {
	w.alive()
	lines := int64(bytes.Count(p, []byte("\n")))
	w.bytes += int64(len(p))
	w.lines += lines
	w.keep(p)
	w.meter.add(int64(len(p)), lines, time.Now())
	return len(p), nil
}

func (w *exportWatch) keep(p []byte) {
	if len(p) == 0 {
		return
	}
	ended := bytes.HasSuffix(p, []byte("\n"))
	begin := bytes.LastIndexByte(bytes.TrimSuffix(p, []byte("\n")), '\n') + 1
	if begin > 0 || w.ended {
		w.tail = w.tail[:0]
	}
	p = p[begin:]
	w.tail = append(w.tail, p[:min(len(p), longestEnd+1-len(w.tail))]...)
	w.ended = ended
}

// complete says whether the last line is there, with its newline, and reads it.
func (w *exportWatch) complete() (ok bool) {
	if len(w.tail) > longestEnd || !w.ended {
		return false
	}
	w.end, ok = exchange.ParseEnd(w.tail)
	return ok
}
