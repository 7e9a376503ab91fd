// Package embedded fetches, starts and stops a Neo4j: the Neo4j Community server in a separate process, on the loopback
// interface, with a generated password and a data folder.
//
// It finds the server in this order: an installed Neo4j (Options.Neo4jHome), Java with jars that are fetched once (from
// Options.Repository, or with Maven), a Docker engine. It does not choose between an embedded and a given database, has no schema and runs no statement of
// Kith; it knows nothing of the rest of Kith.
package embedded

import (
	"io"
	"log/slog"
)

// Version is the version of the Neo4j that is fetched.
const Version = "5.26.24"

// Endpoint holds the address and login of a database.
type Endpoint struct{ URI, User, Password string }

// Options configures the location and size of an embedded Neo4j. Dir is required.
type Options struct {
	// Dir is the data folder; it is created with mode 0700. One process at a time may use it.
	Dir string
	// CacheDir holds fetched jars and the launcher, shared by all data folders of the user. Empty: the folder kith
	// in os.UserCacheDir.
	CacheDir string
	// Neo4jHome is an installed Neo4j, 5.26 or newer, whose lib folder is used instead of fetching. Empty: none.
	Neo4jHome string
	// Repository is the address of a Maven repository, from which the jars are fetched without Maven. Empty: with Maven.
	Repository string
	// HeapMB is the largest Java heap; 0: 1,024.
	HeapMB int
	// PageCacheMB is the size of Neo4j's page cache; 0: 256.
	PageCacheMB int
	// Settings are further lines of Neo4j's configuration ("name=value"), which replace others of the same name; a container ignores them.
	Settings []string
	// Log gets starts, stops, restarts and their reasons; nil: no log.
	Log *slog.Logger
	// Progress gets lines for a waiting person; nil: none.
	Progress io.Writer

	checkpointIn string // interval of Neo4j's checkpoints; empty: five minutes
}

const (
	defaultHeapMB      = 1024
	firstHeapMB        = 512 // of a container, which takes it from its start
	defaultPageCacheMB = 256
	user               = "neo4j"
	host               = "127.0.0.1"
)

// withDefaults returns o with every optional field filled in.
func (o Options) withDefaults() Options {
	if o.HeapMB <= 0 {
		o.HeapMB = defaultHeapMB
	}
	if o.PageCacheMB <= 0 {
		o.PageCacheMB = defaultPageCacheMB
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	if o.checkpointIn == "" {
		o.checkpointIn = defaultCheckpointIn
	}
	return o
}
