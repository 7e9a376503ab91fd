// Package fault describes what is wrong with an input: at which place, of which sort, and in words. It collects faults, has
// the checks that several packages share, and the errors that callers get. It knows nothing of what is checked, nor of HTTP.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNotFound means that an id is unknown or belongs to another user or team; the two are not distinguished.
	ErrNotFound = errors.New("not found")
	// ErrInvalid means that the input breaks a rule. InvalidError has the rule and the location.
	ErrInvalid = errors.New("invalid input")
	// ErrConflict means that the input is well-formed, but stored data does not allow it.
	ErrConflict = errors.New("conflict")
)

// Code is the sort of a fault, for programs. A fault without one has a rule of its own, which only its message states.
type Code string

// The sorts of faults.
const (
	Required     Code = "required"      // omitted, null, empty or blank
	UnknownField Code = "unknown_field" // nothing has a field of this name here
	WrongType    Code = "wrong_type"    // another JSON type than the field's
	Malformed    Code = "malformed"     // not in the form that the field has
	TooLong      Code = "too_long"      // more characters, bytes or levels than allowed
	WrongCount   Code = "wrong_count"   // more or fewer items than allowed
	OutOfRange   Code = "out_of_range"  // a number or time outside its bounds
	NotOneOf     Code = "not_one_of"    // none of the words of a closed list
	NotAllowed   Code = "not_allowed"   // may not be given here, or not by this caller
	Duplicate    Code = "duplicate"     // the same as another item of the request
	Contrary     Code = "contrary"      // contradicts another field of the request
	Missing      Code = "missing"       // names a record that does not exist
	Conflict     Code = "conflict"      // stored data does not allow it
)

// FieldError is one fault of an input. Message never repeats the submitted value.
type FieldError struct {
	Path    Path
	Code    Code
	Message string
	Version *int64 // the stored version, if it differs from the required one
}

// String returns the place and the message.
func (e FieldError) String() string { return e.Path.String() + ": " + e.Message }

// InvalidError holds every fault of an input. It unwraps to ErrInvalid.
type InvalidError struct{ Fields []FieldError }

// Invalid returns an InvalidError with one fault.
func Invalid(place Path, code Code, format string, args ...any) error {
	return &InvalidError{Fields: []FieldError{{Path: place, Code: code, Message: fmt.Sprintf(format, args...)}}}
}

// Error lists locations and messages.
func (e *InvalidError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.String()
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

// Stale returns the fault of an input that requires another version than the stored one.
func Stale(place Path, stored int64) FieldError {
	return FieldError{Path: place, Code: Conflict, Message: fmt.Sprintf("the stored version is %d", stored), Version: &stored}
}

// Error describes the error; the fields have the versions.
func (e *VersionError) Error() string { return "the stored version differs from the required one" }

// Unwrap makes errors.Is(err, ErrConflict) true.
func (e *VersionError) Unwrap() error { return ErrConflict }

// Fields returns the faults that an error holds; nil if it is none of the errors of this package.
func Fields(err error) []FieldError {
	var invalid *InvalidError
	var version *VersionError
	var missing *MissingError
	switch {
	case errors.As(err, &invalid):
		return invalid.Fields
	case errors.As(err, &version):
		return version.Fields
	case errors.As(err, &missing):
		return missing.Fields
	}
	return nil
}

// Relocate returns an error of the same type with other places of its faults. Errors without faults stay as they are.
func Relocate(err error, place func(Path) Path) error {
	fields := Fields(err)
	if len(fields) == 0 {
		return err
	}
	moved := make([]FieldError, len(fields))
	for i, f := range fields {
		moved[i] = f
		moved[i].Path = place(f.Path)
	}
	switch {
	case errors.Is(err, ErrConflict):
		return &VersionError{Fields: moved}
	case errors.Is(err, ErrNotFound):
		return &MissingError{Fields: moved}
	}
	return &InvalidError{Fields: moved}
}

// Within returns an error with the faults at a place, or in what it holds, located within that place.
func Within(err error, place Path) error {
	return Relocate(err, func(p Path) Path {
		p, _ = p.Cut(place)
		return p
	})
}

// Under returns an error of a part of an input as one of the whole that has the part at a place.
func Under(err error, place Path) error {
	return Relocate(err, func(p Path) Path { return p.Under(place) })
}
