package graph

import (
	"context"
	"fmt"
	"slices"

	"kith/cypher"
)

// Searches ask two indexes for relationships: that of the vocabulary, and othersIndex, which has all other real types: related_to,
// those that the operator lists, and those of databases that had a type for each word. However many there are, a search costs the same.
const (
	vocabularyIndex = "relationship_words"
	othersIndex     = "relationship_words_of_others"
)

// otherTypes are the real types that searches look through, but for the vocabulary.
func (s *Store) otherTypes(ctx context.Context) ([]string, error) {
	row, err := s.readOne(ctx, "relationship_types", nil)
	if err != nil {
		return nil, err
	}
	types := slices.Concat([]string{relatedType}, s.options.Types, texts(row.Values[0]))
	return distinctTypes(types), nil
}

// distinctTypes are those of some types that are of no index of the schema, sorted.
func distinctTypes(types []string) []string {
	types = slices.DeleteFunc(types, neverWord)
	slices.Sort(types)
	return slices.Compact(types)
}

// wordIndexes are the types of the indexes by which relationships are found by words, by the names of the indexes.
func (s *Store) wordIndexes(ctx context.Context) (map[string][]string, error) {
	row, err := s.readOne(ctx, "relationship_word_indexes", nil)
	if err != nil {
		return nil, err
	}
	indexes := map[string][]string{}
	for _, item := range items(row.Values[0]) {
		l := items(item)
		indexes[text(l[0])] = texts(l[1])
	}
	return indexes, nil
}

// indexOtherTypes has searches find the relationships of all real types: it makes othersIndex anew where that lacks some. Several
// Kiths may do so at once. The indexes that earlier versions made for each type go.
func (s *Store) indexOtherTypes(ctx context.Context) error {
	types, err := s.otherTypes(ctx)
	if err != nil {
		return err
	}
	for range readAttempts {
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
			if err := s.applySchema(ctx, cypher.Migration{Name: "words"}, statement); err != nil {
				return err
			}
		}
		if err := s.awaitIndexes(ctx); err != nil {
			return err
		}
	}
	return fmt.Errorf("index relationship types: %w", errLostRace)
}

// dropTypeIndexes takes away the indexes that earlier versions made for each type. One of the same types keeps another from being made.
func (s *Store) dropTypeIndexes(ctx context.Context, indexes map[string][]string) error {
	for name := range indexes {
		if name == vocabularyIndex || name == othersIndex {
			continue
		}
		if err := s.applySchema(ctx, cypher.Migration{Name: "words"}, cypher.DropIndex(name)); err != nil {
			return err
		}
	}
	return nil
}
