// Package audit writes who changed what, and when: one line of JSON for each change, only ever appended. It holds ids, and
// nothing of what is in a memory.
package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Entry is one change. Status is that of the answer: one of 500 and above may have changed something.
type Entry struct {
	At        time.Time `json:"at"`
	Operation string    `json:"operation"` // method and route, or a command
	Status    int       `json:"status,omitempty"`
	RequestID string    `json:"request_id,omitempty"` // as in the service's log
	KeyID     string    `json:"key_id,omitempty"`     // who: an API key, or oidc: and the subject of a token
	TeamID    string    `json:"team_id"`
	Users     []string  `json:"users,omitempty"` // whose memory changed; the empty text: what the team shares
	IDs       []string  `json:"ids,omitempty"`   // what changed: keys of nodes and relationships, ids of users, teams and API keys
}

// Log is where entries go. It is safe for concurrent use, also by several processes on one file. A nil one takes none.
type Log struct {
	mu sync.Mutex
	to io.WriteCloser

	written, failed atomic.Int64
}

// Open opens a log at a path, and makes the file where there is none, for its owner alone. "-" is standard output, and an
// empty path no log. Close it after use.
func Open(path string, standard io.Writer) (*Log, error) {
	switch path {
	case "":
		return nil, nil
	case "-":
		return &Log{to: unclosed{standard}}, nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open KITH_AUDIT_LOG: %w", err)
	}
	return &Log{to: file}, nil
}

// Write appends an entry, in one call of the operating system.
func (l *Log) Write(e Entry) error {
	if l == nil {
		return nil
	}
	if err := l.append(e); err != nil {
		l.failed.Add(1)
		return fmt.Errorf("write audit log: %w", err)
	}
	l.written.Add(1)
	return nil
}

func (l *Log) append(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.to.Write(append(line, '\n'))
	return err
}

// Entries are how many were written since the log was opened, and how many could not be.
func (l *Log) Entries() (written, failed int64) { return l.written.Load(), l.failed.Load() }

// Close closes the file.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	return l.to.Close()
}

// unclosed is an output that others use too.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }
