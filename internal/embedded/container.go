package embedded

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"time"
)

// container is a Neo4j in a Docker container.
type container struct {
	name    string
	process int           // of the container's main process, where the engine runs on this machine
	done    chan struct{} // closed when it has ended
}

// adoptContainer returns the container that s names when it runs, else nil.
func adoptContainer(ctx context.Context, s state) instance {
	in, err := watchContainer(ctx, s.Container)
	if err != nil {
		return nil
	}
	return in
}

// watchContainer watches a container that runs.
func watchContainer(ctx context.Context, name string) (instance, error) {
	pid, err := containerPID(ctx, name)
	if err != nil {
		return nil, err
	}
	if pid == 0 {
		return nil, fmt.Errorf("watch container %s: it does not run; its output ends:\n%s", name, containerOutput(name)) //nolint:contextcheck // wanted most when ctx is done
	}
	c := &container{name: name, process: pid, done: make(chan struct{})}
	go c.watch(context.WithoutCancel(ctx))
	return c, nil
}

// containerPID returns the process id of a container; 0 if it exists and does not run.
func containerPID(ctx context.Context, name string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, dockerTimeout)
	defer cancel()
	text, err := docker(ctx, nil, "inspect", "--type", "container", "--format", "{{.State.Pid}}", name)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// watch waits until the container has ended. `docker wait` also returns when the engine goes away, and is repeated as
// long as the container may run. It has its own process group, out of reach of Ctrl-C.
func (c *container) watch(ctx context.Context) {
	defer close(c.done)
	for {
		cmd := exec.Command("docker", "wait", c.name)
		cmd.Env, cmd.SysProcAttr = childEnviron(), ownGroup()
		_ = cmd.Run()
		if pid, err := containerPID(ctx, c.name); err != nil || pid != c.process {
			return
		}
		wait(ctx, time.Second)
	}
}

func (c *container) identify(s state) state {
	s.PID, s.Started, s.Container = 0, "", c.name
	return s
}

func (c *container) pid() int               { return c.process }
func (c *container) ended() <-chan struct{} { return c.done }
func (c *container) terminate() error       { return c.signal("TERM") }
func (c *container) kill() error            { return c.signal("KILL") }
func (c *container) output() string         { return containerOutput(c.name) }

func (c *container) signal(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), dockerTimeout)
	defer cancel()
	_, err := docker(ctx, nil, "kill", "--signal", name, c.name)
	return err
}

// containerOutput returns the end of what the container printed.
func containerOutput(name string) string {
	ctx, cancel := context.WithTimeout(context.Background(), dockerTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "docker", "logs", "--tail", strconv.Itoa(3*tailLines), name)
	cmd.Env = childEnviron()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return ""
	}
	return lastLines(string(out))
}
