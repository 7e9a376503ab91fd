package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kith/cypher"
)

// MaxWords is how many words of its own a team may have as relationship types.
const MaxWords = 32

// MaxTypes is how many types the operator may list beside the vocabulary.
const MaxTypes = 200

// relatedType is the real type of relationships whose type is a word of their team's own: their property type_word has it. A
// type of each word would stay in the database for ever, and there is only one list of them for all teams.
const relatedType = "related_to"

// fixedTypes are never words.
var fixedTypes = func() map[string]bool { //nolint:gochecknoglobals // a constant table
	all := map[string]bool{hasMessageType: true, systemRelationshipType: true}
	for _, kind := range Vocabulary {
		all[kind] = true
	}
	return all
}()

// neverWord says whether a name in a caller's statement can be no word of a team.
func neverWord(name string) bool { return fixedTypes[name] || !typePattern.MatchString(name) }

// CheckTypes says what is wrong with a list of types beside the vocabulary.
func CheckTypes(types []string) error {
	if len(types) > MaxTypes {
		return fmt.Errorf("%d types are listed, at most %d are allowed", len(types), MaxTypes)
	}
	for _, kind := range types {
		switch {
		case !typePattern.MatchString(kind):
			return fmt.Errorf("%q does not match %s", kind, typePattern)
		case kind == hasMessageType || kind == systemRelationshipType || kind == relatedType || Swapped(kind):
			return fmt.Errorf("%q is reserved", kind)
		}
	}
	return nil
}

// mayBeWord says whether relationships of a type may be stored with the type as a word: any but a fixed one, as the operator's
// list may have been another one. That of related_to itself are those without a word.
func mayBeWord(kind string) bool { return !fixedTypes[kind] }

// wordOf is what statements find relationships of a type by, whose real type may be another one; null: the real type says it.
func wordOf(kind string) any {
	if fixedTypes[kind] {
		return nil
	}
	return kind
}

// isWord says whether new relationships of a type are stored with the type as a word.
func (s *Store) isWord(kind string) bool {
	return !fixedTypes[kind] && kind != relatedType && !slices.Contains(s.options.Types, kind)
}

// typeOf is the type of a relationship for callers: its word, if it has one, or else its real type.
func (p properties) typeOf(real string) string {
	if word := p.text("type_word"); word != "" {
		return word
	}
	return real
}

// typeText is the property relationship_type as callers gave it: where they gave none, it repeats the word.
func (p properties) typeText() string {
	if given := p.text("relationship_type"); given != p.text("type_word") {
		return given
	}
	return ""
}

// putWord sets the word of a relationship, and has relationship_type repeat it where it says nothing else.
func (p properties) putWord(word string) {
	if word == "" {
		return
	}
	if p["type_word"] = word; p.text("relationship_type") == "" {
		p["relationship_type"] = word
	}
}

// lacksPlace says whether a type is a new word, and one more than the team may have. Otherwise a new word is noted.
func (j *memoryJob) lacksPlace(kind string) bool {
	if !j.tx.store.isWord(kind) || slices.Contains(j.words, kind) || slices.Contains(j.fresh, kind) {
		return false
	}
	if len(j.words)+len(j.fresh) >= MaxWords {
		return true
	}
	j.fresh = append(j.fresh, kind)
	return false
}

// noPlace is what a write is told whose type would be one word too many.
const noPlace = "is new, and the team has %d relationship types of its own already, which is the most: use one of those or of the vocabulary, or related_to with a description"

// addWords gives the new words of a write their places. Another writer may have taken the last ones: then the write is tried again.
func (j *memoryJob) addWords() error {
	if len(j.fresh) == 0 {
		return nil
	}
	rows, err := j.tx.exec("type_words_add", map[string]any{"team_id": j.scope.TeamID, "words": j.fresh, "limit": MaxWords})
	if err != nil {
		return err
	}
	words := texts(rows[0].Values[0])
	if slices.ContainsFunc(j.fresh, func(word string) bool { return !slices.Contains(words, word) }) {
		return errLostRace
	}
	return nil
}

// usesWords says whether relationships of the write may be stored with words.
func (j *memoryJob) usesWords() bool {
	return slices.ContainsFunc(j.write.Relationships, func(w RelationshipWrite) bool {
		_, kind, _, _ := w.direction()
		return j.tx.store.isWord(kind)
	})
}

// keyIndexPrefix begins the names of the indexes by which relationships are found by their key.
const keyIndexPrefix = "relationship_key_"

// admitTypes gives the types of the vocabulary and of the operator the index by which their relationships are found when they
// are first used.
func (s *Store) admitTypes(ctx context.Context, relationships []RelationshipWrite) error {
	if len(relationships) == 0 {
		return nil
	}
	known := s.types.Load()
	if known != nil && len(s.unknownTypes(*known, relationships)) == 0 {
		return nil
	}
	indexed, err := s.indexedTypes(ctx)
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
	return s.awaitIndexes(ctx)
}

// indexType lets the relationships of a real type be found by their key.
func (s *Store) indexType(ctx context.Context, kind string) error {
	_, statement := cypher.KeyIndex(kind)
	return s.applySchema(ctx, cypher.Migration{Name: "relationship type"}, statement)
}

// typesAtOnce bounds how many types are looked through one by one in one statement.
const typesAtOnce = 16

// indexedTypes are the real relationship types that have relationships or had, in the order in which they came: statements that
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

// unknownTypes are the real types of relationships that are not among the known ones.
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
