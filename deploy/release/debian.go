package main

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// nfpm makes Debian packages. It is a tool and no dependency: Kith itself needs nothing of it.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"

const debianMaintainer = maintainer + " <noreply@example.org>"

// lintianOverrides say what is so on purpose: Go's binaries are static, and the settings contain secrets.
const lintianOverrides = `kith: statically-linked-binary [usr/bin/kith]
kith: non-standard-file-perm 0600 != 0644 [etc/kith.env]
`

//go:embed files/nfpm.yaml
var debianPackage string

// writeDebian writes a Debian package, with a unit of systemd that is not started by the installation.
func (r *release) writeDebian(ctx context.Context, t target) error {
	if t.debian == "" {
		return nil
	}
	folder, err := os.MkdirTemp("", "kith-debian-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	config, err := r.stageDebian(t, folder)
	if err != nil {
		return err
	}
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	target := filepath.Join(out, "kith_"+r.version.debian+"_"+t.debian+".deb")
	command := exec.CommandContext(ctx, "go", "run", nfpm, "package", "--config", config, "--packager", "deb", "--target", target) //nolint:gosec // our own
	command.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()), "GOOS=", "GOARCH=", "GOFLAGS=-mod=mod")
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("nfpm: %w\n%s", err, said)
	}
	return nil
}

// stageDebian puts the files of the package into a folder and returns the path of nfpm's configuration.
func (r *release) stageDebian(t target, folder string) (string, error) {
	unit, err := os.ReadFile(filepath.Join(r.root, "deploy", "kith.service"))
	if err != nil {
		return "", err
	}
	program, err := filepath.Abs(r.binary(t))
	if err != nil {
		return "", err
	}
	root, err := filepath.Abs(r.root)
	if err != nil {
		return "", err
	}
	completions, err := filepath.Abs(r.completions)
	if err != nil {
		return "", err
	}
	values := strings.NewReplacer(
		"{{version}}", r.version.debian, "{{architecture}}", t.debian, "{{program}}", program, "{{stage}}", folder,
		"{{completions}}", completions, "{{maintainer}}", debianMaintainer, "{{homepage}}", homepage, "{{date}}", r.date.Format("2006-01-02T15:04:05Z"))
	config := values.Replace(debianPackage)
	pages, err := r.tree("", "README.md", "CHANGELOG.md", "docs")
	if err != nil {
		return "", err
	}
	for _, f := range pages {
		config += fmt.Sprintf("  - {src: %q, dst: %q, file_info: {mode: 0644}}\n", filepath.Join(root, f.name), "/usr/share/doc/kith/"+f.name)
	}
	copyright, err := r.debianCopyright()
	if err != nil {
		return "", err
	}
	changes, err := r.debianChangelog()
	if err != nil {
		return "", err
	}
	for _, f := range []file{
		{"kith.service", 0o644, []byte(strings.Replace(string(unit), "/usr/local/bin/kith", "/usr/bin/kith", 1))},
		{"kith.env", 0o600, []byte("# Settings of kith.service, NAME=value: kith serve --help lists them. Secrets too: only root reads this file.\n")},
		{"copyright", 0o644, copyright}, {"changelog.gz", 0o644, changes}, {"lintian-overrides", 0o644, []byte(lintianOverrides)},
		{"nfpm.yaml", 0o644, []byte(config)},
	} {
		if err := os.WriteFile(filepath.Join(folder, f.name), f.content, f.mode); err != nil {
			return "", err
		}
	}
	return filepath.Join(folder, "nfpm.yaml"), nil
}

// debianCopyright returns the file that Debian wants in place of LICENSE.
func (r *release) debianCopyright() ([]byte, error) {
	licences, err := r.licences("")
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("Kith: %s\nCopyright %d %s\n", homepage, r.date.Year(), maintainer)
	for _, l := range licences {
		text += "\n" + string(l.content)
	}
	if len(licences) == 0 {
		text += "\nThe source has no licence yet.\n"
	}
	return []byte(text), nil
}

// debianChangelog returns the changelog in Debian's format. It names the version alone: CHANGELOG.md has the changes.
func (r *release) debianChangelog() ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(w, "kith (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n", r.version.debian, debianMaintainer, r.date.Format(time.RFC1123Z))
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}
