package loader

import (
	"cmp"
	"context"
	"slices"

	"kith/graph"
	"kith/graph/neo"
)

var findKnownRelationships = neo.Load[knownRelationship]("knowledge_relationships")

// knownRelationship is a relationship between nodes of the knowledge.
type knownRelationship struct {
	From, Type, To string
	Properties     graph.Properties
}

// Bounds of one read of the whole knowledge.
const (
	maxKnowledge            = 10_000 // nodes
	maxKnowledgeLinks       = 20_000
	knowledgePage     int64 = 1000
)

// Knowledge holds all persons, concepts and entities that a scope sees, with the current relationships between them, in the order
// of their creation. Cut means that there are more of either than the bounds allow.
type Knowledge struct {
	Nodes         []graph.NodeView
	Relationships []graph.RelationshipView
	Cut           bool
}

// Knowledge reads what a scope knows.
func (s *Store) Knowledge(ctx context.Context, scope graph.Scope) (Knowledge, error) {
	var k Knowledge
	for _, kind := range []graph.Kind{graph.PersonKind, graph.ConceptKind, graph.EntityKind} {
		list := graph.NodeList{Kind: kind, Limit: knowledgePage}
		for more := true; more && !k.Cut; more = list.Cursor != "" {
			page, err := s.graph.Nodes(ctx, scope, list)
			if err != nil {
				return Knowledge{}, err
			}
			k.Nodes, list.Cursor = append(k.Nodes, page.Nodes...), page.Next
			k.Cut = len(k.Nodes) > maxKnowledge
		}
	}
	slices.SortFunc(k.Nodes, func(a, b graph.NodeView) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.EntityKey, b.EntityKey))
	})
	err := k.relate(ctx, s, scope)
	k.dropGenerated()
	return k, err
}

// dropGenerated removes generated owner nodes about which nothing is known.
func (k *Knowledge) dropGenerated() {
	k.Nodes = slices.DeleteFunc(k.Nodes, func(n graph.NodeView) bool {
		names := func(r graph.RelationshipView) bool { return r.From == n.EntityKey || r.To == n.EntityKey }
		return n.Generated && n.Description == "" && len(n.Notes) == 0 && !slices.ContainsFunc(k.Relationships, names)
	})
}

// relate reads the relationships, of some nodes at a time.
func (k *Knowledge) relate(ctx context.Context, s *Store, scope graph.Scope) error {
	for nodes := range slices.Chunk(k.Nodes, int(knowledgePage)) {
		if k.Cut {
			return nil
		}
		keys := make([]string, len(nodes))
		for i := range nodes {
			keys[i] = nodes[i].EntityKey
		}
		rows, err := findKnownRelationships.Read(ctx, s.db, map[string]any{
			"team_id": scope.TeamID, "user_id": scope.User(), "keys": keys, "now": s.graph.Now(),
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			k.Relationships = append(k.Relationships, graph.NewRelationshipView(row.From, row.Type, row.To, row.Properties, s.graph.Now()))
		}
		k.Cut = len(k.Relationships) > maxKnowledgeLinks
	}
	slices.SortFunc(k.Relationships, func(a, b graph.RelationshipView) int { return cmp.Compare(a.Key, b.Key) }) // generated keys begin with their time
	return nil
}
