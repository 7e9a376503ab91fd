package graph

import (
	"errors"

	"kith/graph/neo"
)

// Errors of the store. Those of package fault come beside them.
var (
	// ErrUnavailable means that the database is down, full, read-only, or did not answer in time.
	ErrUnavailable = neo.ErrUnavailable
	// ErrTooLarge means that a call needs more memory than the database gives to one transaction. Nothing was written.
	ErrTooLarge = neo.ErrTooLarge
	// ErrInDoubt means that the commit was not answered: what was to be written may be stored, also later.
	ErrInDoubt = neo.ErrInDoubt
	// ErrBusy means that the team runs as much as it may; the caller can try again.
	ErrBusy = errors.New("too many requests of the team at once")
	// ErrQuota means that the team stores as much as it may. It can still read, delete, and shorten what it has.
	ErrQuota = errors.New("quota exceeded")
	// ErrSchemaNewer means that a newer Kith has written the database.
	ErrSchemaNewer = errors.New("the database has a newer schema than this kith")
	// ErrModel means that the vectors in the database were made by another model than the embedder's.
	ErrModel = errors.New("the stored vectors were made by another embedding model")
)
