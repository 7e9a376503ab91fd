package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"kith/tests/testenv"
	"kith/text/tokens"
)

const typescriptPackage = "../../clients/typescript"

// The npm package builds, passes its tests with both versions of the AI SDK, and works as programs install it.
func TestTypeScriptPackage_slow(t *testing.T) {
	t.Parallel()
	modules := testenv.Modules(t, typescriptPackage)
	s := shared(t)
	key := s.newKey(t, testenv.Team(t), "read", "write")
	p := &nodeProject{folder: copyPackage(t), environ: append(os.Environ(), "KITH_URL="+s.url, "KITH_KEY="+key)}
	linkModules(t, modules, p.folder, nil)
	p.checkContract(t)
	p.run(t, "npm", "run", "--silent", "build")
	p.run(t, "node_modules/.bin/tsc")
	p.run(t, "node", "--test", "--test-reporter=dot", "test-dist")
	checkBrowserBuild(t, p.folder)
	installed := p.pack(t)
	checkExamples(t, installed, modules, s.as(key), p.environ)
	p.checkNextVersion(t, installed, modules)
}

// nodeProject is a folder in which programs run.
type nodeProject struct {
	folder  string
	environ []string
}

func (p *nodeProject) run(t *testing.T, program string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...) //nolint:gosec // the test's own
	command.Dir, command.Env = p.folder, p.environ
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// copyPackage copies the sources of the package.
func copyPackage(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"package.json", "README.md", "tsconfig.json", "tsconfig.build.json"} {
		raw, err := os.ReadFile(filepath.Join(typescriptPackage, name))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(folder, name), string(raw))
	}
	for _, name := range []string{"src", "test"} {
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join(typescriptPackage, name))); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// linkModules makes node_modules in a folder, of links. instead has names of packages, and of those to take in their place.
func linkModules(t *testing.T, modules, folder string, instead map[string]string) {
	t.Helper()
	own := filepath.Join(folder, "node_modules")
	link := func(name string) {
		path := filepath.Join(own, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		from := name
		if other := instead[name]; other != "" {
			from = other
		}
		if err := os.Symlink(filepath.Join(modules, filepath.FromSlash(from)), path); err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{"[^@]*", "@*/*"} {
		found, err := filepath.Glob(filepath.Join(modules, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			name, _ := filepath.Rel(modules, path)
			link(filepath.ToSlash(name))
		}
	}
}

// checkContract compares the generated types with the contract.
func (p *nodeProject) checkContract(t *testing.T) {
	t.Helper()
	contract, err := filepath.Abs(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	p.run(t, "node_modules/.bin/openapi-typescript", contract, "--output", "fresh.ts")
	fresh, err := os.ReadFile(filepath.Join(p.folder, "fresh.ts"))
	if err != nil {
		t.Fatal(err)
	}
	if committed, err := os.ReadFile(filepath.Join(p.folder, "src/contract.ts")); err != nil || !bytes.Equal(committed, fresh) {
		t.Errorf("src/contract.ts is not what the contract generates (cd clients/typescript && npm run contract): %v", err)
	}
}

// checkBrowserBuild bundles the package for browsers: it needs no module of Node, and stays small.
func checkBrowserBuild(t *testing.T, folder string) {
	t.Helper()
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(folder, "dist/index.js"), filepath.Join(folder, "dist/ai-sdk/index.js")}, Outdir: filepath.Join(folder, "bundle"),
		Bundle: true, Format: api.FormatESModule, Platform: api.PlatformBrowser, Target: api.ES2022,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, External: []string{"ai"},
	})
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors[0].Text)
	}
	if size := len(result.OutputFiles[0].Contents); size > 20_000 {
		t.Errorf("the client has %d bytes in a browser", size)
	}
}

