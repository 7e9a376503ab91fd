package neo

import (
	"net"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
)

// A connection that cannot be had in time, as the database hangs, is not a broken one; a refused one is.
func TestLostConnections(t *testing.T) {
	t.Parallel()
	hangs, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // of a test
	if err != nil {
		t.Fatal(err)
	}
	read := func() error {
		driver, err := neo4j.NewDriverWithContext("bolt://"+hangs.Addr().String(), neo4j.NoAuth(), func(c *config.Config) {
			c.ConnectionAcquisitionTimeout = 50 * time.Millisecond
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = driver.Close(t.Context()) }()
		session := driver.NewSession(t.Context(), neo4j.SessionConfig{})
		defer func() { _ = session.Close(t.Context()) }()
		_, err = session.Run(t.Context(), "RETURN 1", nil)
		return err
	}
	if err := read(); err == nil || lostConnection(err) {
		t.Errorf("a database that hangs: %v", err)
	}
	_ = hangs.Close()
	if err := read(); !lostConnection(err) {
		t.Errorf("no database: %v", err)
	}
}
