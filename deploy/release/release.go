package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Names under which packages are published. They must belong to whoever publishes.
const (
	packageName = "kith-server" // on PyPI and npm, where kith is another project
	npmScope    = "@kith"
	serverName  = "io.github.kith-memory/kith" // in the registry of MCP
	homepage    = "https://github.com/kith-memory/kith"
	summary     = "Kith, a graph memory service for AI agents"
	maintainer  = "The Kith authors"
)

// release is one version of Kith that is packed.
type release struct {
	version                          version
	commit                           string
	date                             time.Time
	root, binaries, completions, out string
}

// pack writes all packages for which there are binaries.
func (r *release) pack(ctx context.Context) error {
	built, err := r.prepare()
	if err != nil {
		return err
	}
	if err := r.writePackages(built); err != nil {
		return err
	}
	for _, t := range built {
		if err := r.writeDebian(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", t.name(), err)
		}
	}
	if err := r.writeClients(ctx); err != nil {
		return err
	}
	return r.describe(built)
}

// prepare makes the folder of the result, and returns the targets whose binaries are there.
func (r *release) prepare() ([]target, error) {
	if entries, err := os.ReadDir(r.out); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty", r.out)
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil { //nolint:gosec // packages are public
		return nil, err
	}
	return r.built()
}

// writePackages writes the packages that need no other tool.
func (r *release) writePackages(built []target) error {
	for _, t := range built {
		for _, write := range []func(target) error{r.writeArchive, r.writeWheel, r.writePlatformPackage, r.writeBundle} {
			if err := write(t); err != nil {
				return fmt.Errorf("%s: %w", t.name(), err)
			}
		}
	}
	return errors.Join(r.writeMainPackage(built), r.writeChart())
}

// describe writes what the packages are made of, the entry for the registry of MCP, and the checksums.
func (r *release) describe(built []target) error {
	if err := errors.Join(r.writeSBOM(built[0]), r.writeServer(built)); err != nil {
		return err
	}
	return r.writeSums()
}

// built returns the targets whose binaries are there.
func (r *release) built() ([]target, error) {
	var built []target
	for _, t := range targets {
		_, err := os.Stat(r.binary(t))
		if err == nil {
			built = append(built, t)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if len(built) == 0 {
		return nil, fmt.Errorf("%s has no binary kith-linux-amd64 or the like", r.binaries)
	}
	return built, nil
}

func (r *release) binary(t target) string { return filepath.Join(r.binaries, "kith-"+t.name()) }

// program returns the binary as a file of a package.
func (r *release) program(t target, folder string) (file, error) {
	content, err := os.ReadFile(r.binary(t))
	return file{folder + t.program(), 0o755, content}, err
}

// licences returns the licence's file, if the repository has one, for the folder of a package.
func (r *release) licences(folder string) ([]file, error) {
	return r.tracked(folder, ":(glob)LICENSE*")
}

// tree returns the files at the paths of the repository, for a folder of a package. Each path must exist.
func (r *release) tree(folder string, paths ...string) ([]file, error) {
	return r.tracked(folder, append([]string{"--error-unmatch"}, paths...)...)
}

// tracked returns the files that git ls-files lists: others in the folders of the repository, such as drafts, are in no package.
func (r *release) tracked(folder string, args ...string) ([]file, error) {
	command := exec.Command("git", append([]string{"ls-files", "-z"}, args...)...) //nolint:gosec // our own
	command.Dir, command.Stderr = r.root, os.Stderr
	list, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files %s: %w", strings.Join(args, " "), err)
	}
	var files []file
	for name := range strings.SplitSeq(string(list), "\x00") {
		if name == "" { // after the last
			continue
		}
		content, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{folder + name, 0o644, content})
	}
	return files, nil
}

// write writes a file of the release.
func (r *release) write(name string, content []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), content, 0o644) //nolint:gosec // packages are public
}

// writeSums writes the SHA-256 of each file of the release.
func (r *release) writeSums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var lines []string
	for _, entry := range entries {
		sum, err := sumFile(filepath.Join(r.out, entry.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, sum+"  "+entry.Name()+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return r.write("SHA256SUMS", []byte(strings.Join(lines, "")))
}
