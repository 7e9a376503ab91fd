package embedded

import (
	"errors"
	"fmt"
	"io/fs"
)

// Exists reports whether the data folder dir holds a database, running or not.
func Exists(dir string) bool {
	f, err := existingFolder(dir)
	return err == nil && (!f.isNew() || f.isSwapping())
}

// Attach returns the endpoint of the Neo4j that a live process (`kith serve`) runs on the data folder dir, for a
// command beside it. It starts and changes nothing. Where no process does, or its Neo4j is not ready for the first
// time, it returns ErrNotRunning. While that process restarts a Neo4j that died, the endpoint is returned and does not
// answer yet.
func Attach(dir string) (Endpoint, error) {
	f, err := existingFolder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Endpoint{}, fmt.Errorf("attach to %s: %w", dir, ErrNotRunning)
	}
	if err != nil {
		return Endpoint{}, fmt.Errorf("attach to %s: %w", dir, err)
	}
	held, err := isHeld(f)
	if err != nil {
		return Endpoint{}, fmt.Errorf("attach to %s: %w", dir, err)
	}
	s, err := readState(f)
	if err != nil {
		return Endpoint{}, fmt.Errorf("attach to %s: %w", dir, err)
	}
	if !held || !s.Ready {
		return Endpoint{}, fmt.Errorf("attach to %s: %w", dir, ErrNotRunning)
	}
	password, err := readPassword(f)
	if err != nil {
		return Endpoint{}, fmt.Errorf("attach to %s: %w", dir, err)
	}
	return Endpoint{URI: s.URI, User: s.User, Password: password}, nil
}
