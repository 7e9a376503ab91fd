//go:build !linux

package embedded

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

const lstartWidth = len("Sat Nov 21 07:11:09 2026")

// inspect returns the identity of a process by ps. Without ps (Windows) it finds nothing, and no process is taken over.
func inspect(pid int) (identity, bool) {
	ps := exec.Command("ps", "-ww", "-o", "lstart=", "-o", "command=", "-p", strconv.Itoa(pid))
	ps.Env = append(os.Environ(), "LC_ALL=C")
	out, err := ps.Output()
	line := strings.TrimSpace(string(out))
	if err != nil || len(line) <= lstartWidth {
		return identity{}, false
	}
	return identity{started: line[:lstartWidth], command: strings.TrimSpace(line[lstartWidth:])}, true
}

// findOn is not implemented here: only the process in the state file is found again.
func findOn(string) (pid int, started string) { return 0, "" }
