package terminal

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	m := NewMeter(&Progress{out: &out, Terminal: true}, "sent", 2_000_000)
	m.Add(500, 1, m.begun.Add(time.Millisecond)) // too soon to be shown
	m.Add(999_500, 9, m.begun.Add(2*time.Second))
	m.Add(1_000_000, 10, m.begun.Add(2*time.Second))
	want := clearLine + "[===============               ] sent 1.0 MB of 2.0 MB (50 %), 10 lines, 500.0 kB/s" +
		clearLine + "[==============================] sent 2.0 MB of 2.0 MB (100 %), 20 lines; waiting for the report"
	if out.String() != want {
		t.Errorf("terminal: %q\nwant: %q", out.String(), want)
	}
	out.Reset()
	m = NewMeter(&Progress{out: &out}, "received", 0)
	for i := range 25 {
		m.Add(1_000_000_000, 0, m.begun.Add(time.Duration(i+1)*time.Second))
	}
	if want := "received 10.0 GB, 1.0 GB/s\nreceived 20.0 GB, 1.0 GB/s\n"; out.String() != want {
		t.Errorf("lines: %q\nwant: %q", out.String(), want)
	}
	if got := fmt.Sprint(FormatBytes(999), " ", FormatBytes(1000)); got != "999 B 1.0 kB" {
		t.Error(got)
	}
}

func TestCountersTellNumbers(t *testing.T) {
	t.Parallel()
	m := NewCounter(NewProgress(io.Discard), "asked", 8000)
	if m.done = 2000; m.Text(m.begun.Add(2*time.Second)) != "asked 2000 of 8000 (25 %), 1000/s" {
		t.Error(m.Text(m.begun.Add(2 * time.Second)))
	}
}

// The rate of a meter does not count what an earlier attempt did.
func TestMeterSet(t *testing.T) {
	t.Parallel()
	m := NewCounter(NewProgress(io.Discard), "stored lines:", 4000)
	m.Set(2000, m.begun)
	m.Set(3000, m.begun.Add(10*time.Second))
	if got := m.Text(m.begun.Add(10 * time.Second)); got != "stored lines: 3000 of 4000 (75 %), 100/s" {
		t.Error(got)
	}
}
