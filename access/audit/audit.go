// Package audit writes the audit log: who changed what, and when. Each change appends one JSON line. It holds ids, but
// no content of the memory.
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

// Entry is one change. Status is the status of the response: with 500 and above something may have changed.
type Entry struct {
	At        time.Time `json:"at"`
	Operation string    `json:"operation"` // method and route, or a command
	Status    int       `json:"status,omitempty"`
	RequestID string    `json:"request_id,omitempty"` // as in the service log
	KeyID     string    `json:"key_id,omitempty"`     // an API key, or oidc: and the subject of a token
	TeamID    string    `json:"team_id"`
	Users     []string  `json:"users,omitempty"` // users whose memory changed; the empty string stands for shared memory
	IDs       []string  `json:"ids,omitempty"`   // changed objects: keys of nodes and relationships, ids of users, teams and API keys
}

// Log writes entries. It is safe for concurrent use, also by several processes on one file. A nil Log discards them.
type Log struct {
	mu sync.Mutex
	to io.WriteCloser

	written, failed atomic.Int64
}

// Open opens the log at a path, and creates a missing file with access for its owner only. "-" is standard output; an
// empty path returns a nil Log. Close it after use.
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

// Write appends an entry by a single system call.
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

// Entries returns how many entries were written since the log was opened, and how many failed.
func (l *Log) Entries() (written, failed int64) { return l.written.Load(), l.failed.Load() }

// Close closes the file.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	return l.to.Close()
}

// unclosed is a shared output, which Close leaves open.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }
