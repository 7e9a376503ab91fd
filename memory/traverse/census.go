package traverse

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/neo"
)

var (
	countNodes         = neo.Load[countedNodes]("census_nodes")
	countRelationships = neo.Load[countedRelationships]("census_relationships")
)

// countedNodes are the numbers of nodes in a list of natural keys, and of their messages.
type countedNodes struct {
	Prefix          string
	Nodes, Messages int64
}

// countedRelationships is the number of relationships of a type between nodes with two sets of labels. Part: not all were
// counted.
type countedRelationships struct {
	From  graph.Labels
	Type  string
	To    graph.Labels
	Count int64
	Part  bool
}

// Census counts what a scope sees, by kind and type: the shared memory and the private memory of the user.
type Census struct {
	Nodes         map[string]int64 // by kind
	Relationships []RelationshipCount
	Part          bool // not everything was counted
}

// RelationshipCount is the number of current relationships of a type between nodes of two kinds.
type RelationshipCount struct {
	From, Type, To string // kinds and type
	Count          int64
}

// Bounds of a census.
const (
	censusNodes = 10_000 // of one kind
	censusFrom  = 500    // nodes of one kind whose relationships are counted
	censusEach  = 100    // relationships of one node
)

// Census counts the nodes and relationships that the scope sees.
func (s *Store) Census(ctx context.Context, scope graph.Scope) (Census, error) {
	c := Census{Nodes: map[string]int64{}}
	kinds := map[string]graph.Kind{}
	var prefixes []string
	users := []string{""}
	if scope.UserID != "" {
		users = append(users, scope.UserID)
	}
	for _, k := range graph.Kinds {
		for _, user := range users {
			if k != graph.MessageKind { // messages are counted with their sources
				prefixes = append(prefixes, graph.ListPrefix(k, user))
				kinds[graph.ListPrefix(k, user)] = k
			}
		}
	}
	lists, err := countNodes.Read(ctx, s.db, map[string]any{"team_id": scope.TeamID, "prefixes": prefixes, "most": censusNodes})
	if err != nil {
		return c, err
	}
	var some []string
	for _, l := range lists {
		if l.Nodes > 0 {
			c.Nodes[kinds[l.Prefix].Name] += l.Nodes
			some = append(some, l.Prefix)
		}
		if l.Messages > 0 {
			c.Nodes[graph.MessageKind.Name] += l.Messages
		}
		c.Part = c.Part || l.Nodes >= censusFrom
	}
	rows, err := countRelationships.Read(ctx, s.db, map[string]any{
		"team_id": scope.TeamID, "user_id": scope.User(), "prefixes": some, "most": censusFrom, "each": censusEach, "now": s.graph.Now(),
	})
	for _, row := range rows {
		c.Relationships = append(c.Relationships, RelationshipCount{
			From: row.From.Kind().Name, Type: row.Type, To: row.To.Kind().Name, Count: row.Count,
		})
		c.Part = c.Part || row.Part
	}
	return c, err
}

// PropertyType is the name and type of a property in statements of callers.
type PropertyType struct{ Name, Type string }

// commonProperties are the properties of all kinds.
var commonProperties = []PropertyType{ //nolint:gochecknoglobals // a constant table
	{"entity_key", "string"}, {"name", "string"}, {"description", "string"}, {"user_id", "string"}, {"state", "string"},
	{"salience", "float"}, {"confidence", "float"}, {"access_count", "integer"}, {"last_accessed_at", "datetime"},
	{"created_at", "datetime"}, {"updated_at", "datetime"}, {"ttl_policy", "string"}, {"version", "integer"}, {"notes", "list of JSON texts"},
	{"properties", "JSON text"},
}

// RelationshipProperties are the properties of relationships that statements of callers may read.
var RelationshipProperties = []PropertyType{ //nolint:gochecknoglobals // a constant table
	{"key", "string"}, {"description", "string"}, {"relationship_type", "string"}, {"attitude", "integer"}, {"proximity", "integer"},
	{"salience", "float"}, {"confidence", "float"}, {"state", "string"}, {"valid_from", "datetime"}, {"valid_to", "datetime"}, {"recorded_at", "datetime"},
	{"recorded_by", "string"}, {"user_id", "string"}, {"updated_at", "datetime"}, {"access_count", "integer"}, {"last_accessed_at", "datetime"},
	{"version", "integer"}, {"started_at", "datetime"}, {"notes", "list of JSON texts"}, {"properties", "JSON text"},
}

// CommonProperties returns the properties of all kinds that statements of callers may read.
func CommonProperties() []PropertyType { return slices.Clone(commonProperties) }

// OwnProperties returns the properties that only nodes of some kinds have.
func OwnProperties(k graph.Kind) []PropertyType {
	var own []PropertyType
	switch k {
	case graph.PersonKind:
		own = append(own, PropertyType{"canonical_name", "string"}, PropertyType{"is_owner", "boolean"})
	case graph.ConceptKind:
		own = append(own, PropertyType{"is_goal", "boolean"})
	case graph.EntityKind:
		own = append(own, PropertyType{"type", "string"})
	}
	for field := range reflect.TypeFor[graph.OwnFields]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if slices.Contains(strings.Fields(field.Tag.Get("kinds")), k.Name) && !slices.Contains(hiddenProperties, name) {
			own = append(own, PropertyType{name, typeNames[field.Type]})
		}
	}
	return own
}

var typeNames = map[reflect.Type]string{ //nolint:gochecknoglobals // a constant table
	reflect.TypeFor[graph.Optional[string]](): "string", reflect.TypeFor[graph.Optional[int64]](): "integer", reflect.TypeFor[graph.Optional[float64]](): "float",
	reflect.TypeFor[graph.Optional[bool]](): "boolean", reflect.TypeFor[graph.Optional[time.Time]](): "datetime", reflect.TypeFor[graph.Optional[[]string]](): "list of strings",
	reflect.TypeFor[graph.Optional[json.RawMessage]](): "JSON text",
}
