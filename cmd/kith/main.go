// Command kith is a graph memory service for AI agents: the server and its command-line tools.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"kith/cmd/kith/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command.Run(ctx, os.Args[1:], os.Environ(), command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}
