// Command release packs built binaries into what people install: archives, Debian packages, wheels, npm packages, MCP bundles, a
// Helm chart, and an SBOM and checksums of it all. It publishes nothing. The same commit gives the same bytes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	number := flags.String("version", "", "version, such as 1.2.3 or 1.2.3-dev.456")
	commit := flags.String("commit", "", "commit that is packed")
	date := flags.String("date", "", "time of the commit (RFC 3339)")
	root := flags.String("root", ".", "folder of the repository")
	binaries := flags.String("binaries", "bin/release", "folder of the binaries kith-SYSTEM-ARCHITECTURE")
	completions := flags.String("completions", "bin/completions", "folder of the completions for shells")
	out := flags.String("out", "dist", "folder for the result, which must be empty or new")
	if err := flags.Parse(args); err != nil {
		return err
	}
	v, err := parseVersion(*number)
	if err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, *date)
	if err != nil {
		return fmt.Errorf("date: %w", err)
	}
	r := release{version: v, commit: *commit, date: at.UTC(), root: *root, binaries: *binaries, completions: *completions, out: *out}
	return r.pack(ctx)
}
