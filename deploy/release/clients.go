package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// client is a client library with a build of its own. It is built in a copy that has the release's version and licence.
type client struct {
	folder      string
	description string // file with the version; a folder without it is no client
	build       []string
}

// A build is commands of the shell, run in the client's folder of the copy. $OUT is where packages go, $TEMP a folder for this run.
var clients = []client{
	{"clients/python", "pyproject.toml", []string{
		"python3 -m venv \"$TEMP/python\"", "\"$TEMP/python/bin/pip\" install --quiet -r requirements/build.txt",
		"PYTHON=\"$TEMP/python/bin/python\" bash ../../deploy/python-package.sh \"$OUT\"",
	}},
	{"clients/typescript", "package.json", []string{
		"npm ci --ignore-scripts --no-audit --no-fund --loglevel=error", "npm pack --silent --pack-destination \"$OUT\"", // which builds it
	}},
}

// clientVersion finds the version in pyproject.toml and package.json: their only one at that indent.
var clientVersion = regexp.MustCompile(`(?m)^(version = |  "version": )"[^"]*"`)

// writeClients builds the packages of the client libraries that are there.
func (r *release) writeClients(ctx context.Context) error {
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "kith-clients-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	copied := filepath.Join(temp, "copy")
	for _, c := range clients {
		if _, err := os.Stat(filepath.Join(r.root, c.folder, c.description)); err != nil {
			continue
		}
		if err := r.copyClient(c, copied); err != nil {
			return err
		}
		for _, line := range c.build {
			command := exec.CommandContext(ctx, "sh", "-c", line) //nolint:gosec // our own
			command.Dir = filepath.Join(copied, c.folder)
			command.Env = append(os.Environ(), "OUT="+out, "TEMP="+temp, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
			if said, err := command.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %s: %w\n%s", c.folder, line, err, said)
			}
		}
	}
	return nil
}

// copyClient writes the client's files, with the version and the licence of the release, into a folder like the repository's root.
func (r *release) copyClient(c client, root string) error {
	files, err := r.tree("", c.folder, "deploy/python-package.sh")
	if err != nil {
		return err
	}
	for _, folder := range []string{"", c.folder + "/"} { // python-package.sh takes that of the root, npm that of the folder
		licences, err := r.licences(folder)
		if err != nil {
			return err
		}
		files = append(files, licences...)
	}
	for _, f := range files {
		if f.name == c.folder+"/"+c.description {
			if f.content, err = r.setVersion(c, f.content); err != nil {
				return err
			}
		}
		name := filepath.Join(root, f.name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // packages are public
			return err
		}
		if err := os.WriteFile(name, f.content, f.mode); err != nil {
			return err
		}
	}
	return nil
}

// setVersion returns the client's description with the version of the release.
func (r *release) setVersion(c client, description []byte) ([]byte, error) {
	number := r.version.semantic
	if filepath.Ext(c.description) == ".toml" {
		number = r.version.python
	}
	if found := len(clientVersion.FindAll(description, -1)); found != 1 {
		return nil, fmt.Errorf("%s/%s: %d versions, want 1", c.folder, c.description, found)
	}
	return clientVersion.ReplaceAll(description, fmt.Appendf(nil, `${1}"%s"`, number)), nil
}
