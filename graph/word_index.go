package graph

import (
	"context"
	"fmt"
	"slices"

	"kith/cypher"
	"kith/graph/neo"
)

// Searches use two indexes of relationships: one for the vocabulary, and othersIndex for all other stored types:
// related_to, the operator's types, and those of databases that had a type for each word. The cost of a search does
// not depend on their number.
const (
	indexAttempts   = 4 // against other processes that index at the same time
	vocabularyIndex = "relationship_words"
	othersIndex     = "relationship_words_of_others"
)

// findWordIndexes finds the full-text indexes of relationships.
var findWordIndexes = neo.Load[[]wordIndex]("relationship_word_indexes")

// wordIndex is a full-text index with its relationship types, in the order of relationship_word_indexes.
type wordIndex struct {
	Name  string
	Types []string
}

// otherTypes returns the searchable stored types outside the vocabulary.
func (s *Store) otherTypes(ctx context.Context) ([]string, error) {
	known, err := findTypes.ReadOne(ctx, s.db.Leader(), nil)
	if err != nil {
		return nil, err
	}
	types := slices.Concat([]string{RelatedType}, s.options.Types, known)
	return distinctTypes(types), nil
}

// distinctTypes returns the types that are in no index of the schema, sorted, without duplicates.
func distinctTypes(types []string) []string {
	types = slices.DeleteFunc(types, NeverWord)
	slices.Sort(types)
	return slices.Compact(types)
}

// wordIndexes returns the relationship types of the full-text indexes, by index name.
func (s *Store) wordIndexes(ctx context.Context) (map[string][]string, error) {
	found, err := findWordIndexes.ReadOne(ctx, s.db.Leader(), nil)
	if err != nil {
		return nil, err
	}
	indexes := map[string][]string{}
	for _, index := range found {
		indexes[index.Name] = index.Types
	}
	return indexes, nil
}

// IndexWords makes relationships of all stored types searchable: it rebuilds othersIndex if it lacks a type.
// Several instances may run it at the same time. It drops the indexes per type of earlier versions.
func (s *Store) IndexWords(ctx context.Context) error {
	types, err := s.otherTypes(ctx)
	if err != nil {
		return err
	}
	for range indexAttempts {
		indexes, err := s.wordIndexes(ctx)
		if err == nil {
			err = s.dropTypeIndexes(ctx, indexes)
		}
		if err != nil {
			return err
		}
		covered := indexes[othersIndex]
		if !slices.ContainsFunc(types, func(kind string) bool { return !slices.Contains(covered, kind) }) {
			return nil
		}
		for _, statement := range []string{cypher.DropIndex(othersIndex), cypher.WordIndex(othersIndex, distinctTypes(slices.Concat(types, covered)))} {
			if err := s.db.Schema(ctx, "words", statement); err != nil {
				return err
			}
		}
		if err := s.AwaitIndexes(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("index relationship types: %w", neo.ErrRace)
}

// dropTypeIndexes drops the indexes per type of earlier versions. An index of the same types prevents the creation of
// another one.
func (s *Store) dropTypeIndexes(ctx context.Context, indexes map[string][]string) error {
	for name := range indexes {
		if name == vocabularyIndex || name == othersIndex {
			continue
		}
		if err := s.db.Schema(ctx, "words", cypher.DropIndex(name)); err != nil {
			return err
		}
	}
	return nil
}
