package main

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// writeServer writes the entry for the registry of MCP: the repository's deploy/server.json with this version, and the checksums of the bundles.
func (r *release) writeServer(built []target) error {
	raw, err := os.ReadFile(filepath.Join(r.root, "deploy", "server.json"))
	if err != nil {
		return err
	}
	var entry map[string]any
	if err := json.Unmarshal(raw, &entry); err != nil {
		return err
	}
	entry["version"] = r.version.semantic
	packages, _ := entry["packages"].([]any)
	for _, p := range packages {
		p, _ := p.(map[string]any)
		switch p["registryType"] {
		case "npm":
			p["version"] = r.version.semantic
		case "pypi":
			p["version"] = r.version.python
		case "oci":
			p["identifier"] = "ghcr.io/kith-memory/kith:" + r.version.semantic
		}
	}
	for _, t := range built {
		sum, err := sumFile(filepath.Join(r.out, r.bundleName(t)))
		if err != nil {
			return err
		}
		packages = append(packages, map[string]any{
			"registryType": "mcpb", "identifier": homepage + "/releases/download/v" + r.version.semantic + "/" + r.bundleName(t),
			"version": r.version.semantic, "fileSha256": sum, "transport": map[string]any{"type": "stdio"},
		})
	}
	entry["packages"] = packages
	out, err := json.MarshalIndent(entry, "", "  ")
	if err != nil {
		return err
	}
	return r.write("server.json", append(out, '\n'))
}
