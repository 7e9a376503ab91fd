package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// client is a client library with a build of its own.
type client struct {
	folder, description string   // the description says that there is one
	build               []string // a command of the shell, in the folder; $OUT is where packages go
}

var clients = []client{
	{"clients/python", "pyproject.toml", []string{"python3 -m pip wheel --quiet --no-deps --wheel-dir \"$OUT\" ."}},
	{"clients/typescript", "package.json", []string{
		"npm ci --ignore-scripts --no-audit --no-fund --loglevel=error", "npm run build --if-present", "npm pack --silent --pack-destination \"$OUT\"",
	}},
}

// writeClients builds the packages of the client libraries that are there.
func (r *release) writeClients(ctx context.Context) error {
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	for _, c := range clients {
		folder := filepath.Join(r.root, c.folder)
		if _, err := os.Stat(filepath.Join(folder, c.description)); err != nil {
			continue
		}
		for _, line := range c.build {
			command := exec.CommandContext(ctx, "sh", "-c", line) //nolint:gosec // our own
			command.Dir = folder
			command.Env = append(os.Environ(), "OUT="+out, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
			if said, err := command.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %s: %w\n%s", c.folder, line, err, said)
			}
		}
	}
	return nil
}
