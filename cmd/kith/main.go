// Command kith is a graph memory service for AI agents: the server, and the commands beside it.
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

// streams are where a command reads and writes: results go to out, all else to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}
