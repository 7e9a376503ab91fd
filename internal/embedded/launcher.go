package embedded

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

const launcherClass = "Neo4jServer"

// launcherCode is Neo4jServer.java, compiled: a Java runtime without a compiler is enough. After a change of the source, with
// Neo4j's jars in LIB:
//
//	javac --release 17 -proc:none -cp 'LIB/*' -d . Neo4jServer.java
//
//go:embed Neo4jServer.class
var launcherCode []byte

// prepareLauncher puts the launcher into the cache and returns its folder, for the class path. The caller holds the lock of
// the cache.
func prepareLauncher(c cache) (string, error) {
	dir := filepath.Join(string(c), "launcher-"+hash(string(launcherCode)))
	class := filepath.Join(dir, launcherClass+".class")
	if _, err := os.Stat(class); err == nil {
		return dir, nil
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = writeFile(class, launcherCode)
	}
	if err != nil {
		return "", fmt.Errorf("prepare launcher: %w", err)
	}
	return dir, nil
}
