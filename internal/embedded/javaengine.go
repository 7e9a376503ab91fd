package embedded

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Sizes of transaction logs. Logs that ended before the last checkpoint are not needed.
const (
	logSize             = "1m"
	logsKept            = "keep_none"
	defaultCheckpointIn = "5m"
)

const (
	kernelJar = "neo4j-kernel-" // followed by the version
	// leastTransactionMB is the minimum memory of a transaction.
	leastTransactionMB = 64
	keptPlans          = 400 // of statements: Kith's own, and those of callers

	serialLimit = 1024 // MB of heap up to which the serial collector is used: it takes 200 MB less
)

// javaEngine runs Neo4j in a Java process.
type javaEngine struct {
	folder   folder
	java     string
	lib      string // folder of Neo4j's jars
	version  string // of Neo4j
	launcher string // folder of the launcher's class
	heapMB   int
	pageMB   int

	checkpointIn string
	settings     []string
}

// installedEngine uses the jars of an installed Neo4j.
func installedEngine(ctx context.Context, o Options, f folder) (engine, error) {
	lib, java, err := findInstalled(ctx, o.Neo4jHome)
	if err != nil {
		return nil, err
	}
	return newJavaEngine(ctx, o, f, java, lib, func(cache) error { return nil })
}

// findInstalled returns the folder of the jars of an installed Neo4j, and a Java on which it runs.
func findInstalled(ctx context.Context, home string) (lib, java string, err error) {
	home, err = filepath.Abs(home)
	if err != nil {
		return "", "", fmt.Errorf("use NEO4J_HOME: %w", err)
	}
	lib = filepath.Join(home, "lib")
	version, err := neo4jVersion(lib)
	if err != nil {
		return "", "", err
	}
	java, err = findJava(ctx, version)
	return lib, java, err
}

// fetchedEngine uses the jars in the cache, which are fetched when they are not there.
func fetchedEngine(ctx context.Context, o Options, f folder, java string) (engine, error) {
	return newJavaEngine(ctx, o, f, java, "", func(c cache) error { return fetch(ctx, c, o.Repository, o.Progress) })
}

