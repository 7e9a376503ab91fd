package testenv

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/testcontainers/testcontainers-go"
)

const redisImage = "redis:7-alpine"

// RedisServer is a Redis of one test, which may stop it. Its methods are called from the test's goroutine, and fail the
// test on errors.
type RedisServer struct {
	*pauser
	uri string
}

// StartRedis starts an empty Redis for this test alone, and stops it when the test ends.
func StartRedis(t testing.TB) *RedisServer {
	t.Helper()
	got, err := anyWay(t.Context(), "Redis", func(ctx context.Context) (source[string], error) {
		port, err := freePort()
		if err != nil {
			return source[string]{}, err
		}
		return redisContainer(ctx, port)
	}, redisProcess)
	if err != nil {
		t.Fatalf("testenv: %v", err)
	}
	return &RedisServer{newPauser(t, got.server), got.value}
}

// URI returns its address: redis://…, with password. It stays the same over Stop and Start.
func (s *RedisServer) URI() string { return s.uri }

// Stop kills it: when it returns, connections are refused, and all data are lost but those of the last SAVE. It resumes a
// paused one first.
func (s *RedisServer) Stop() {
	s.t.Helper()
	s.Resume()
	must(s.t, "stop Redis", stopTimeout, s.server.stop)
}

// Start restarts it after Stop, with the data of the last SAVE: when it returns, it answers.
func (s *RedisServer) Start() { s.t.Helper(); must(s.t, "start Redis", redisTimeout, s.server.start) }

// redisArgs returns the settings of every test Redis: it keeps nothing on disk by itself.
func redisArgs(password string) []string {
	return []string{"redis-server", "--save", "", "--appendonly", "no", "--requirepass", password}
}

func redisURI(address, password string) string { return "redis://:" + password + "@" + address + "/0" }

func redisContainer(ctx context.Context, hostPort int) (source[string], error) {
	password := rand.Text()
	ctr, address, err := runContainer(ctx, redisImage, 6379, hostPort, testcontainers.WithCmd(redisArgs(password)...))
	if err != nil {
		return source[string]{}, err
	}
	uri := redisURI(address, password)
	ctr.ping = func(ctx context.Context) error { return pingRedis(ctx, uri) }
	if err := ctr.ready(ctx); err != nil {
		return source[string]{}, err
	}
	return source[string]{uri, "container " + redisImage + " at redis://" + address, ctr}, nil
}

// redisProcess starts the redis-server on the PATH, in a folder of its own. It retries with another port, as another
// process may take a free one.
func redisProcess(ctx context.Context) (source[string], error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return source[string]{}, err
	}
	folder, err := os.MkdirTemp("", "kith-test-redis-")
	if err != nil {
		return source[string]{}, err
	}
	for range 3 {
		var port int
		if port, err = freePort(); err != nil {
			break
		}
		address, password := net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), rand.Text()
		uri := redisURI(address, password)
		p := &process{
			path: path, args: append(redisArgs(password)[1:], "--bind", "127.0.0.1", "--port", strconv.Itoa(port)), dir: folder, kept: folder,
			ping: func(ctx context.Context) error { return pingRedis(ctx, uri) },
		}
		if err = p.start(ctx); err == nil {
			return source[string]{uri, "redis-server at redis://" + address, p}, nil
		}
	}
	return source[string]{}, errors.Join(err, os.RemoveAll(folder))
}

// pingRedis returns nil if a Redis answers PING. It speaks the protocol itself, as a client would log its failures.
func pingRedis(ctx context.Context, uri string) error {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "redis" || u.Port() == "" {
		return fmt.Errorf("not of the form redis://[user][:password]@host:port: %w", errHopeless)
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return err
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline)
	send := "PING\r\n"
	password, auth := u.User.Password()
	if auth {
		send = strings.TrimSpace("AUTH "+u.User.Username()) + " " + password + "\r\n" + send
	}
	if _, err := conn.Write([]byte(send)); err != nil {
		return err
	}
	replies, want := bufio.NewReader(conn), []string{"+PONG"}
	if auth {
		want = []string{"+OK", "+PONG"}
	}
	for _, w := range want {
		reply, err := replies.ReadString('\n')
		if err != nil {
			return err
		}
		if reply = strings.TrimSpace(reply); reply != w {
			err := fmt.Errorf("it answers %q", reply)
			if strings.HasPrefix(reply, "-LOADING") {
				return err
			}
			return errors.Join(err, errHopeless)
		}
	}
	return nil
}

var (
	_ pausable = (*container)(nil)
	_ pausable = (*process)(nil)
	_ pausable = (*localNeo4j)(nil)
)

func (p *process) pause(context.Context) error  { return p.signal(syscall.SIGSTOP) }
func (p *process) resume(context.Context) error { return p.signal(syscall.SIGCONT) }
