// Build makes the page of Kith from its source in clients/page: it fetches the libraries with npm where they are missing, bundles
// with esbuild, and writes the files that kith serves to clients/page/dist, with the licences of what is in them. It needs Node 20
// or newer; without it, it says so and changes nothing.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	source := flag.String("source", "clients/page", "folder of the page's source")
	out := flag.String("out", "clients/page/dist", "folder to write to")
	optional := flag.Bool("optional", false, "succeed without Node or the npm registry")
	flag.Parse()
	err := build(*source, *out)
	switch {
	case err == nil:
	case *optional && errors.Is(err, errNotHere):
		fmt.Fprintf(os.Stderr, "ui: built without the page: %v\n", err)
	default:
		fmt.Fprintf(os.Stderr, "ui: %v\n", err)
		os.Exit(1)
	}
}

// errNotHere: something that the page is built with is not on this machine.
var errNotHere = errors.New("not available here")

func build(source, out string) error {
	if err := fetch(source); err != nil {
		return err
	}
	result := api.Build(options(api.BuildOptions{
		EntryPoints: []string{filepath.Join(source, "src/main.tsx"), filepath.Join(source, "src/style.css")},
		Outdir:      filepath.Join(out, "assets"),
		EntryNames:  "[name]-[hash]",
		ChunkNames:  "[name]-[hash]",
		Splitting:   true,
		Format:      api.FormatESModule,
	}))
	if len(result.Errors) > 0 {
		return fmt.Errorf("the source has %d errors", len(result.Errors))
	}
	files := map[string][]byte{}
	var script, style string
	for _, file := range result.OutputFiles {
		name := filepath.Base(file.Path)
		switch {
		case strings.HasPrefix(name, "main-") && strings.HasSuffix(name, ".js"):
			script = name
		case strings.HasPrefix(name, "style-"):
			style = name
		}
		files["assets/"+name] = file.Contents
	}
	files["index.html"] = fmt.Appendf(nil, index, style, script)
	app := api.Build(options(api.BuildOptions{
		EntryPoints: []string{filepath.Join(source, "src/mcp-app.tsx")}, Outdir: out, Format: api.FormatIIFE,
	}))
	if len(app.Errors) > 0 {
		return fmt.Errorf("the source of the app has %d errors", len(app.Errors))
	}
	files["mcp-app.html"] = fmt.Appendf(nil, inOneFile, files["assets/"+style], escaped(app.OutputFiles[0].Contents))
	licences, err := licencesOf(source, result.Metafile+app.Metafile)
	if err != nil {
		return err
	}
	files["licences.txt"] = licences
	return write(out, files)
}

const index = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Kith</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/ui/assets/%s">
<script type="module" src="/ui/assets/%s"></script>
<div id="app"></div>
<noscript>This page needs JavaScript. The API is described at <a href="/docs">/docs</a>.</noscript>
</html>
`

// inOneFile is the page of an app that is sent as one text.
const inOneFile = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Kith</title>
<style>%s</style>
<div id="app"></div>
<script>%s</script>
</html>
`

// escaped returns a script for a place within HTML. What ends or comments out a script can only be in its texts.
func escaped(script []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(script, []byte("</script"), []byte(`<\/script`)), []byte("<!--"), []byte(`\x3c!--`))
}

// options returns the options of a bundle with those that all have.
func options(o api.BuildOptions) api.BuildOptions {
	o.Bundle, o.Target, o.Metafile, o.LogLevel = true, api.ES2022, true, api.LogLevelWarning
	o.JSX, o.JSXImportSource = api.JSXAutomatic, "preact"
	o.MinifyWhitespace, o.MinifyIdentifiers, o.MinifySyntax = true, true, true
	o.LegalComments = api.LegalCommentsNone // in licences.txt
	o.Define = map[string]string{"process.env.NODE_ENV": `"production"`}
	return o
}

// fetch installs the libraries of package-lock.json, unless they are there.
func fetch(source string) error {
	lock, err := os.Stat(filepath.Join(source, "package-lock.json"))
	if err != nil {
		return err
	}
	modules := filepath.Join(source, "node_modules")
	if got, err := os.Stat(filepath.Join(modules, ".package-lock.json")); err == nil && !got.ModTime().Before(lock.ModTime()) {
		return nil
	}
	version, err := exec.Command("node", "--version").Output()
	if err != nil {
		return fmt.Errorf("the page needs Node 20 or newer, with npm: Node is %w", errNotHere)
	}
	text := strings.TrimSpace(strings.TrimPrefix(string(version), "v"))
	if major, err := strconv.Atoi(strings.Split(text, ".")[0]); err != nil || major < 20 {
		return fmt.Errorf("the page needs Node 20 or newer, and %s is installed: a newer one is %w", text, errNotHere)
	}
	npm := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	npm.Dir, npm.Stdout, npm.Stderr = source, os.Stderr, os.Stderr
	if err := npm.Run(); err != nil {
		return fmt.Errorf("npm cannot fetch the page's libraries: %w: they are %w", err, errNotHere)
	}
	return nil
}

// write writes the files that differ, and removes those of earlier builds. A build that changes nothing touches nothing.
func write(out string, files map[string][]byte) error {
	for name, content := range files {
		path := filepath.Join(out, filepath.FromSlash(name))
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	old, err := os.ReadDir(filepath.Join(out, "assets"))
	if err != nil {
		return err
	}
	for _, file := range old {
		if files["assets/"+file.Name()] == nil {
			if err := os.Remove(filepath.Join(out, "assets", file.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// licencesOf returns the licences of the packages that the bundle has code of.
func licencesOf(source, metafile string) ([]byte, error) {
	var packages []string
	for _, part := range strings.Split(metafile, "node_modules/")[1:] {
		words := strings.Split(part, "/")
		name := words[0]
		if strings.HasPrefix(name, "@") && len(words) > 1 {
			name += "/" + words[1]
		}
		packages = append(packages, name)
	}
	slices.Sort(packages)
	var out strings.Builder
	for _, name := range slices.Compact(packages) {
		text, err := licenceOf(filepath.Join(source, "node_modules", filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("licence of %s: %w", name, err)
		}
		fmt.Fprintf(&out, "%s\n\n%s\n\n", name, strings.TrimSpace(text))
	}
	return []byte(out.String()), nil
}

func licenceOf(folder string) (string, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if name := strings.ToLower(file.Name()); strings.HasPrefix(name, "licen") {
			text, err := os.ReadFile(filepath.Join(folder, file.Name()))
			return string(text), err
		}
	}
	return "", fs.ErrNotExist
}