// pack packs the package twice, and returns a folder in which it is installed.
func (p *nodeProject) pack(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	packed := func(name string) string {
		var list []struct{ Filename, Integrity string }
		out := p.run(t, "npm", "pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder)
		if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != 1 {
			t.Fatalf("%v: %s", err, out)
		}
		if err := os.Rename(filepath.Join(folder, list[0].Filename), filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
		return list[0].Integrity
	}
	first := packed("first.tgz")
	p.run(t, "npm", "run", "--silent", "build")
	if second := packed("second.tgz"); second != first {
		t.Errorf("the same sources give %s and %s", first, second)
	}
	to := filepath.Join(folder, "node_modules/@kith/client")
	if err := os.MkdirAll(to, 0o750); err != nil {
		t.Fatal(err)
	}
	p.run(t, "tar", "-xzf", filepath.Join(folder, "first.tgz"), "-C", to, "--strip-components=1")
	var names []string
	entries, err := os.ReadDir(to)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if want := []string{"README.md", "dist", "package.json"}; !slices.Equal(names, want) {
		t.Errorf("the package has %q", names)
	}
	return folder
}

// checkNextVersion runs the tests of the middleware and tools, as they are installed, with the next major version of the AI SDK.
func (p *nodeProject) checkNextVersion(t *testing.T, installed, modules string) {
	t.Helper()
	next := &nodeProject{folder: copyPackage(t), environ: p.environ}
	if err := os.CopyFS(filepath.Join(next.folder, "dist"), os.DirFS(filepath.Join(installed, "node_modules/@kith/client/dist"))); err != nil {
		t.Fatal(err)
	}
	linkModules(t, modules, next.folder, map[string]string{"ai": "ai-7", "@ai-sdk/openai-compatible": "openai-compatible-7"})
	next.run(t, "node_modules/.bin/tsc")
	next.run(t, "node", "--test", "--test-reporter=dot", "test-dist/ai-sdk.test.js", "test-dist/away.test.js", "test-dist/talk.test.js")
}

// checkExamples runs the examples of the pages, and measures what a model gets.
func checkExamples(t *testing.T, folder, modules string, kith caller, environ []string) {
	t.Helper()
	linkModules(t, modules, folder, nil)
	writeFile(t, filepath.Join(folder, "package.json"), `{"type":"module"}`)
	model := startChat(t)
	p := &nodeProject{folder: folder, environ: append(environ, "LLM_URL="+model.URL+"/v1")}
	for _, name := range []string{"typescript", "ai-sdk"} {
		writeFile(t, filepath.Join(folder, name+".ts"), exampleOf(t, "../../docs/"+name+".md"))
	}
	p.run(t, "node_modules/.bin/tsc", "--strict", "--noUncheckedIndexedAccess", "--module", "nodenext", "--target", "es2022", "--types", "node", "--skipLibCheck", "typescript.ts", "ai-sdk.ts")

	said := p.run(t, "node", "typescript.js")
	for _, want := range []string{"I never eat fish.", "**Sarah** (Person): Her sister, who builds boats", "# Found for: who builds boats?", "talk-1, since", "[]", "422 body.nodes[0].name"} {
		if !strings.Contains(said, want) {
			t.Errorf("the client's example does not say %q: %s", want, said)
		}
	}
	if said := p.run(t, "node", "ai-sdk.js"); said != "By train to Sarah in Ghent.\n" {
		t.Errorf("the AI SDK's example says %s", said)
	}
	model.check(t)
	context := string(kith.do(t, "GET", "/v1/context?user_id=ada&format=text", "").body)
	if !strings.Contains(context, "From now on, always plan by train.") || !strings.Contains(context, "My sister Sarah lives in Ghent.") {
		t.Errorf("the next context is %s", context)
	}
	checkCosts(t, p, model)
}

// exampleOf returns the program of a page.
func exampleOf(t *testing.T, page string) string {
	t.Helper()
	raw, err := os.ReadFile(page) //nolint:gosec // a page of the repository
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?ms)^```ts\n(.*?)^```$").FindAllSubmatch(raw, -1)
	if len(programs) != 1 {
		t.Fatalf("%s has %d programs", page, len(programs))
	}
	return string(programs[0][1])
}

// checkCosts compares what a model gets with the bounds that docs/ai-sdk.md states.
func checkCosts(t *testing.T, p *nodeProject, model *chatModel) {
	t.Helper()
	count := func(text string) int {
		n, err := tokens.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	preface, _, _ := strings.Cut(model.systems[1], "\n\n")
	n := count(string(model.tools))
	t.Logf("definitions of the tools: %d tokens; the sentence before the context: %d", n, count(preface))
	if n > 420 || count(preface) != 25 {
		t.Errorf("docs/ai-sdk.md states other figures than %d and %d tokens", n, count(preface))
	}
}
