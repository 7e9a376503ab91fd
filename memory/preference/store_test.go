package preference_test

import (
	"context"
	"testing"

	"kith/graph"
	"kith/graph/neo"
	"kith/memory/preference"
	"kith/tests/preferencetest"
	"kith/tests/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func TestStore(t *testing.T) {
	t.Parallel()
	s, err := graph.Open(neo.Connection(testenv.Neo4j(t)), graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	preferencetest.Run(t, preference.NewStore(s))
}
