package main

// target is a platform, in the words of the systems that packages go to.
type target struct {
	system, architecture string // of Go
	wheel                string // tags of wheels; a static binary runs with glibc and musl
	npmSystem, npmCPU    string
	debian               string // architecture; empty: no package
	bundle               string // the platform of an MCP bundle
}

var targets = []target{
	{"linux", "amd64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64", "linux", "x64", "amd64", "linux"},
	{"linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64", "linux", "arm64", "arm64", "linux"},
	{"darwin", "amd64", "macosx_12_0_x86_64", "darwin", "x64", "", "darwin"},
	{"darwin", "arm64", "macosx_12_0_arm64", "darwin", "arm64", "", "darwin"},
	{"windows", "amd64", "win_amd64", "win32", "x64", "", "win32"},
	{"windows", "arm64", "win_arm64", "win32", "arm64", "", "win32"},
}

func (t target) name() string    { return t.system + "-" + t.architecture }
func (t target) npmName() string { return npmScope + "/server-" + t.npmSystem + "-" + t.npmCPU }

// program is the name of the binary.
func (t target) program() string {
	if t.system == "windows" {
		return "kith.exe"
	}
	return "kith"
}
