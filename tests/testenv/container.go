package testenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	dockercontainer "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
)

// anyPort makes the Docker engine choose the port on the host, anew at each start.
const anyPort = 0

// stopGrace is the time for a container to stop before it is killed.
const stopGrace = 10 * time.Second

var errNoDocker = errors.New("no Docker engine answers")

// container is a server in a container, with one port. It publishes on all addresses of the engine's host, as
// testcontainers does, because the engine may be another machine; so servers in it always have a password.
type container struct {
	testcontainers.Container
	ping func(context.Context) error
}

// runContainer starts a container, and returns it with the address (host:port) of its port.
func runContainer(ctx context.Context, image string, port uint16, hostPort int, options ...testcontainers.ContainerCustomizer) (*container, string, error) {
	if err := dockerAnswers(ctx); err != nil {
		return nil, "", err
	}
	exposed, ok := network.PortFrom(port, network.TCP)
	if !ok {
		return nil, "", fmt.Errorf("no such port: %d", port)
	}
	options = append(options,
		testcontainers.WithExposedPorts(exposed.String()),
		testcontainers.WithHostConfigModifier(func(c *dockercontainer.HostConfig) {
			c.PortBindings = network.PortMap{exposed: {{HostPort: strconv.Itoa(hostPort)}}}
		}))
	ctr, err := testcontainers.Run(ctx, image, options...)
	if err != nil {
		return nil, "", errors.Join(err, testcontainers.TerminateContainer(ctr))
	}
	address, err := ctr.PortEndpoint(ctx, exposed.String(), "")
	if err != nil {
		return nil, "", errors.Join(err, testcontainers.TerminateContainer(ctr))
	}
	return &container{Container: ctr}, address, nil
}

// ready waits until the server in the container answers. On failure the error has the end of the container's log, and
// the container is removed.
func (c *container) ready(ctx context.Context) error {
	err := await(ctx, startTimeout, func(ctx context.Context) error {
		if state, err := c.State(ctx); err == nil && !state.Running {
			return fmt.Errorf("the container exited with %d: %w", state.ExitCode, errHopeless)
		}
		return c.ping(ctx)
	})
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return errors.Join(fmt.Errorf("%w; its log ends: %s", err, c.logEnd(ctx)), c.close(ctx))
}

func (c *container) logEnd(ctx context.Context) string {
	logs, err := c.Logs(ctx)
	if err != nil {
		return err.Error()
	}
	defer logs.Close()
	b, _ := io.ReadAll(io.LimitReader(logs, 1<<20))
	return oneLine(string(b[max(0, len(b)-1000):]))
}

func (c *container) start(ctx context.Context) error {
	if err := c.Start(ctx); err != nil {
		return err
	}
	return c.ready(ctx)
}

func (c *container) stop(ctx context.Context) error {
	grace := stopGrace
	return c.Stop(ctx, &grace)
}

func (c *container) close(ctx context.Context) error {
	return c.Terminate(ctx, testcontainers.StopTimeout(0))
}

func (c *container) pause(ctx context.Context) error {
	return withDocker(ctx, func(docker *testcontainers.DockerClient) error {
		_, err := docker.ContainerPause(ctx, c.GetContainerID(), client.ContainerPauseOptions{})
		return err
	})
}

func (c *container) resume(ctx context.Context) error {
	return withDocker(ctx, func(docker *testcontainers.DockerClient) error {
		_, err := docker.ContainerUnpause(ctx, c.GetContainerID(), client.ContainerUnpauseOptions{})
		return err
	})
}

// dockerAnswers returns nil if a Docker engine answers at once.
func dockerAnswers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	quiet()
	err := withDocker(ctx, func(docker *testcontainers.DockerClient) error {
		if _, err := docker.Ping(ctx, client.PingOptions{}); err != nil {
			return err
		}
		return nameHost(docker.DaemonHost())
	})
	if err != nil {
		return fmt.Errorf("%w: %s", errNoDocker, oneLine(err.Error()))
	}
	return nil
}

// quiet silences testcontainers' log of each step. Its logger is a package variable, and so is set once, before the
// first use.
var quiet = sync.OnceFunc(func() { log.SetDefault(log.NewNoopLogger()) })

// nameHost sets testcontainers' host to localhost when the engine has its bridge on this machine. Inside a container it
// would look for the bridge's gateway, which older engines name only from their second start on, and otherwise take the
// machine's gateway.
func nameHost(engine string) error {
	const override = "TESTCONTAINERS_HOST_OVERRIDE"
	if _, set := os.LookupEnv(override); set || !strings.HasPrefix(engine, "unix:") {
		return nil
	}
	if _, err := net.InterfaceByName("docker0"); err != nil {
		return nil //nolint:nilerr // another machine's engine, or another one's network: testcontainers finds out
	}
	return os.Setenv(override, "localhost")
}

func withDocker(ctx context.Context, do func(*testcontainers.DockerClient) error) error {
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(docker), docker.Close())
}

// freePort returns a free TCP port of the loopback interface. It is below the range for outgoing connections, so that
// none takes it while a server is down.
func freePort() (int, error) {
	const first, count = 30000, 2768
	for range 50 {
		port := first + rand.IntN(count)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("no free port found from %d to %d", first, first+count-1)
}
