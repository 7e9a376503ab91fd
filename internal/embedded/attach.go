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

// Attach returns the endpoint of the Neo4j that a live process (`kith serve`) runs on the data folder dir, for another
// command. It starts and changes nothing. It returns ErrNotRunning if no process runs one, or if it was never ready.
// While that process restarts a dead Neo4j, Attach returns the endpoint, which does not answer yet.
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
