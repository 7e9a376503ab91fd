package chat

import (
	"testing"
	"time"

	"kith/tests/graphtest"
)

// noon is the time at which the clock of these tests starts. It is in the future, because the services of concurrent tests
// interrupt every generation of the database whose lease has expired.
var noon = time.Date(2100, 3, 4, 12, 0, 0, 0, time.UTC)

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

func withChats(e *graphtest.Env) *env {
	e.Now = noon
	return &env{e, NewStore(e.Store)}
}