// newJavaEngine fetches the jars, checks their version, and prepares the launcher. An empty lib stands for the cache's.
func newJavaEngine(ctx context.Context, o Options, f folder, java, lib string, fetch func(cache) error) (engine, error) {
	c, err := openCache(o.CacheDir)
	if err != nil {
		return nil, err
	}
	if lib == "" {
		lib = filepath.Join(c.jars(), "lib")
	}
	e := &javaEngine{
		folder: f, java: java, lib: lib, heapMB: o.HeapMB, pageMB: o.PageCacheMB, checkpointIn: o.checkpointIn, settings: o.Settings,
	}
	err = c.locked(ctx, func() error {
		if err := fetch(c); err != nil {
			return err
		}
		if e.version, err = neo4jVersion(lib); err != nil {
			return err
		}
		e.launcher, err = prepareLauncher(c)
		return err
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// neo4jVersion returns the version of the Neo4j in lib from the name of a jar.
func neo4jVersion(lib string) (string, error) {
	found, _ := filepath.Glob(filepath.Join(lib, kernelJar+"[0-9]*.jar")) // the pattern is a good one
	if len(found) != 1 {
		return "", fmt.Errorf("find Neo4j's version: %s has no %s*.jar; is NEO4J_HOME an installed Neo4j?", lib, kernelJar)
	}
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(found[0]), kernelJar), ".jar")
	if !strings.HasPrefix(version, "5.") && !strings.HasPrefix(version, "20") {
		return "", fmt.Errorf("find Neo4j's version: %s has Neo4j %s, and Kith needs 5.26 or newer", lib, version)
	}
	return version, nil
}

func (e *javaEngine) fingerprint() string {
	return hash(append(e.args(), e.java, e.version, e.conf(0))...)
}

func (e *javaEngine) start(_ context.Context, port int) (instance, error) {
	if err := writeFile(e.folder.conf(), []byte(e.conf(port))); err != nil {
		return nil, fmt.Errorf("write neo4j.conf: %w", err)
	}
	console, err := openConsole(e.folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = console.Close() }() // the child has its own handle
	cmd := exec.Command(e.java, e.args()...)
	cmd.Dir, cmd.Env = e.folder.home(), childEnviron()
	cmd.Stdout, cmd.Stderr = console, console
	p, err := startProcess(cmd, e.folder.console())
	if err != nil { // not p: a nil pointer is not a nil instance
		return nil, err
	}
	return p, nil
}

func (e *javaEngine) args() []string {
	args := []string{fmt.Sprintf("-Xmx%dm", e.heapMB), "-XX:+ExitOnOutOfMemoryError", "-Djava.awt.headless=true", "-Dfile.encoding=UTF-8"}
	if e.heapMB <= serialLimit {
		args = append(args, "-XX:+UseSerialGC")
	}
	for _, opened := range []string{"java.nio", "java.io", "sun.nio.ch"} {
		args = append(args, "--add-opens", "java.base/"+opened+"=ALL-UNNAMED")
	}
	classPath := e.launcher + string(os.PathListSeparator) + filepath.Join(e.lib, "*")
	return append(args, "-cp", classPath, launcherClass, e.folder.home())
}

// transactionMB returns the memory of one transaction: half of the heap, which the largest writes of the contract need with the default, and
// a quarter of a smaller one. Without a bound, one transaction could take all.
func transactionMB(heapMB int) int {
	if heapMB < defaultHeapMB {
		return max(heapMB/4, leastTransactionMB)
	}
	return heapMB / 2
}

// transactionsMB returns the memory of all transactions together. The rest of the heap is for plans, connections and indexes.
func transactionsMB(heapMB int) int {
	if heapMB < defaultHeapMB {
		return max(heapMB/2, leastTransactionMB)
	}
	return heapMB * 5 / 8
}

// conf returns Neo4j's configuration. No setting reduces the durability of acknowledged writes.
func (e *javaEngine) conf(port int) string {
	lines := []string{
		"server.bolt.enabled=true",
		fmt.Sprintf("server.bolt.listen_address=%s:%d", host, port),
		"server.http.enabled=false",
		"dbms.security.auth_enabled=true",
		"dbms.usage_report.enabled=false",
		"db.tx_log.preallocate=false",        // 2 MB on disk instead of 517
		"db.logs.query.enabled=OFF",          // it would contain texts of memories
		"db.tx_log.rotation.size=" + logSize, // erased text stays in the logs until a checkpoint after their rotation
		"db.tx_log.rotation.retention_policy=" + logsKept,
		"db.checkpoint.interval.time=" + e.checkpointIn,
		fmt.Sprintf("db.memory.transaction.max=%dm", transactionMB(e.heapMB)),
		fmt.Sprintf("dbms.memory.transaction.total.max=%dm", transactionsMB(e.heapMB)),
		"server.memory.query_cache.per_db_cache_num_entries=" + strconv.Itoa(keptPlans),
		fmt.Sprintf("server.memory.heap.max_size=%dm", e.heapMB),
		fmt.Sprintf("server.memory.pagecache.size=%dm", e.pageMB),
	}
	if strings.HasPrefix(e.version, "5.26.") { // stops within 3 s instead of 10; unknown to other versions, perhaps
		lines = append(lines,
			"internal.server.bolt.thread_pool_shutdown_wait_time=1s",
			"internal.server.bolt.connection_shutdown_wait_time=1s")
	}
	lines = slices.DeleteFunc(lines, func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		return slices.ContainsFunc(e.settings, func(setting string) bool { return strings.HasPrefix(setting, name+"=") })
	})
	lines = append(lines, e.settings...)
	return strings.Join(lines, "\n") + "\n"
}
