package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const (
	image         = "neo4j:5.26-community"
	dockerTimeout = 15 * time.Second // of a command that only queries
)

// dockerEngine runs Neo4j in a container.
type dockerEngine struct {
	folder folder
	heapMB int
	pageMB int

	checkpointIn string
}

// findDocker returns an engine when the docker on the PATH reaches one.
func findDocker(ctx context.Context, o Options, f folder) (engine, error) {
	ctx, cancel := context.WithTimeout(ctx, dockerTimeout)
	defer cancel()
	if _, err := docker(ctx, nil, "info", "--format", "{{.ServerVersion}}"); err != nil {
		return nil, ErrMissingDocker
	}
	return &dockerEngine{folder: f, heapMB: o.HeapMB, pageMB: o.PageCacheMB, checkpointIn: o.checkpointIn}, nil
}

// container returns the name of the folder's container, which is derived from its path.
func (e *dockerEngine) container() string { return "kith-neo4j-" + hash(string(e.folder)) }

func (e *dockerEngine) fingerprint() string { return hash(e.args(0)...) }

// start replaces the folder's container, if there is one, by a new one. The password goes through the environment.
func (e *dockerEngine) start(ctx context.Context, port int) (instance, error) {
	password, err := readPassword(e.folder)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(e.folder.data(), 0o700); err != nil {
		return nil, fmt.Errorf("start container: %w", err)
	}
	if err := e.removeLeftOver(ctx); err != nil {
		return nil, err
	}
	if _, err := docker(ctx, []string{"NEO4J_AUTH=" + user + "/" + password}, e.args(port)...); err != nil {
		return nil, fmt.Errorf("start container: %w", err)
	}
	return watchContainer(ctx, e.container())
}

// removeLeftOver removes a container that a crash left, after it has stopped in order.
func (e *dockerEngine) removeLeftOver(ctx context.Context) error {
	if in := adoptContainer(ctx, state{Container: e.container()}); in != nil {
		if err := end(ctx, in); err != nil {
			return fmt.Errorf("stop old container: %w", err)
		}
	}
	_, err := docker(ctx, nil, "rm", "--force", e.container())
	if err != nil && !strings.Contains(err.Error(), "No such container") {
		return fmt.Errorf("remove old container: %w", err)
	}
	return nil
}

// args returns the docker command that runs the container.
func (e *dockerEngine) args(port int) []string {
	args := []string{
		"run", "--detach", "--name", e.container(),
		"--publish", fmt.Sprintf("%s:%d:7687", host, port),
		"--volume", e.folder.data() + ":/data",
		"--env", "NEO4J_AUTH",
		"--env", "NEO4J_dbms_usage__report_enabled=false",
		"--env", "NEO4J_db_tx__log_preallocate=false",
		"--env", "NEO4J_db_logs_query_enabled=OFF",
		"--env", "NEO4J_db_tx__log_rotation_size=" + logSize,
		"--env", "NEO4J_db_tx__log_rotation_retention__policy=" + logsKept,
		"--env", "NEO4J_db_checkpoint_interval_time=" + e.checkpointIn,
		"--env", fmt.Sprintf("NEO4J_server_memory_heap_max__size=%dm", e.heapMB),
		"--env", fmt.Sprintf("NEO4J_db_memory_transaction_max=%dm", transactionMB(e.heapMB)),
		"--env", fmt.Sprintf("NEO4J_dbms_memory_transaction_total_max=%dm", transactionsMB(e.heapMB)),
		"--env", fmt.Sprintf("NEO4J_server_memory_query__cache_per__db__cache__num__entries=%d", keptPlans),
		"--env", fmt.Sprintf("NEO4J_server_memory_heap_initial__size=%dm", min(e.heapMB, firstHeapMB)),
		"--env", fmt.Sprintf("NEO4J_server_memory_pagecache_size=%dm", e.pageMB),
	}
	if uid := os.Getuid(); uid > 0 { // the user owns the files; as root the image chooses a user itself
		args = append(args, "--user", strconv.Itoa(uid)+":"+strconv.Itoa(os.Getgid()))
	}
	return append(args, image)
}

// docker runs a docker command with additional environment and returns its output.
func docker(ctx context.Context, environ []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "docker", args...)
	cmd.Env = append(childEnviron(), environ...)
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return "", fmt.Errorf("docker %s: %w", args[0], errors.Join(err, errors.New(lastLines(failed.String()))))
	}
	return strings.TrimSpace(out.String()), nil
}
