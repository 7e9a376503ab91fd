package embedded

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// engine is a way of running Neo4j on one data folder.
type engine interface {
	// start starts Neo4j with Bolt on the port and does not wait until it answers.
	start(ctx context.Context, port int) (instance, error)
	// fingerprint changes with the version and every setting but the port.
	fingerprint() string
}

// instance is one running Neo4j.
type instance interface {
	identify(s state) state // returns s with the data that finds the instance again
	pid() int
	ended() <-chan struct{} // closed when it has ended, for whatever reason
	terminate() error       // requests an orderly stop
	kill() error
	output() string // the last lines it printed
}

// chooseEngine returns the first available engine, in the order of the package comment.
func chooseEngine(ctx context.Context, o Options, f folder) (engine, error) {
	if o.Neo4jHome != "" {
		return installedEngine(ctx, o, f)
	}
	java, jarsErr := findJava(ctx, Version)
	if jarsErr == nil {
		var e engine
		if e, jarsErr = fetchedEngine(ctx, o, f, java); !errors.Is(jarsErr, ErrMissingMaven) {
			return e, jarsErr
		}
	}
	docker, dockerErr := findDocker(ctx, o, f)
	if dockerErr != nil {
		return nil, fmt.Errorf("find a way to run Neo4j: %w (nor can a container do: %w)", jarsErr, dockerErr)
	}
	return docker, nil
}

// hash returns a short fingerprint of the parts.
func hash(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
