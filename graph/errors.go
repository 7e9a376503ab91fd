package graph

import (
	"errors"

	"kith/internal/fault"
	"kith/neo"
)

// The errors that a request causes, for callers of the store. Those of fault wrap them, with the places.
var (
	// ErrNotFound means that an id is unknown or belongs to another user or team; the two are not distinguished.
	ErrNotFound = fault.ErrNotFound
	// ErrInvalid means that the input breaks a rule. A fault.InvalidError has the rule and the location.
	ErrInvalid = fault.ErrInvalid
	// ErrConflict means that the input is well-formed, but stored data does not allow it.
	ErrConflict = fault.ErrConflict
)

var (
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
