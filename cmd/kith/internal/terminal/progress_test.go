package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// An update appears ten times a second on a terminal, and otherwise as a line every ten seconds.
func TestUpdate(t *testing.T) {
	t.Parallel()
	for onTerminal, want := range map[bool]string{true: clearLine + "20" + clearLine + "40", false: "2000\n4000\n"} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			p := NewProgress(&out)
			p.Terminal = onTerminal
			step, steps := 5*time.Millisecond, 50
			if !onTerminal {
				steps = 5000
			}
			for i := range steps {
				p.Update(fmt.Sprint(i))
				time.Sleep(step)
			}
			if out.String() != want {
				t.Errorf("terminal %t: %q, want %q", onTerminal, out.String(), want)
			}
		})
	}
}

// Faults are counted, and printed up to a limit.
func TestFaults(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewProgress(&out)
	for line := range maxShownFaults + 2 {
		p.Fault(line, "is wrong")
	}
	p.End()
	if n := strings.Count(out.String(), "\n"); n != maxShownFaults+1 || p.Faults != maxShownFaults+2 || !strings.HasSuffix(out.String(), "\nand 2 more faults\n") {
		t.Errorf("%d lines, %d faults: %.99s", n, p.Faults, &out)
	}
}
