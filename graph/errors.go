package graph

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNotFound says: the id is unknown, or belongs to somebody else; the two are not told apart.
	ErrNotFound = errors.New("not found")
	// ErrInvalid says: the input breaks a rule; see InvalidError for which and where.
	ErrInvalid = errors.New("invalid input")
	// ErrConflict says: the input is well-formed, but what is stored does not allow it.
	ErrConflict = errors.New("conflict")
	// ErrUnavailable says: the database is away, full, read-only, or did not answer in time.
	ErrUnavailable = errors.New("database unavailable")
	// ErrBusy says: the team has as much running as it may; it can be tried again.
	ErrBusy = errors.New("too much of the team runs at once")
	// ErrQuota says: the team has as much as it may; it can read what there is, delete it, and change it to something shorter.
	ErrQuota = errors.New("quota")
	// ErrSchemaNewer says: the database was written by a newer Kith than this one.
	ErrSchemaNewer = errors.New("the database has a newer schema than this kith")
	// ErrModel says: the vectors in the database are of another model than the embedder's.
	ErrModel = errors.New("the memory has vectors of another embedding model")
)

// FieldError is one fault of an input. Location is a path as in the request body ("nodes[3].name").
// Message never repeats the submitted value.
type FieldError struct {
	Location string
	Message  string
	Version  *int64 // the stored version, where another one was asked for
}

// InvalidError carries every fault of an input; it unwraps to ErrInvalid.
type InvalidError struct{ Fields []FieldError }

// Error lists locations and messages.
func (e *InvalidError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Location + ": " + f.Message
	}
	return ErrInvalid.Error() + ": " + strings.Join(parts, "; ")
}

// Unwrap makes errors.Is(err, ErrInvalid) true.
func (e *InvalidError) Unwrap() error { return ErrInvalid }

// MissingError says which ids of an input are unknown, or belong to somebody else; it unwraps to ErrNotFound.
type MissingError struct{ Fields []FieldError }

// Error says that; the fields say where.
func (e *MissingError) Error() string { return "what the request names is not there" }

// Unwrap makes errors.Is(err, ErrNotFound) true.
func (e *MissingError) Unwrap() error { return ErrNotFound }

// VersionError says which items are stored in another version than the one asked for; it unwraps to ErrConflict.
type VersionError struct{ Fields []FieldError }

// Error says that; the fields say more.
func (e *VersionError) Error() string { return "another version is stored than the one asked for" }

// Unwrap makes errors.Is(err, ErrConflict) true.
func (e *VersionError) Unwrap() error { return ErrConflict }

// maxFaults bounds the list of an InvalidError: a request of ten thousand bad items needs no longer answer.
const maxFaults = 100

// faults collects field errors while an input is checked.
type faults struct{ fields []FieldError }

func (f *faults) add(location, format string, args ...any) {
	if len(f.fields) < maxFaults {
		f.fields = append(f.fields, FieldError{Location: location, Message: fmt.Sprintf(format, args...)})
	}
}

func (f *faults) err() error {
	if len(f.fields) == 0 {
		return nil
	}
	return &InvalidError{Fields: f.fields}
}
