package embedded

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Fields of /proc/PID/stat after the command's name, which stands in parentheses and may contain anything.
const (
	statState   = 0
	statStarted = 19 // field 22
)

// inspect returns the identity of a process. A zombie counts as dead.
func inspect(pid int) (identity, bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return identity{}, false
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) <= statStarted || fields[statState] == "Z" || fields[statState] == "X" {
		return identity{}, false
	}
	command, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	if err != nil {
		return identity{}, false
	}
	return identity{
		started: fields[statStarted],
		command: strings.ReplaceAll(strings.TrimRight(string(command), "\x00"), "\x00", " "),
	}, true
}

// findOn searches all processes for a Neo4j with the given home; 0 without one.
func findOn(home string) (pid int, started string) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, ""
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if id, alive := inspect(pid); alive && id.runsOn(home) {
			return pid, id.started
		}
	}
	return 0, ""
}
