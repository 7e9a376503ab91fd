package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"kith/tests/testenv"
)

func TestVersions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]version{
		"1.2.3":               {"1.2.3", "1.2.3", "1.2.3"},
		"1.2.3-rc.1":          {"1.2.3-rc.1", "1.2.3rc1", "1.2.3~rc.1"},
		"1.2.3-dev.45":        {"1.2.3-dev.45", "1.2.3.dev45", "1.2.3~dev.45"},
		"1.2.3-dev.45.dirty":  {"1.2.3-dev.45.dirty", "1.2.3.dev45+dirty", "1.2.3~dev.45.dirty"},
		"v1.2.3":              {},
		"1.2":                 {},
		"0286907":             {},
		"1.2.3-dev.45\nX: y":  {},
		"1.2.3-nightly.1":     {},
		"1.2.3.dirty":         {},
		"development":         {},
		"1.2.3-beta.2.dirty ": {},
	} {
		if got, err := parseVersion(text); got != want || (err == nil) != (want != version{}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// The packages of all platforms are the same to the byte when they are packed twice.
func TestPackagesAreReproducible_slow(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	program := filepath.Join(folder, "main.go")
	if err := os.WriteFile(program, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRelease(t)
	for _, system := range targets {
		output(t, ".", "go", "build", "-ldflags=-s -w", "-o", r.binary(system), program)
	}
	first, second := packed(t, r), packed(t, r)
	if want := 4*len(targets) + 5; len(first) != want { // and the main npm package, chart, SBOM, entry, sums
		t.Errorf("packed %d files, want %d", len(first), want)
	}
	for name, content := range first {
		if content != second[name] {
			t.Errorf("%s differs when it is packed again", name)
		}
	}
}

// pip and npm install the packages of this platform without a network, and their kith runs. Foreign tools take the others.
func TestPackages_slow(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	binary := r.binary(target{system: runtime.GOOS, architecture: runtime.GOARCH})
	output(t, ".", "go", "build", "-ldflags", "-s -w -X kith/cmd/kith/command.version="+r.version.semantic, "-o", binary, "kith/cmd/kith")
	first := packed(t, r)
	t.Run("pip", func(t *testing.T) {
		t.Parallel()
		folder := t.TempDir()
		output(t, folder, "python3", "-m", "venv", folder)
		output(t, folder, "bin/python", "-m", "pip", "install", "--quiet", "--no-index", match(t, r, "kith_server-*.whl"))
		wantVersion(t, output(t, folder, "bin/kith", "version"))
		wantVersion(t, output(t, folder, "bin/kith-server", "version"))
		wantVersion(t, output(t, folder, "bin/python", "-m", "kith_server", "version"))
	})
	t.Run("npm", func(t *testing.T) {
		t.Parallel()
		folder := t.TempDir()
		output(t, folder, "npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", folder, match(t, r, "kith-server-[0-9]*.tgz"), match(t, r, "kith-server-[a-z]*.tgz"))
		wantVersion(t, output(t, folder, "npx", "--offline", "kith", "version"))
		if err := exec.CommandContext(t.Context(), filepath.Join(folder, "node_modules/.bin/kith"), "no-such-command").Run(); err == nil { //nolint:gosec // the test's own
			t.Error("a failing kith does not fail")
		}
		if err := os.RemoveAll(filepath.Join(folder, "node_modules", npmScope)); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), filepath.Join(folder, "node_modules/.bin/kith"), "version").CombinedOutput() //nolint:gosec // the test's own
		if err == nil || !strings.Contains(string(out), "without --omit=optional") {
			t.Errorf("without the binary: %v %s", err, out)
		}
	})
	t.Run("bundle", func(t *testing.T) {
		t.Parallel()
		folder := t.TempDir()
		output(t, folder, "python3", "-m", "zipfile", "-e", match(t, r, "*.mcpb"), folder)
		validator := filepath.Join(testenv.Packages(t, "@anthropic-ai/mcpb@2.1.2"), "node_modules/.bin/mcpb")
		output(t, folder, validator, "validate", "manifest.json")
	})
	t.Run("SBOM", func(t *testing.T) {
		t.Parallel()
		python := testenv.Python(t, "spdx-tools==0.8.3")
		output(t, r.out, python, "-m", "spdx_tools.spdx.clitools.pyspdxtools", "--infile", match(t, r, "*.spdx.json"))
		for _, part := range []string{`"name": "github.com/neo4j/neo4j-go-driver/v5"`, `"pkg:npm/%40preact/signals@`, `"name": "stdlib"`} {
			if !strings.Contains(first[filepath.Base(match(t, r, "*.spdx.json"))], part) {
				t.Errorf("the SBOM has no %s", part)
			}
		}
	})
	t.Run("checksums", func(t *testing.T) {
		t.Parallel()
		if said := output(t, r.out, "sha256sum", "--check", "SHA256SUMS"); strings.Count(said, ": OK\n") != len(first)-1 {
			t.Errorf("checked:\n%s", said)
		}
	})
}

// All packages take the licence, and no file that git does not track.
func TestPackagesTakeWhatGitTracks_slow(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	r.root = newRepository(t, map[string]string{
		"LICENSE": "a licence", "README.md": "", "CHANGELOG.md": "", "SECURITY.md": "", "docs/page.md": "", "deploy/kith.service": "", "deploy/helm/kith/Chart.yaml": "version: 0.0.0\n",
	})
	for _, name := range []string{"docs/draft.md", "deploy/helm/kith/draft.yaml", "LICENSE.draft"} {
		writeFile(t, filepath.Join(r.root, name), "not in git")
	}
	for _, system := range targets {
		writeFile(t, r.binary(system), "a program")
	}
	r.out = t.TempDir()
	if err := r.writePackages(targets); err != nil {
		t.Fatal(err)
	}
	packages, err := filepath.Glob(filepath.Join(r.out, "*"))
	if want := 4*len(targets) + 2; err != nil || len(packages) != want { // and the main npm package, chart
		t.Errorf("%d packages, want %d (%v)", len(packages), want, err)
	}
	for _, name := range packages {
		list := []string{"tar", "-tzf", name}
		if end := filepath.Ext(name); end != ".gz" && end != ".tgz" {
			list = []string{"python3", "-m", "zipfile", "-l", name}
		}
		checkFiles(t, filepath.Base(name), output(t, r.out, list[0], list[1:]...))
	}
	stage := t.TempDir()
	config, err := r.stageDebian(targets[0], stage)
	if err != nil {
		t.Fatal(err)
	}
	content := readFile(t, config)
	if !strings.Contains(content, `"/usr/share/doc/kith/docs/page.md"`) || strings.Contains(content, "draft") {
		t.Errorf("the Debian package has other pages: %s", content)
	}
	if copyright := readFile(t, filepath.Join(stage, "copyright")); !strings.Contains(copyright, "a licence") {
		t.Errorf("the Debian package has no licence: %s", copyright)
	}
}

func checkFiles(t *testing.T, what, files string) {
	t.Helper()
	if !strings.Contains(files, "LICENSE") {
		t.Errorf("%s has no licence:\n%s", what, files)
	}
	if strings.Contains(files, "draft") {
		t.Errorf("%s has a file that git does not track:\n%s", what, files)
	}
}

// The client libraries are built with the version and the licence of the release, and from the files that git tracks.
func TestClientsHaveTheVersionOfTheRelease(t *testing.T) {
	t.Parallel()
	tracked := map[string]string{"LICENSE": "a licence", "deploy/python-package.sh": ""}
	for _, c := range clients {
		name := c.folder + "/" + c.description
		tracked[name] = readFile(t, "../../"+name)
	}
	r := newRelease(t)
	r.root = newRepository(t, tracked)
	want := []string{`version = "1.2.3.dev45"`, `"version": "1.2.3-dev.45"`}
	for i, c := range clients {
		writeFile(t, filepath.Join(r.root, c.folder, "draft"), "")
		root := t.TempDir()
		if err := r.copyClient(c, root); err != nil {
			t.Fatal(err)
		}
		if description := readFile(t, filepath.Join(root, c.folder, c.description)); strings.Count(description, want[i]) != 1 {
			t.Errorf("%s has no %s:\n%s", c.folder, want[i], description)
		}
		checkFiles(t, c.folder, output(t, filepath.Join(root, c.folder), "ls"))
		checkFiles(t, c.folder, output(t, root, "ls"))
	}
}

// Pages and metadata name the versions of Python that the wheel's module runs with.
func TestWheelNamesVersionsOfPython(t *testing.T) {
	t.Parallel()
	oldest := "3.8"
	if strings.Contains(string(pythonModule), "get_preferred_scheme") {
		oldest = "3.10"
	}
	if got := newRelease(t).pythonMetadata(nil); !strings.Contains(got, "\nRequires-Python: >="+oldest+"\n") {
		t.Errorf("the metadata has no Python %s:\n%s", oldest, got)
	}
	if !strings.Contains(readFile(t, "../../docs/install.md"), "| Python "+oldest+";") {
		t.Errorf("docs/install.md has no Python %s", oldest)
	}
}

// A version says whether files have changed or are new. Ignored files do not count.
func TestVersionOfCheckout(t *testing.T) {
	t.Parallel()
	folder := newRepository(t, map[string]string{"VERSION": "1.2.3\n", "deploy/version.sh": readFile(t, "../../deploy/version.sh"), "main.go": "", ".gitignore": "/bin/\n"})
	git := func(args ...string) {
		output(t, folder, "git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.org"}, args...)...)
	}
	want := func(when, version string) {
		t.Helper()
		if got := strings.TrimSpace(output(t, folder, "bash", "deploy/version.sh")); got != version {
			t.Errorf("%s: %s, want %s", when, got, version)
		}
	}
	want("without a commit", "1.2.3-dev.0")
	git("commit", "--quiet", "--message", "first")
	want("committed", "1.2.3-dev.1")
	writeFile(t, filepath.Join(folder, "bin/kith"), "")
	want("with an ignored file", "1.2.3-dev.1")
	writeFile(t, filepath.Join(folder, "new/new.go"), "")
	want("with a new file", "1.2.3-dev.1.dirty")
	if err := os.RemoveAll(filepath.Join(folder, "new")); err != nil {
		t.Fatal(err)
	}
	git("tag", "v1.3.0")
	want("tagged", "1.3.0")
	writeFile(t, filepath.Join(folder, "main.go"), "package main\n")
	want("with a changed file", "1.2.3-dev.1.dirty")
}

