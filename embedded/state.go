package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// state is what is known about the Neo4j of a data folder across processes: its file lets a later process find what an
// earlier one left running, and commands find what `kith serve` runs. It holds no secret.
type state struct {
	PID         int    `json:"pid,omitempty"`         // of java; 0: none is meant to run
	Started     string `json:"started,omitempty"`     // start time of that process, in the system's own form
	Container   string `json:"container,omitempty"`   // instead of a process: the name of the Docker container
	Fingerprint string `json:"fingerprint,omitempty"` // of the server and its configuration
	Port        int    `json:"port"`
	URI         string `json:"uri"`
	User        string `json:"user"`
	Ready       bool   `json:"ready"` // it answered with the real password under the process that holds the lock
}

// readState returns the zero state when there is none, and when its file is damaged: what it holds can be found anew.
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
