package graph_test

import (
	"context"
	"testing"

	"kith/graph"
	"kith/graph/graphtest"
	"kith/internal/testenv"
	"kith/neo"
)

func TestPreferenceContract(t *testing.T) {
	t.Parallel()
	s, err := graph.Open(neo.Connection(testenv.Neo4j(t)), graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	graphtest.Preferences(t, s)
}
