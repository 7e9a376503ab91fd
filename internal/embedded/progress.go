package embedded

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	terminalEvery = time.Second
	fileEvery     = 10 * time.Second
)

// showProgress repeatedly prints the current work and its duration: on a terminal in one line, else in lines further
// apart. detail may be nil. Call the returned function once at the end.
func showProgress(to io.Writer, what string, detail func() string) (stop func()) {
	if detail == nil {
		detail = func() string { return "" }
	}
	every, again, end := fileEvery, "", "\n"
	if isTerminal(to) {
		every, again, end = terminalEvery, "\r", ""
	}
	began := time.Now()
	show := func(end string) {
		_, _ = fmt.Fprintf(to, "%s%s … %s%.0f s%s", again, what, detail(), time.Since(began).Seconds(), end)
	}
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		show(end)
		for {
			select {
			case <-done:
				show("\n")
				return
			case <-ticker.C:
				show(end)
			}
		}
	})
	return func() { close(done); running.Wait() }
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
