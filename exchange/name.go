package exchange

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"kith/graph"
	"kith/internal/bounds"
	"kith/text/clip"
)

// distinguish adds a short hash to the name of a node that has the name, kind and type of an earlier one of the file but another
// identity there. Kith knows nodes by their names and would make one of both.
func (r *Reader) distinguish(line int64, n *wireNode) error {
	if n.Kind != "person" && n.Kind != "entity" && n.Kind != "concept" {
		return nil
	}
	name := graph.PlainName(n.Name)
	if n.Kind == "person" {
		name = strings.ToLower(name)
	}
	key := strings.Join([]string{"name", n.Kind, n.UserID, name, graph.PlainName(n.Type)}, graph.KeySeparator)
	first, found, err := r.seen.Get(key)
	if err != nil {
		return err
	}
	if !found {
		return r.seen.Put(key, n.EntityKey+" "+r.placeName(line))
	}
	if other, place, _ := strings.Cut(first, " "); other != n.EntityKey {
		hash := suffixOf(n.EntityKey)
		r.addWarning(line, "name", "is also that of %s, which is another one: this one has %q after its name", place, hash)
		short, _ := clip.Runes(n.Name, bounds.NameLength-len(hash)-1)
		n.Name = short + " " + hash
	}
	return nil
}

// suffixOf returns what follows a name that an id has to make unique.
func suffixOf(id string) string {
	hash := sha256.Sum256([]byte(id))
	return fmt.Sprintf("#%x", hash[:4])
}

// placeName names the place of an element, or the line.
func (r *Reader) placeName(line int64) string {
	if r.place != "" {
		return r.place
	}
	return fmt.Sprintf("line %d", line)
}

// importedTwice reports whether the node of a file was stored as one that an import has made of something else.
func importedTwice(given, stored string) bool {
	return given != stored && isImported(given) && isImported(stored)
}

// oneOfTwo is the warning about a node that was imported twice.
const oneOfTwo = "is stored as the node of the same name that an earlier import made under another id: if they are two, rename one there and import the file again"

// isImported reports whether a key is one of EntityKey: a UUID of version 8.
func isImported(key string) bool { return len(key) == 36 && key[14] == '8' && key[13] == '-' }