// newRepository returns a folder with the files, tracked by git.
func newRepository(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		writeFile(t, filepath.Join(folder, name), content)
	}
	output(t, folder, "git", "init", "--quiet")
	output(t, folder, "git", "add", ".")
	return folder
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// newRelease returns a release without binaries.
func newRelease(t *testing.T) *release {
	t.Helper()
	v, err := parseVersion("1.2.3-dev.45")
	if err != nil {
		t.Fatal(err)
	}
	r := &release{version: v, commit: "0123456789abcdef", date: time.Date(2026, 11, 25, 18, 41, 44, 0, time.UTC), root: "../..", binaries: t.TempDir(), completions: t.TempDir()}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if err := os.WriteFile(filepath.Join(r.completions, "kith."+shell), []byte(shell), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// packed packs the release into a new folder, without what other tools build, and returns the files.
func packed(t *testing.T, r *release) map[string]string {
	t.Helper()
	r.out = t.TempDir()
	built, err := r.prepare()
	if err == nil {
		err = r.writePackages(built)
	}
	if err == nil {
		err = r.describe(built)
	}
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(r.out)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(r.out, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(content)
	}
	return files
}

func match(t *testing.T, r *release, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(r.out, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", pattern, found, err)
	}
	return found[0]
}

func wantVersion(t *testing.T, said string) {
	t.Helper()
	if !strings.HasPrefix(said, "kith 1.2.3-dev.45 (") {
		t.Errorf("version: %s", said)
	}
}

// output returns what a program prints; the test fails with the program. A path with a slash is one in the folder.
func output(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		name = filepath.Join(folder, name)
	}
	command := exec.CommandContext(context.WithoutCancel(t.Context()), name, args...) //nolint:gosec // the test's own
	var failed strings.Builder
	command.Dir, command.Stderr = folder, &failed
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, failed.String())
	}
	return string(out)
}
