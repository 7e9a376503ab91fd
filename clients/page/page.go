// Package page has Kith's page: the files that `go run ./clients/page/build` made of clients/page/src.
package page

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files returns the built page, or nil in a binary that was built without it.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("ui: " + err.Error()) // the folder is embedded
	}
	if _, err := fs.Stat(files, "index.html"); err != nil {
		return nil
	}
	return files
}

// MCPApp returns the context as a page for clients of MCP, in one file; empty in a binary that was built without the page.
func MCPApp() string {
	app, err := dist.ReadFile("dist/mcp-app.html")
	if err != nil {
		return ""
	}
	return string(app)
}
