package testenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// process is a server that is a child process.
type process struct {
	path string
	args []string
	dir  string
	ping func(context.Context) error

	// For a server with data on disk. A server without them is killed, and runs as this user.
	end  syscall.Signal      // requests the end
	user *syscall.Credential // user to run as
	kept string              // folder to remove with it

	child *os.Process   // nil while stopped
	ended chan struct{} // closed when it has ended
	log   logEnd
}

func (p *process) start(ctx context.Context) error {
	if p.child != nil {
		return errors.New("it runs already")
	}
	started := make(chan error)
	p.ended = make(chan struct{})
	go p.run(started, p.ended)
	if err := <-started; err != nil {
		return err
	}
	err := await(ctx, redisTimeout, func(ctx context.Context) error {
		select {
		case <-p.ended:
			return fmt.Errorf("it ended: %w", errHopeless)
		default:
			return p.ping(ctx)
		}
	})
	if err != nil {
		return errors.Join(fmt.Errorf("%w; its output ends: %s", err, p.log.String()), p.stop(ctx))
	}
	return nil
}

// run starts the child and waits for it. It keeps its thread, because the kernel ends the child with the thread that
// created it (see childAttributes), and the Go runtime ends idle threads.
func (p *process) run(started chan<- error, ended chan<- struct{}) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(ended)
	cmd := exec.Command(p.path, p.args...)
	cmd.Dir, cmd.SysProcAttr = p.dir, childAttributes(p.ending())
	cmd.SysProcAttr.Credential = p.user
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	p.child = cmd.Process
	started <- nil
	_ = cmd.Wait() // killed, or its log says why
}

// ending returns the signal that ends it. A server without data is killed, as a stopped process (SIGSTOP) handles no
// other signal.
func (p *process) ending() syscall.Signal {
	if p.end == 0 {
		return syscall.SIGKILL
	}
	return p.end
}

// stop ends the child.
func (p *process) stop(ctx context.Context) error {
	if p.child == nil {
		return nil
	}
	if err := p.child.Signal(p.ending()); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.ended:
		p.child = nil
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *process) close(ctx context.Context) error {
	err := p.stop(ctx)
	if p.kept == "" {
		return err
	}
	return errors.Join(err, os.RemoveAll(p.kept))
}

func (p *process) signal(s syscall.Signal) error {
	if p.child == nil {
		return errors.New("it does not run")
	}
	return p.child.Signal(s)
}

// logEnd keeps the end of a log.
type logEnd struct {
	mu  sync.Mutex
	buf []byte
}

func (l *logEnd) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = append(l.buf, b...)
	l.buf = bytes.Clone(l.buf[max(0, len(l.buf)-1000):])
	return len(b), nil
}

func (l *logEnd) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return oneLine(string(l.buf))
}
