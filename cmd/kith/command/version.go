package command

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"kith/cmd/kith/internal/terminal"
	"kith/handlers"
)

// The linker sets these variables (Makefile). The date is the commit's, so that builds are reproducible.
var version, commit, date = "development", "", ""

// repository is the Maven repository that this build has as its default (Makefile, REPOSITORY); empty: none.
var repository string

// build returns the version of this binary. Without make, the commit and date come from go build.
func build() handlers.Build {
	b := handlers.Build{Version: version, Commit: commit, Date: date}
	if info, ok := debug.ReadBuildInfo(); ok && commit == "" {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.time":
				b.Date = s.Value
			}
		}
	}
	return b
}

type versionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints the version of this binary.
func (c versionCmd) Run(std Streams) error {
	if c.JSON {
		return terminal.PrintJSON(std.Out, struct {
			handlers.Build
			Go       string `json:"go"`
			Platform string `json:"platform"`
		}{build(), runtime.Version(), platform})
	}
	_, err := fmt.Fprintln(std.Out, versionLine())
	return err
}

const platform = runtime.GOOS + "/" + runtime.GOARCH

func versionLine() string {
	b := build()
	return fmt.Sprintf("kith %s (commit %s, %s, %s %s)", b.Version, cmp.Or(b.Commit, "unknown"), cmp.Or(b.Date, "undated"), runtime.Version(), platform)
}
