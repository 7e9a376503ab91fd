package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kith/access/auth"
	"kith/exchange"
	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/loader"
	"kith/text/clip"
	"kith/text/markup"
)

// The tools of the reference MCP memory server, by its names and with its results, on the persons, concepts and entities that
// the user of the key may see (docs/mcp.md says where the two differ).

type memoryEntity struct {
	Name         string   `json:"name" minLength:"1" maxLength:"512" doc:"The name of the entity"`
	EntityType   string   `json:"entityType" maxLength:"128" doc:"The type of the entity"`
	Observations []string `json:"observations" maxItems:"100" doc:"An array of observation contents associated with the entity"`
}

type memoryRelation struct {
	From         string `json:"from" minLength:"1" maxLength:"512" doc:"The name of the entity where the relation starts"`
	To           string `json:"to" minLength:"1" maxLength:"512" doc:"The name of the entity where the relation ends"`
	RelationType string `json:"relationType" minLength:"1" maxLength:"512" doc:"The type of the relation"`
}

type memoryEntities struct {
	Entities []memoryEntity `json:"entities" maxItems:"1000"`
}

type memoryRelations struct {
	Relations []memoryRelation `json:"relations" maxItems:"1000"`
}

type memoryGraph struct {
	Entities  []memoryEntity   `json:"entities"`
	Relations []memoryRelation `json:"relations"`
}

type memoryObservations struct {
	Observations []struct {
		EntityName string   `json:"entityName" maxLength:"512" doc:"The name of the entity to add the observations to"`
		Contents   []string `json:"contents" maxItems:"100" doc:"An array of observation contents to add"`
	} `json:"observations" maxItems:"1000"`
}

type memoryAdded struct {
	Results []memoryAddition `json:"results"`
}

type memoryAddition struct {
	EntityName        string   `json:"entityName"`
	AddedObservations []string `json:"addedObservations"`
}

type memoryNames struct {
	EntityNames []string `json:"entityNames" maxItems:"1000" doc:"An array of entity names to delete"`
}

type memoryDeletions struct {
	Deletions []struct {
		EntityName   string   `json:"entityName" maxLength:"512" doc:"The name of the entity containing the observations"`
		Observations []string `json:"observations" maxItems:"1000" doc:"An array of observations to delete"`
	} `json:"deletions" maxItems:"1000"`
}

type memoryDone struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

type memorySearch struct {
	Query string `json:"query" maxLength:"16384" doc:"The search query to match against entity names, types, and observation content"`
}

type memoryOpen struct {
	Names []string `json:"names" maxItems:"1000" doc:"An array of entity names to retrieve"`
}

// addMemory offers the nine tools.
func (s *Server) addMemory() {
	addKnown(s, tool{"create_entities", "Create Entities", appends,
		"Make new entities; those whose names are there already stay as they are."}, auth.Write, (*known).createEntities)
	addKnown(s, tool{"create_relations", "Create Relations", appends,
		"Relate entities that are there, in the active voice; what is there already stays as it is."}, auth.Write, (*known).createRelations)
	addKnown(s, tool{"add_observations", "Add Observations", appends,
		"Add what was learned to entities that are there; at most 100 observations an entity."}, auth.Write, (*known).addObservations)
	addKnown(s, tool{"delete_entities", "Delete Entities", deletes,
		"Delete entities and their relations."}, auth.Write, (*known).deleteEntities)
	addKnown(s, tool{"delete_observations", "Delete Observations", deletes,
		"Take observations off entities."}, auth.Write, (*known).deleteObservations)
	addKnown(s, tool{"delete_relations", "Delete Relations", deletes,
		"Delete relations between entities, which stay."}, auth.Write, (*known).deleteRelations)
	addKnown(s, tool{"read_graph", "Read Graph", reads,
		"All that is known, as far as 10,000 entities; explore asks for part of it."}, auth.Read, (*known).readGraph)
	addKnown(s, tool{"search_nodes", "Search Nodes", reads,
		"Entities that have a text in their name, type or observations, with their relations. explore finds by words and meaning."}, auth.Read, (*known).searchNodes)
	addKnown(s, tool{"open_nodes", "Open Nodes", reads,
		"Entities of given names, with their relations."}, auth.Read, (*known).openNodes)
}

// known holds the stored entities and relations at the start of a call, by name.
type known struct {
	*Server
	scope graph.Scope
	loader.Knowledge
	names map[string]string            // by entity key
	nodes map[string][]*graph.NodeView // by name
}

