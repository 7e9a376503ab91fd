package embedded

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const oldestJava = 17

// javaVersion matches the major version in the output of java -version: 17 in "17.0.15", 8 in "1.8.0_292".
var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// findJava returns the path of a Java of at least the required version: from JAVA_HOME, else from the PATH.
func findJava(ctx context.Context) (string, error) {
	java := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		java = filepath.Join(home, "bin", "java")
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
	if major := majorVersion(string(out)); major < oldestJava {
		return "", fmt.Errorf("find java: %s is Java %d: %w", java, major, ErrMissingJava)
	}
	return java, nil
}

func majorVersion(text string) int {
	found := javaVersion.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	major, _ := strconv.Atoi(found[1]) // digits
	return major
}

// findJavac returns the compiler that belongs to java, or "" where there is only a runtime.
func findJavac(java string) string {
	if resolved, err := filepath.EvalSymlinks(java); err == nil {
		java = resolved
	}
	javac, err := exec.LookPath(filepath.Join(filepath.Dir(java), "javac"))
	if err != nil {
		return ""
	}
	return javac
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
