package embedded

import (
	"context"
	"fmt"
	"os/exec"
)

// Need is something that a Neo4j of Kith's own is made of. Err says what to do where it is missing.
type Need struct {
	Name string // Java, Maven
	Err  error
}

// Needs looks for what Start would look for, and starts nothing. Where a Docker engine answers Start can do without.
func Needs(ctx context.Context, o Options) []Need {
	_, err := findJava(ctx)
	needs := []Need{{"Java", err}}
	if o.Neo4jHome != "" {
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