// addKnown makes a tool of what works on all that is known.
func addKnown[I any](s *Server, t tool, needs string, call func(*known, context.Context, *I) (answer, error)) {
	add(s, t, contract.Input[I](), func(ctx context.Context, in *I) (answer, error) {
		scope, err := scope(ctx, needs, Caller{})
		if err != nil {
			return answer{}, err
		}
		k := &known{Server: s, scope: scope, names: map[string]string{}, nodes: map[string][]*graph.NodeView{}}
		if k.Knowledge, err = s.Knowledge.Knowledge(ctx, scope); err != nil {
			return answer{}, err
		}
		if k.Cut {
			return answer{}, fmt.Errorf("the memory is too large to be read as a whole, use explore: %w", fault.ErrConflict)
		}
		for i := range k.Nodes {
			n := &k.Nodes[i]
			k.names[n.EntityKey], k.nodes[graph.PlainName(n.Name)] = n.Name, append(k.nodes[graph.PlainName(n.Name)], n)
		}
		return call(k, ctx, in)
	})
}

// plainAnswer is an object with the text that the reference gives of a part of it.
func plainAnswer(part, object any) (answer, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(part)
	return answer{text: markup.Document(strings.TrimSuffix(b.String(), "\n")), object: object}, err
}

func doneAnswer(message string) (answer, error) {
	return answer{text: message, object: memoryDone{true, message}}, nil
}

// observations returns the observations of a node: its description, unless that is made of the notes, and the notes as they came.
func observations(n *graph.NodeView) []string {
	notes, list := slices.Clone(n.Notes), []string{}
	slices.SortStableFunc(notes, func(a, b graph.Note) int { return a.DateAdded.Compare(b.DateAdded) })
	for _, note := range notes {
		list = append(list, note.Content)
	}
	if n.Description != "" && n.Description != described(list) {
		list = append([]string{n.Description}, list...)
	}
	return list
}

// described is a description made of observations, a line each, as an import of the reference's file makes it.
func described(observations []string) string {
	text, _ := clip.Runes(strings.Join(observations, "\n"), bounds.TextLength)
	return text
}

func entityOf(n *graph.NodeView) memoryEntity {
	e := memoryEntity{Name: n.Name, EntityType: n.Kind, Observations: observations(n)}
	if n.Kind == "entity" {
		e.EntityType = n.Type
	}
	return e
}

// relationOf is a relationship by the names of its ends. A type that is stored the other way round has its own word for it.
func (k *known) relationOf(r *graph.RelationshipView) memoryRelation {
	name := r.RelationshipType
	if name == "" {
		var properties map[string]json.RawMessage
		_ = json.Unmarshal(r.Properties, &properties)
		_ = json.Unmarshal(properties[exchange.RelationshipName], &name)
	}
	if name == "" {
		name = r.Type
	}
	from, to := k.names[r.From], k.names[r.To]
	if kind, _, _ := exchange.RelationshipType(name); graph.Swapped(kind) {
		from, to = to, from
	}
	return memoryRelation{from, to, name}
}

// some are the entities that fit, with every relation that one of them has.
func (k *known) some(fits func(*memoryEntity) bool) (answer, error) {
	g, shown := memoryGraph{[]memoryEntity{}, []memoryRelation{}}, map[string]bool{}
	for i := range k.Nodes {
		if e := entityOf(&k.Nodes[i]); fits(&e) {
			g.Entities, shown[e.Name] = append(g.Entities, e), true
		}
	}
	for i := range k.Relationships {
		if r := k.relationOf(&k.Relationships[i]); shown[r.From] || shown[r.To] {
			g.Relations = append(g.Relations, r)
		}
	}
	return plainAnswer(g, g)
}

func (k *known) readGraph(_ context.Context, _ *struct{}) (answer, error) {
	return k.some(func(*memoryEntity) bool { return true })
}

func (k *known) searchNodes(_ context.Context, in *memorySearch) (answer, error) {
	query := strings.ToLower(in.Query)
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), query) }
	return k.some(func(e *memoryEntity) bool {
		return has(e.Name) || has(e.EntityType) || slices.ContainsFunc(e.Observations, has)
	})
}

func (k *known) openNodes(_ context.Context, in *memoryOpen) (answer, error) {
	return k.some(func(e *memoryEntity) bool { return slices.Contains(in.Names, e.Name) })
}
