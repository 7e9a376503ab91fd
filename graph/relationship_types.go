package graph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"kith/cypher"
	"kith/graph/neo"
)

var (
	addTypeWords    = neo.Load[[]string]("type_words_add")
	findTypes       = neo.Load[[]string]("relationship_types")
	findTypeIndexes = neo.Load[[]string]("relationship_indexes")
)

// maxWords is the maximum number of own relationship types (words) of a team.
const maxWords = 32

// maxTypes is the maximum number of types that the operator may add to the vocabulary.
const maxTypes = 200

// RelatedType is the stored type of relationships whose type is a word of their team; the property type_word has the
// word. A stored type for each word would stay in the database for ever, and all teams share one list of stored
// types.
const RelatedType = "related_to"

// fixedTypes are never stored as words.
var fixedTypes = func() map[string]bool { //nolint:gochecknoglobals // a constant table
	all := map[string]bool{HasMessageType: true, SystemRelationshipType: true}
	for _, kind := range Vocabulary {
		all[kind] = true
	}
	return all
}()

// NeverWord reports whether a name in a caller's statement cannot be a team's own type.
func NeverWord(name string) bool { return fixedTypes[name] || !typePattern.MatchString(name) }

// CheckTypes returns an error if the operator's list of types is invalid.
func CheckTypes(types []string) error {
	if len(types) > maxTypes {
		return fmt.Errorf("%d types are listed, at most %d are allowed", len(types), maxTypes)
	}
	for _, kind := range types {
		switch {
		case !typePattern.MatchString(kind):
			return fmt.Errorf("%q does not match %s", kind, typePattern)
		case kind == HasMessageType || kind == SystemRelationshipType || kind == RelatedType || Swapped(kind):
			return fmt.Errorf("%q is reserved", kind)
		}
	}
	return nil
}

// MayBeWord reports whether relationships of a type may be stored as a word. All types except the fixed ones may,
// because the operator's list may have been different. Relationships of type related_to itself have no word.
func MayBeWord(kind string) bool { return !fixedTypes[kind] }

// wordOf returns the word by which statements find relationships of a type whose stored type may differ; nil if the
// stored type is the type.
func wordOf(kind string) any {
	if fixedTypes[kind] {
		return nil
	}
	return kind
}

// isWord reports whether new relationships of a type are stored as a word.
func (s *Store) isWord(kind string) bool {
	return !fixedTypes[kind] && kind != RelatedType && !slices.Contains(s.options.Types, kind)
}

// typeOf returns the type of a relationship for callers: its word if it has one, else its stored type.
func (p Properties) typeOf(real string) string {
	if word := p.Text("type_word"); word != "" {
		return word
	}
	return real
}

// shownType returns the type that readers see of a relationship of a stored type: also that of one within a system.
func (p Properties) shownType(kind string) string {
	if kind == SystemRelationshipType {
		return cmp.Or(p.Text("relationship_type"), kind)
	}
	return p.typeOf(kind)
}

// typeText returns the property relationship_type as callers gave it. It is empty if the property only repeats the
// word.
func (p Properties) typeText() string {
	if given := p.Text("relationship_type"); given != p.Text("type_word") {
		return given
	}
	return ""
}

// putWord sets the word of a relationship. relationship_type repeats it unless a caller gave another text.
func (p Properties) putWord(word string) {
	if word == "" {
		return
	}
	if p["type_word"] = word; p.Text("relationship_type") == "" {
		p["relationship_type"] = word
	}
}

// lacksPlace reports whether a type is a new word and exceeds the team's limit. A new word within the limit is
// recorded. The limit keeps callers from inventing ever more types: what another system has is stored under its own.
func (j *memoryJob) lacksPlace(kind string) bool {
	if !j.tx.store.isWord(kind) || slices.Contains(j.words, kind) || slices.Contains(j.fresh, kind) {
		return false
	}
	if len(j.words)+len(j.fresh) >= maxWords {
		return !j.write.restoring && !j.write.AnyTypes
	}
	j.fresh = append(j.fresh, kind)
	return false
}

// noPlace is the refusal of a type that would exceed the limit of words.
const noPlace = "is a new type, and the team already has %d relationship types of its own, the maximum: " +
	"use one of them or of the vocabulary, or related_to with a description"

// addWords stores the new words of a write. If another writer took the last places, the write is tried again.
func (j *memoryJob) addWords() error {
	if len(j.fresh) == 0 {
		return nil
	}
	words, err := addTypeWords.ExecOne(j.tx, map[string]any{"team_id": j.scope.TeamID, "words": j.fresh, "limit": maxWords})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(j.fresh, func(word string) bool { return !slices.Contains(words, word) }) {
		return neo.ErrRace
	}
	return nil
}

// usesWords reports whether the write has relationships that may be stored with words.
func (j *memoryJob) usesWords() bool {
	return slices.ContainsFunc(j.write.Relationships, func(w RelationshipWrite) bool {
		_, kind, _, _ := w.direction()
		return j.tx.store.isWord(kind)
	})
}

// keyIndexPrefix is the prefix of the indexes that find relationships by key.
const keyIndexPrefix = "relationship_key_"

// admitTypes creates the key index for types of the vocabulary and of the operator when they are first used.
func (s *Store) admitTypes(ctx context.Context, relationships []RelationshipWrite) error {
	if len(relationships) == 0 {
		return nil
	}
	known := s.types.Load()
	if known != nil && len(s.unknownTypes(*known, relationships)) == 0 {
		return nil
	}
	indexed, err := s.IndexedTypes(ctx)
	if err != nil {
		return err
	}
	fresh := s.unknownTypes(indexed, relationships)
	if len(fresh) == 0 {
		return nil
	}
	for kind := range fresh {
		if err := s.indexType(ctx, kind); err != nil {
			return err
		}
	}
	return s.AwaitIndexes(ctx)
}

// indexType creates the index that finds relationships of a stored type by key.
func (s *Store) indexType(ctx context.Context, kind string) error {
	_, statement := cypher.KeyIndex(kind)
	return s.db.Schema(ctx, "relationship type", statement)
}

// typesAtOnce is the maximum number of types that one statement searches one by one.
const typesAtOnce = 16

// IndexedTypes returns the stored relationship types that are or were in use, in the order in which they were added.
// Statements composed of the first of them stay valid when another one is added.
func (s *Store) IndexedTypes(ctx context.Context) ([]string, error) {
	names, err := findTypeIndexes.ReadOne(ctx, s.db, nil)
	if err != nil {
		return nil, err
	}
	types := typesIndexed(names)
	s.types.Store(&types)
	return types, nil
}

// typesIndexed returns the types of key indexes.
func typesIndexed(names []string) []string {
	types := make([]string, len(names))
	for i, name := range names {
		types[i] = strings.TrimPrefix(name, keyIndexPrefix)
	}
	return types
}

// unknownTypes returns the stored types of relationships that are not known yet.
func (s *Store) unknownTypes(known []string, relationships []RelationshipWrite) map[string]bool {
	fresh := map[string]bool{}
	for i := range relationships {
		_, kind, _, _ := relationships[i].direction()
		if !s.isWord(kind) && !slices.Contains(known, kind) {
			fresh[kind] = true
		}
	}
	return fresh
}
