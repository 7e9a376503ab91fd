package neo

import (
	"context"
	"net/url"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher"
)

const awaitIndexes = "CALL db.awaitIndexes(300)"

var findMembers = Load[string]("member_addresses")

// AwaitIndexes waits until all indexes have all data, on the leader of a cluster.
func (d *DB) AwaitIndexes(ctx context.Context) error { return d.Schema(ctx, "await", awaitIndexes) }

// Members returns the addresses of the members of a cluster; none if the database is no cluster.
func (d *DB) Members(ctx context.Context) ([]string, error) {
	if d.marks == nil {
		return nil, nil
	}
	at, err := url.Parse(d.from.URI)
	if err != nil {
		return nil, err // it is not reached: the driver has parsed the same
	}
	routing := map[string]any{"address": at.Host} // as the driver asks
	if at.Port() == "" {
		routing["address"] = at.Host + ":7687"
	}
	for name, values := range at.Query() {
		routing[name] = values[0]
	}
	var database any
	if d.from.Database != "" {
		database = d.from.Database
	}
	return findMembers.Read(ctx, d, map[string]any{"context": routing, "database": database})
}

// AwaitIndexesAt waits until a member of the cluster has the schema as this process knows it, and all indexes have all data there. It
// returns ErrUnreachable if nobody answers at the address. How long it waits for the schema is a setting of Neo4j.
func (d *DB) AwaitIndexesAt(ctx context.Context, member string) error {
	scheme, _, _ := strings.Cut(d.from.URI, "://")
	driver, err := d.from.driver("bolt" + strings.TrimPrefix(scheme, "neo4j") + "://" + member) // with TLS as the cluster
	if err != nil {
		return Translate("await indexes at "+member, err)
	}
	defer func() { _ = driver.Close(context.WithoutCancel(ctx)) }()
	session := driver.NewSession(ctx, neo4j.SessionConfig{
		AccessMode: neo4j.AccessModeRead, DatabaseName: d.from.Database, Bookmarks: d.marks.of(all),
	})
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	result, err := session.Run(ctx, cypher.Language+awaitIndexes, nil)
	if err == nil {
		_, err = result.Consume(ctx)
	}
	if neo4j.IsConnectivityError(err) && ctx.Err() == nil {
		return ErrUnreachable
	}
	return Translate("await indexes at "+member, err)
}
