// Command run starts one Neo4j, one Redis and one PostgreSQL, runs a command with the KITH_TEST_ variables that name
// them, and stops them again:
//
//	go run ./tests/testenv/run -- go test ./...
//
// With -neo4j it fetches that version of Neo4j and a Java for it, for itself and for the tests that start their own.
//
// It exits with the code of the command, 128 and the signal's number where one ended it, 125 where the command could not
// be run for want of a database. Signals are passed on to the command.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"kith/tests/testenv"
)

func main() { os.Exit(run(os.Args[1:])) }

// Exit codes of the runner's own failures, numbered like those of env(1) and docker(1).
const (
	exitUsage = 2
	exitOwn   = 125
)

func run(args []string) int {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	timeout := flags.Duration("timeout", 2*time.Hour, "end the command after so long")
	version := flags.String("neo4j", "", "`version` of Neo4j from Maven; empty: the one of the embedded Neo4j, or a container")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: run [-timeout d] [-neo4j version] -- command [argument...]")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return exitUsage
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)

	if *version != "" {
		if err := testenv.UseNeo4j(context.Background(), *version); err != nil {
			fmt.Fprintln(os.Stderr, "testenv:", err)
			return exitOwn
		}
	}
	var stack testenv.Stack
	code, err := withStack(&stack, signals, func() (int, error) { return command(flags.Args(), stack.Environ(), signals, *timeout) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "testenv:", err)
		if code == 0 {
			code = exitOwn
		}
	}
	return code
}

// withStack starts the stack, calls do, and stops the stack.
func withStack(stack *testenv.Stack, signals <-chan os.Signal, do func() (int, error)) (code int, err error) {
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err = errors.Join(err, stack.Close(ctx))
	}()
	if code, err := start(stack, signals); err != nil {
		return code, err
	}
	fmt.Fprintln(os.Stderr, "testenv:", stack)
	return do()
}

func start(stack *testenv.Stack, signals <-chan os.Signal) (int, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	started := make(chan error, 1)
	go func() { started <- stack.Start(ctx) }()
	select {
	case err := <-started:
		return exitOwn, err
	case s := <-signals:
		cancel()
		return exitCode(s), errors.Join(fmt.Errorf("%v while starting", s), <-started)
	}
}

func command(args, environ []string, signals <-chan os.Signal, timeout time.Duration) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), environ...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			_ = cmd.Process.Signal(s) // it may have ended already
		case err := <-ended:
			if ctx.Err() != nil {
				return 0, fmt.Errorf("the command did not end within %v: %w", timeout, ctx.Err())
			}
			return childCode(err)
		}
	}
}

// childCode returns the exit code of an ended command, or an error that is not the command's.
func childCode(err error) (int, error) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitCode(status.Signal()), nil
	}
	return exit.ExitCode(), nil
}

func exitCode(s os.Signal) int {
	if s, ok := s.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return 1
}
