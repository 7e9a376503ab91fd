package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"kith/graph"
	"kith/internal/bounds"
)

// memory collects the nodes and relationships for passages and their triples: a source per passage, the entities that
// it mentions, and relationships between the entities.
type memory struct {
	now           time.Time
	nodes         []graph.NodeWrite
	relationships []graph.RelationshipWrite
	seen          map[string]bool   // entities, and mentions of them
	facts         map[[2]string]int // entities → their relationship
}

// addPassage adds a source. A text that is too long for a summary becomes a message of the source.
func (g *memory) addPassage(p *passage) {
	own := &graph.OwnFields{ContentType: graph.Some("text-note"), StartedAt: graph.Some(g.now), EndedAt: graph.Some(g.now)}
	node := graph.NodeWrite{Kind: "source", EntityKey: p.ID, OwnFields: own}
	if p.Title != "" {
		node.Name = graph.Some(p.Title)
	}
	if utf8.RuneCountInString(p.Text) <= bounds.TextLength {
		own.Summary = graph.Some(p.Text)
		g.nodes = append(g.nodes, node)
		return
	}
	g.nodes = append(g.nodes, node, graph.NodeWrite{
		Kind: "message", EntityKey: hashKey("text", p.ID), OwnFields: &graph.OwnFields{
			SourceKey: graph.Some(p.ID), Role: graph.Some("text"), Text: graph.Some(p.Text), At: graph.Some(g.now),
		},
	})
}

// addTriples adds the entities of a passage, including those that only its triples name, and their relationships.
func (g *memory) addTriples(t *passageTriples) {
	for _, name := range t.Entities {
		g.addEntity(t.Passage, name)
	}
	for _, triple := range t.Triples {
		g.addFact(g.addEntity(t.Passage, triple[0]), g.addEntity(t.Passage, triple[2]), strings.Join(triple, " "))
	}
}

// addEntity adds an entity if it is new, and the passage's mention of it. Names that differ only in case and white space
// name the same entity.
func (g *memory) addEntity(passage, name string) (key string) {
	name = strings.Join(strings.Fields(name), " ")
	key = hashKey("entity", strings.ToLower(name))
	if !g.seen[key] {
		g.seen[key] = true
		g.nodes = append(g.nodes, graph.NodeWrite{
			Kind: "entity", EntityKey: key, Name: graph.Some(name), Type: graph.Some("thing"),
		})
	}
	if mention := passage + "\x00" + key; !g.seen[mention] {
		g.seen[mention] = true
		g.relationships = append(g.relationships, graph.RelationshipWrite{From: passage, To: key, Type: "mentions"})
	}
	return key
}

// addFact adds a relationship, or adds the sentence to the existing one. A relationship of an entity with itself is ignored.
func (g *memory) addFact(from, to, sentence string) {
	if from == to {
		return
	}
	pair := [2]string{from, to}
	place, again := g.facts[pair]
	if !again {
		g.facts[pair] = len(g.relationships)
		g.relationships = append(g.relationships, graph.RelationshipWrite{
			From: from, To: to, Type: "connected_to", Description: graph.Some(sentence),
		})
		return
	}
	if said := &g.relationships[place].Description; !strings.Contains(said.Value, sentence) {
		said.Value += "\n" + sentence
	}
}

// writes returns the requests, nodes before relationships.
func (g *memory) writes() (writes []write) {
	add := func(n int, w *graph.MemoryWrite) {
		w.UserID, w.Strict = reader, true
		writes = append(writes, write{"/v1/memory", w, n})
	}
	for nodes := range slices.Chunk(g.nodes, batchSize) {
		add(len(nodes), &graph.MemoryWrite{Nodes: nodes})
	}
	for relationships := range slices.Chunk(g.relationships, batchSize) {
		add(len(relationships), &graph.MemoryWrite{Relationships: relationships})
	}
	return writes
}

// hashKey returns a key derived from the parts that identify a node.
func hashKey(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
