package chat

import (
	"testing"

	"kith/graph/graphtest"
)

// env is the memory of a team with its chats.
type env struct {
	*graphtest.Env
	chats *Store
}

// fresh returns the chats of a new team, for a test that runs beside others.
func fresh(t *testing.T) *env {
	t.Helper()
	return withChats(graphtest.New(t))
}

// alone does the same for a test that runs beside no other.
func alone(t *testing.T) *env {
	t.Helper()
	return withChats(graphtest.Alone(t))
}

func withChats(e *graphtest.Env) *env { return &env{e, NewStore(e.Store)} }
