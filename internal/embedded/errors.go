package embedded

import "errors"

// Errors of Start and Attach; test for them with errors.Is. The text of the returned error says more.
var (
	// ErrLocked reports that another process uses the data folder.
	ErrLocked = errors.New("the data folder is in use")
	// ErrNotRunning reports that no live process runs an embedded Neo4j on the data folder.
	ErrNotRunning = errors.New("no embedded Neo4j runs")
	// ErrMissingJava reports that there is no Java, or one too old for the Neo4j.
	ErrMissingJava = errors.New("need Java (17 or newer; for Neo4j 2025 and newer 21): install openjdk-17-jre-headless or pip install 'kith-server[java]', or set KITH_NEO4J_URI to a running Neo4j")
	// ErrMissingMaven reports that there are no jars yet and no Maven to fetch them.
	ErrMissingMaven = errors.New("need Maven to fetch Neo4j once: install maven, or set KITH_NEO4J_REPOSITORY to the address of a Maven repository, " +
		"NEO4J_HOME to an installed Neo4j, or KITH_NEO4J_URI to a running one")
	// ErrMissingDocker reports that no Docker engine answers.
	ErrMissingDocker = errors.New("no Docker engine answers")
	// ErrPassword reports that the database accepts neither the password of the data folder nor the one of a new database.
	ErrPassword = errors.New("the database refuses the password kept beside it in neo4j/auth")
)

// errEnded: Neo4j ended by itself before it answered.
var errEnded = errors.New("Neo4j ended by itself")
