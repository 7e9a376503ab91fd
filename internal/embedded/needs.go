package embedded

import (
	"context"
	"fmt"
	"os/exec"
)

// Need is a requirement of the embedded Neo4j. Err says what to do if it is missing.
type Need struct {
	Name string // Java, Maven
	Err  error
}

// Needs checks the requirements of Start, and starts nothing. With a Docker engine Start needs none of them.
func Needs(ctx context.Context, o Options) []Need {
	if o.Neo4jHome != "" {
		_, _, err := findInstalled(ctx, o.Neo4jHome)
		return []Need{{"Java", err}}
	}
	_, err := findJava(ctx, Version)
	needs := []Need{{"Java", err}}
	if o.Repository != "" {
		return needs
	}
	maven := Need{Name: "Maven"}
	c, err := openCache(o.CacheDir)
	if err != nil || !isComplete(c.jars()) {
		if _, err := exec.LookPath("mvn"); err != nil {
			maven.Err = fmt.Errorf("find mvn: %w", ErrMissingMaven)
		}
	}
	return append(needs, maven)
}
