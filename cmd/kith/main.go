// Command kith is a graph memory service for AI agents: the server and its command-line tools.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Environ(), streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// streams holds the standard streams of a command. Results go to out, everything else to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}
