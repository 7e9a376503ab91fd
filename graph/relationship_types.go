package graph

import (
	"context"
	"slices"
	"strings"

	"kith/cypher"
)

// keyIndexPrefix begins the names of the indexes by which relationships are found by their key.
const keyIndexPrefix = "relationship_key_"

// admitTypes refuses relationship types that would be more than the server may have: Neo4j never forgets one. A type
// that is new gets the index by which its relationships are found.
func (s *Store) admitTypes(ctx context.Context, relationships []RelationshipWrite) error {
	if len(relationships) == 0 {
		return nil
	}
	known := s.types.Load()
	if known != nil && len(unknownTypes(*known, relationships)) == 0 {
		return nil
	}
	indexed, err := s.indexedTypes(ctx)
	if err != nil {
		return err
	}
	fresh := unknownTypes(indexed, relationships)
	if len(fresh) == 0 {
		return nil
	}
	if err := s.limitTypes(ctx, relationships, fresh); err != nil {
		return err
	}
	for kind := range fresh {
		if err := s.indexType(ctx, kind); err != nil {
			return err
		}
	}
	return s.awaitIndexes(ctx)
}

// indexType lets the relationships of a type be found by their key, and by words unless an index of the schema does that.
func (s *Store) indexType(ctx context.Context, kind string) error {
	var statements []string
	if searchable(kind) && !slices.Contains(Vocabulary, kind) {
		_, statement := cypher.WordIndex(kind)
		statements = append(statements, statement)
	}
	_, statement := cypher.KeyIndex(kind) // the last: it says that the type has its indexes
	for _, statement := range append(statements, statement) {
		if err := s.applySchema(ctx, cypher.Migration{Name: "relationship type"}, statement); err != nil {
			return err
		}
	}
	return nil
}

// limitTypes refuses what would make the types of the server too many.
func (s *Store) limitTypes(ctx context.Context, relationships []RelationshipWrite, fresh map[string]bool) error {
	row, err := s.readOne(ctx, "relationship_types", nil)
	if err != nil {
		return err
	}
	all := map[string]bool{}
	for _, t := range texts(row.Values[0]) {
		all[t] = true
	}
	stored := len(all)
	for kind := range fresh {
		all[kind] = true
	}
	f := &faults{}
	for i := range relationships {
		_, kind, _, _ := relationships[i].direction()
		if len(all) > s.options.MaxTypes && len(all) > stored && fresh[kind] {
			f.add(index("relationships", i)+".type",
				"is new, and the server may have only %d relationship types", s.options.MaxTypes)
		}
	}
	return f.err()
}

// typesAtOnce bounds how many types are looked through one by one in one statement.
const typesAtOnce = 16

// indexedTypes are the relationship types that have relationships or had, in the order in which they came: statements that
// were made of the first of them stay as they are when another one comes.
func (s *Store) indexedTypes(ctx context.Context) ([]string, error) {
	row, err := s.readOne(ctx, "relationship_indexes", nil)
	if err != nil {
		return nil, err
	}
	types := texts(row.Values[0])
	for i, name := range types {
		types[i] = strings.TrimPrefix(name, keyIndexPrefix)
	}
	s.types.Store(&types)
	return types, nil
}

func unknownTypes(known []string, relationships []RelationshipWrite) map[string]bool {
	fresh := map[string]bool{}
	for i := range relationships {
		if _, kind, _, _ := relationships[i].direction(); !slices.Contains(known, kind) {
			fresh[kind] = true
		}
	}
	return fresh
}
