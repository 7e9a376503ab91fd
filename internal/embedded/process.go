package embedded

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const pollEvery = 100 * time.Millisecond

// identity distinguishes a process from a later one with the same pid.
type identity struct {
	started string // in the system's own form
	command string // the command line, arguments separated by spaces
}

// runsOn reports whether the process is our Neo4j with the given home.
func (i identity) runsOn(home string) bool {
	return strings.Contains(i.command, launcherClass) && strings.HasSuffix(i.command, " "+home)
}

// javaProcess is a Neo4j in a Java process: a child, or a process left by an earlier one.
type javaProcess struct {
	process *os.Process
	started string
	done    chan struct{} // closed when it has ended
	console string
}

// startProcess starts cmd, whose output already goes to the file console.
func startProcess(cmd *exec.Cmd, console string) (*javaProcess, error) {
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start java: %w", err)
	}
	id, _ := inspect(cmd.Process.Pid)
	p := &javaProcess{cmd.Process, id.started, make(chan struct{}), console}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // the console has the reason
	}()
	return p, nil
}

// adoptProcess returns the process that s names if it lives and is the Neo4j of the folder, else nil. An unrelated
// process with the same pid is left alone.
func adoptProcess(f folder, s state) instance {
	if s.PID <= 0 {
		return nil
	}
	process, err := os.FindProcess(s.PID) // before the look, so that a signal cannot reach a later one where the system has handles
	if err != nil {
		return nil
	}
	id, alive := inspect(s.PID)
	if !alive || !id.runsOn(f.home()) || id.started != s.Started {
		_ = process.Release()
		return nil
	}
	p := &javaProcess{process, id.started, make(chan struct{}), f.console()}
	go p.poll(s.PID)
	return p
}

// poll waits for a process that is not a child.
func (p *javaProcess) poll(pid int) {
	defer close(p.done)
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for range ticker.C {
		if id, alive := inspect(pid); !alive || id.started != p.started {
			return
		}
	}
}

func (p *javaProcess) identify(s state) state {
	s.PID, s.Started, s.Container = p.process.Pid, p.started, ""
	return s
}

func (p *javaProcess) pid() int               { return p.process.Pid }
func (p *javaProcess) ended() <-chan struct{} { return p.done }
func (p *javaProcess) output() string         { return tail(p.console) }
func (p *javaProcess) kill() error            { return p.process.Kill() }
func (p *javaProcess) terminate() error       { return p.process.Signal(syscall.SIGTERM) }
