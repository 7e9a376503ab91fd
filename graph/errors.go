package graph

import (
	"errors"
	"fmt"
	"strings"

	"kith/neo"
)

var (
	// ErrNotFound means that an id is unknown or belongs to another user or team; the two are not distinguished.
	ErrNotFound = neo.ErrNotFound
	// ErrInvalid means that the input breaks a rule. InvalidError has the rule and the location.
	ErrInvalid = errors.New("invalid input")
	// ErrConflict means that the input is well-formed, but stored data does not allow it.
	ErrConflict = neo.ErrConflict
	// ErrUnavailable means that the database is down, full, read-only, or did not answer in time.
	ErrUnavailable = neo.ErrUnavailable
	// ErrBusy means that the team runs as much as it may; the caller can try again.
	ErrBusy = errors.New("too many requests of the team at once")
	// ErrQuota means that the team stores as much as it may. It can still read, delete, and shorten what it has.
	ErrQuota = errors.New("quota exceeded")
	// ErrSchemaNewer means that a newer Kith has written the database.
	ErrSchemaNewer = errors.New("the database has a newer schema than this kith")
	// ErrModel means that the vectors in the database were made by another model than the embedder's.
	ErrModel = errors.New("the stored vectors were made by another embedding model")
)

// FieldError is one fault of an input. Location is a path as in the request body ("nodes[3].name"). Message never repeats the
// submitted value.
type FieldError struct {
	Location string
	Message  string
	Version  *int64 // the stored version, if it differs from the required one
}

// InvalidError holds every fault of an input. It unwraps to ErrInvalid.
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

// MissingError names the ids of an input that are unknown, or belong to another user or team. It unwraps to ErrNotFound.
type MissingError struct{ Fields []FieldError }

// Error describes the error; the fields have the locations.
func (e *MissingError) Error() string { return "the request names records that do not exist" }

// Unwrap makes errors.Is(err, ErrNotFound) true.
func (e *MissingError) Unwrap() error { return ErrNotFound }

// VersionError names the items whose stored version differs from the required one. It unwraps to ErrConflict.
type VersionError struct{ Fields []FieldError }

// Error describes the error; the fields have the versions.
func (e *VersionError) Error() string { return "the stored version differs from the required one" }

// Unwrap makes errors.Is(err, ErrConflict) true.
func (e *VersionError) Unwrap() error { return ErrConflict }

// maxFaults bounds the list of an InvalidError: no answer needs more faults.
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
