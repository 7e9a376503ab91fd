package mcp

import (
	"embed"
	"strings"
)

//go:embed guides/*.md
var guides embed.FS

// guide is a text for models: of a tool, when to call it and when not.
func guide(name string) string {
	raw, err := guides.ReadFile("guides/" + name + ".md")
	if err != nil {
		panic("mcp: there is no guide " + name) // a broken binary
	}
	return strings.TrimSpace(string(raw))
}
