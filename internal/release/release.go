package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	names, err := filepath.Glob(filepath.Join(r.root, "LICENSE*"))
	var files []file
	for _, name := range names {
		content, readErr := os.ReadFile(name)
		err = errors.Join(err, readErr)
		files = append(files, file{folder + filepath.Base(name), 0o644, content})
	}
	return files, err
}

// tree returns the files of the repository at the paths, for a folder of a package.
func (r *release) tree(folder string, paths ...string) ([]file, error) {
	var files []file
	for _, path := range paths {
		err := filepath.WalkDir(filepath.Join(r.root, path), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			inside, err := filepath.Rel(r.root, name)
			files = append(files, file{folder + filepath.ToSlash(inside), 0o644, content})
			return err
		})
		if err != nil {
			return nil, err
		}
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
