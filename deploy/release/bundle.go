package main

import (
	_ "embed"
	"encoding/json"
)

//go:embed files/manifest.json
var bundleManifest []byte

// writeBundle writes an MCP bundle, which clients such as Claude Desktop install with a click.
func (r *release) writeBundle(t target) error {
	program, err := r.program(t, "server/")
	if err != nil {
		return err
	}
	manifest, err := r.manifest(t)
	if err != nil {
		return err
	}
	licences, err := r.licences("")
	if err != nil {
		return err
	}
	content, err := zipped(append([]file{{"manifest.json", 0o644, manifest}, program}, licences...), r.date)
	if err != nil {
		return err
	}
	return r.write(r.bundleName(t), content)
}

func (r *release) bundleName(t target) string {
	return "kith-" + r.version.semantic + "-" + t.name() + ".mcpb"
}

// manifest returns the manifest of the bundle for a platform.
func (r *release) manifest(t target) ([]byte, error) {
	var m map[string]any
	if err := json.Unmarshal(bundleManifest, &m); err != nil {
		return nil, err
	}
	m["version"] = r.version.semantic
	m["author"] = map[string]any{"name": maintainer, "url": homepage}
	m["homepage"] = homepage
	m["compatibility"] = map[string]any{"platforms": []string{t.bundle}}
	server, _ := m["server"].(map[string]any)
	start, _ := server["mcp_config"].(map[string]any)
	server["entry_point"] = "server/" + t.program()
	start["command"] = "${__dirname}/server/" + t.program()
	raw, err := json.MarshalIndent(m, "", "  ")
	return append(raw, '\n'), err
}
