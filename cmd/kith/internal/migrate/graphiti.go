package migrate

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"

	"kith/cmd/kith/internal/terminal"
)

//go:embed cypher/*.cypher
var statements embed.FS

// GraphitiOptions say how to reach the Neo4j of Graphiti, and what to read.
type GraphitiOptions struct {
	Address  string
	Account  string
	Password string
	Database string
	Groups   []string // empty: all

	Progress *terminal.Progress
}

// graphiti reads Graphiti's nodes and edges from its Neo4j.
type graphiti struct {
	driver   neo4j.DriverWithContext
	database string
	groups   any // a list, or nil: all
	doc      *document
}

// graphitiPage is how many nodes or edges a statement returns.
const graphitiPage = 500

// graphitiParts lists the lists of the file, with what they are read with, and the properties that the classes of their
// elements have. Further properties are attributes, which Graphiti stores beside them.
var graphitiParts = []struct {
	section, statement string
	own                []string
}{
	{"entity_nodes", "entities", []string{"uuid", "name", "group_id", "summary", "created_at", "labels", "name_embedding"}},
	{"episodic_nodes", "episodes", nil},
	{"community_nodes", "communities", nil},
	{"entity_edges", "facts", []string{
		"uuid", "name", "group_id", "fact", "fact_embedding", "episodes", "created_at", "expired_at", "valid_at", "invalid_at",
		"reference_time", "source_uuid", "target_uuid", "source_node_uuid", "target_node_uuid",
	}},
	{"episodic_edges", "mentions", nil},
}

// Graphiti writes the nodes and edges of Graphiti, from its Neo4j.
func Graphiti(ctx context.Context, o *GraphitiOptions, out io.Writer) error {
	driver, err := neo4j.NewDriverWithContext(o.Address, neo4j.BasicAuth(o.Account, o.Password, ""), func(c *config.Config) {
		c.ConnectionAcquisitionTimeout, c.SocketConnectTimeout = requestTimeout, 10*time.Second
		c.MaxTransactionRetryTime = requestTimeout
	})
	if err != nil {
		return errors.New("the address must be one of Neo4j, such as bolt://127.0.0.1:7687")
	}
	defer func() { _ = driver.Close(context.WithoutCancel(ctx)) }()
	g := &graphiti{driver: driver, database: o.Database, doc: newDocument(out, o.Progress)}
	if len(o.Groups) > 0 {
		g.groups = o.Groups
	}
	for _, part := range graphitiParts {
		g.doc.begin(part.section)
		if err := g.readPart(ctx, part.statement, part.own); err != nil {
			return fmt.Errorf("read %s: %w", part.statement, err)
		}
	}
	return g.doc.end()
}

// readPart writes what a statement returns, page by page in the order of UUIDs.
func (g *graphiti) readPart(ctx context.Context, name string, own []string) error {
	statement, err := statements.ReadFile("cypher/graphiti_" + name + ".cypher")
	if err != nil {
		return err
	}
	for after := ""; ; {
		result, err := neo4j.ExecuteQuery(ctx, g.driver, string(statement),
			map[string]any{"groups": g.groups, "after": after, "limit": graphitiPage}, neo4j.EagerResultTransformer,
			neo4j.ExecuteQueryWithReadersRouting(), neo4j.ExecuteQueryWithDatabase(g.database))
		if err != nil {
			return err
		}
		for _, record := range result.Records {
			if err := g.doc.add(graphitiElement(record.AsMap(), own)); err != nil {
				return err
			}
		}
		if len(result.Records) < graphitiPage {
			return nil
		}
		after, _ = result.Records[graphitiPage-1].AsMap()["uuid"].(string)
	}
}

// graphitiElement converts a row to the JSON form of Graphiti's object.
func graphitiElement(row map[string]any, own []string) map[string]any {
	properties, _ := row["properties"].(map[string]any)
	element, attributes := map[string]any{}, map[string]any{}
	for name, value := range properties {
		switch {
		case value == nil:
		case own == nil || slices.Contains(own, name):
			element[name] = plain(value)
		default:
			attributes[name] = plain(value)
		}
	}
	if len(attributes) > 0 {
		element["attributes"] = attributes
	}
	for name, column := range map[string]string{"labels": "labels", "source_node_uuid": "source", "target_node_uuid": "target"} {
		if value, found := row[column]; found {
			element[name] = value
		}
	}
	return element
}

// plain returns a value of Neo4j that encoding/json can encode.
func plain(value any) any {
	switch v := value.(type) {
	case string, bool, int64:
		return v
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) { // JSON has no such numbers
			return fmt.Sprint(v)
		}
		return v
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
		return v
	case fmt.Stringer: // dates and local times
		return v.String()
	}
	return fmt.Sprint(value)
}
