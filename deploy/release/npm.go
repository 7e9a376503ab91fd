package main

import (
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed files/kith.js
var npmProgram []byte

//go:embed files/npm.md
var npmPage []byte

// npmPackage is a package.json.
type npmPackage struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	Homepage     string            `json:"homepage"`
	Repository   string            `json:"repository"`
	License      string            `json:"license"`
	MCPName      string            `json:"mcpName,omitempty"`
	Bin          map[string]string `json:"bin,omitempty"`
	Systems      []string          `json:"os,omitempty"`
	CPUs         []string          `json:"cpu,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	PreferFolder bool              `json:"preferUnplugged,omitempty"`
}

func (r *release) npmPackage(name, description string) npmPackage {
	return npmPackage{
		Name: name, Version: r.version.semantic, Description: description, Homepage: homepage,
		Repository: "git+" + homepage + ".git", License: "SEE LICENSE IN README.md",
	}
}

// writePlatformPackage writes the npm package with the binary of one platform.
func (r *release) writePlatformPackage(t target) error {
	program, err := r.program(t, "package/bin/")
	if err != nil {
		return err
	}
	p := r.npmPackage(t.npmName(), summary+": the binary for "+t.npmSystem+"-"+t.npmCPU)
	p.Systems, p.CPUs, p.PreferFolder = []string{t.npmSystem}, []string{t.npmCPU}, true
	return r.writeNPM(p, program)
}

// writeMainPackage writes the npm package that people install. It starts the binary of their platform.
func (r *release) writeMainPackage(built []target) error {
	p := r.npmPackage(packageName, summary)
	p.MCPName, p.Bin, p.Engines = serverName, map[string]string{"kith": "bin/kith.js"}, map[string]string{"node": ">=18"}
	p.Optional = map[string]string{}
	for _, t := range built {
		p.Optional[t.npmName()] = r.version.semantic
	}
	return r.writeNPM(p, file{"package/bin/kith.js", 0o755, npmProgram})
}

func (r *release) writeNPM(p npmPackage, program file) error {
	licences, err := r.licences("package/")
	if err != nil {
		return err
	}
	if len(licences) > 0 {
		p.License = "SEE LICENSE IN LICENSE"
	}
	description, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	files := append([]file{
		program, {"package/package.json", 0o644, append(description, '\n')}, {"package/README.md", 0o644, npmPage},
	}, licences...)
	content, err := tarball(files, r.date)
	if err != nil {
		return err
	}
	name := strings.ReplaceAll(strings.TrimPrefix(p.Name, "@"), "/", "-") // as npm pack names it
	return r.write(name+"-"+p.Version+".tgz", content)
}
