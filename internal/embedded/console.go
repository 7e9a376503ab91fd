package embedded

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

const (
	consoleLimit = 10 << 20 // bytes; a larger console log is rotated at the next start
	tailBytes    = 32 << 10
	tailLines    = 10
)

// stackFrame matches a line of a Java stack trace without a message.
var stackFrame = regexp.MustCompile(`^\s+(at |\.\.\. \d+ )`)

// openConsole opens the log for Java's output; the one before a rotation is kept beside it.
func openConsole(f folder) (*os.File, error) {
	if info, err := os.Stat(f.console()); err == nil && info.Size() > consoleLimit {
		if err := os.Rename(f.console(), f.console()+".1"); err != nil {
			return nil, fmt.Errorf("rotate console log: %w", err)
		}
	}
	file, err := os.OpenFile(f.console(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open console log: %w", err)
	}
	return file, nil
}

// tail returns the last lines of the file at path, without the frames of stack traces.
func tail(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.Size() > tailBytes {
		_, _ = file.Seek(-tailBytes, io.SeekEnd)
	}
	text, _ := io.ReadAll(file)
	return lastLines(string(text))
}

// lastLines returns the last few lines of text that have content.
func lastLines(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) != "" && !stackFrame.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-tailLines):], "\n")
}
