package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// state is the state of a data folder's Neo4j across processes. From its file a later process finds a Neo4j left by an
// earlier one, and commands find the one of `kith serve`. It holds no secret.
type state struct {
	PID         int    `json:"pid,omitempty"`         // of java; 0: none should run
	Started     string `json:"started,omitempty"`     // start time of that process, in the system's own form
	Container   string `json:"container,omitempty"`   // instead of a process: the name of the Docker container
	Fingerprint string `json:"fingerprint,omitempty"` // of the server and its configuration
	Port        int    `json:"port"`
	URI         string `json:"uri"`
	User        string `json:"user"`
	Ready       bool   `json:"ready"` // it answered with the real password under the process that holds the lock
}

// readState returns the zero state when the file is missing or damaged: its data can be found again.
func readState(f folder) (state, error) {
	var s state
	text, err := os.ReadFile(f.state())
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read state: %w", err)
	}
	if json.Unmarshal(text, &s) != nil {
		return state{}, nil
	}
	return s, nil
}

func (s state) write(f folder) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = writeFile(f.state(), append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	return nil
}

// on returns s with the address for the given port.
func (s state) on(port int) state {
	s.Port, s.User = port, user
	s.URI = fmt.Sprintf("bolt://%s:%d", host, port)
	return s
}
