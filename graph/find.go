package graph

import (
	"fmt"
	"slices"

	"kith/graph/neo"
)

var findNodes = neo.Load[foundNode]("node_find")

// foundNode is a row of node_find: a node with all its properties or as an end, a deleted node, or a user without an
// owner node.
type foundNode struct {
	Labels     Labels
	Properties foundProperties
	End        foundEnd
}

// foundProperties are all properties of a node, or a user without an owner node and whether another person has their
// id as its name.
type foundProperties struct {
	Properties

	user  string
	taken bool
}

// DecodeNeo reads a list of properties, or [user_id, taken].
func (p *foundProperties) DecodeNeo(v any) error {
	if pair, _ := v.([]any); len(pair) == 2 {
		if user, ok := pair[0].(string); ok {
			p.user, p.taken = user, neo.Bool(pair[1])
			return nil
		}
	}
	return p.Properties.DecodeNeo(v)
}

// endNames are the properties of an end, in the order of node_find: its place, and what a mention changes. Of a deleted
// node there are the first two.
var endNames = []string{
	"entity_key", "user_id", "is_owner", "started_at", "content_type", "project_id",
	"state", "ttl_policy", "salience", "salience_at", "decay_rate", "ends_at", "expires_at", "confidence", "access_count", "recall_frequency",
	"decay_gradient", "last_recall_interval", "last_accessed_at", "source_count", "ranked", "former_key", "merged_keys",
}

// foundEnd holds the properties of an end that relationships need, or key and user of a deleted node.
type foundEnd struct {
	Properties

	deleted bool
}

// DecodeNeo reads the values of endNames. It omits null.
func (e *foundEnd) DecodeNeo(v any) error {
	values, ok := v.([]any)
	if !ok || len(values) > len(endNames) {
		return fmt.Errorf("an end of %d values, want %d: %w", len(values), len(endNames), neo.ErrStatement)
	}
	e.Properties, e.deleted = Properties{}, len(values) < len(endNames)
	for i, value := range values {
		if value != nil {
			e.Properties[endNames[i]] = AsKept(value)
		}
	}
	return nil
}

// stored is a node as a write finds it, or as it will be stored.
type stored struct {
	kind Kind
	Properties
}

func (s *stored) key() string  { return s.Text("entity_key") }
func (s *stored) user() string { return s.Text("user_id") }

// sameKey reports whether another one is the same node.
func (s *stored) sameKey(other *stored) bool { return s.key() == other.key() }

// visible reports whether the node exists and the scope may see it: it is shared or belongs to the scope's user.
func (s *stored) visible(scope Scope) bool {
	return s != nil && (s.user() == "" || s.user() == scope.UserID)
}

// owns reports whether the node is the owner node of a user.
func (s *stored) owns() bool { return neo.Bool(s.Properties["is_owner"]) && s.user() != "" }

// version returns the stored version; 0 for a node that does not exist.
func (s *stored) version() int64 {
	if s == nil {
		return 0
	}
	return max(1, s.integer("version"))
}

// lookups names what find reads. Of ends it reads only what relationships need. Keys are sorted so that concurrent writers lock
// in the same order. Former keys lead only to nodes that sees reports as visible; nil: to all.
type lookups struct {
	entityKeys, ownKeys, naturalKeys, aliases, ownerUsers, ends, users []string
	sees                                                               func(n *stored) bool
}

// Distinct sorts keys and returns them without repeated ones. It changes the slice.
func Distinct(keys []string) []string {
	slices.Sort(keys)
	return slices.Compact(keys)
}

// known are the stored nodes of a write, by each of their names.
type known struct {
	byKey, byNatural, byOwner map[string]*stored
	byAlias                   map[string][]*stored // by aliasKey
	deleted                   map[string][]string  // who may restore a node of a key; empty: the team
	unowned                   map[string]bool      // users without an owner node, and whether another person has their id as its name
	sees                      func(n *stored) bool // nodes to which former keys lead; nil: all
}

// isKept reports whether the key of a new node belongs to a node that somebody else deleted and may restore, or is a former key of a
// node of somebody else.
func (k known) isKept(key, user string) bool {
	return slices.ContainsFunc(k.deleted[key], func(other string) bool { return other != user })
}

// find reads and locks nodes.
func (t *Tx) find(teamID string, l lookups) (known, error) {
	k := known{byKey: map[string]*stored{}, byNatural: map[string]*stored{}, byOwner: map[string]*stored{}, byAlias: map[string][]*stored{}, deleted: map[string][]string{},
		unowned: map[string]bool{}, sees: l.sees}
	return k, t.findMore(teamID, l, k)
}

// findMore does the same as find for names that only became known by what was found.
func (t *Tx) findMore(teamID string, l lookups, k known) error {
	entityKeys := Distinct(l.entityKeys)
	rows, err := findNodes.Exec(t, map[string]any{
		"team_id": teamID, "entity_keys": entityKeys, "own_keys": Distinct(l.ownKeys), "natural_keys": Distinct(l.naturalKeys),
		"alias_queries": aliasQueries(teamID, Distinct(l.aliases)),
		"owner_users":   Distinct(l.ownerUsers), "own_users": ownerRows(l.users), "ends": without(Distinct(l.ends), entityKeys),
	})
	if err != nil {
		return err
	}
	var nodes []*stored
	for _, row := range rows {
		all, end := row.Properties, row.End.Properties
		switch {
		case all.Properties == nil && end == nil:
			k.unowned[all.user] = all.taken
		case row.End.deleted:
			k.deleted[end.Text("entity_key")] = append(k.deleted[end.Text("entity_key")], end.Text("user_id"))
		case end == nil:
			nodes = append(nodes, &stored{kind: row.Labels.Kind(), Properties: all.Properties})
			k.addNode(nodes[len(nodes)-1])
		case !k.has(end.Text("entity_key")): // otherwise all of it is known
			end["team_id"] = teamID
			nodes = append(nodes, &stored{kind: row.Labels.Kind(), Properties: end})
			k.addNode(nodes[len(nodes)-1])
		}
	}
	for _, n := range nodes { // after all rows: a stored node has its key, whatever former keys another one has
		k.addFormerKeys(n)
	}
	return nil
}

// has reports whether the node with a key is known, and not only one that has it as a former key.
func (k known) has(key string) bool { return k.byKey[key] != nil && k.byKey[key].key() == key }

// without removes the items of one sorted list from another.
func without(keys, others []string) []string {
	return slices.DeleteFunc(keys, func(key string) bool {
		_, found := slices.BinarySearch(others, key)
		return found
	})
}

func (k known) add(s *stored) {
	k.addNode(s)
	k.addFormerKeys(s)
}

// formerKeys returns the keys of nodes that were merged into the node, and of the generated owner that it replaced.
func (s *stored) formerKeys() []string {
	keys := slices.Clone(s.Texts("merged_keys"))
	if former := s.Text("former_key"); former != "" {
		keys = append(keys, former)
	}
	return keys
}

// addFormerKeys lets the former keys of a node lead to it, if the caller sees it. They never lead away from a stored node.
func (k known) addFormerKeys(s *stored) {
	seen := k.sees == nil || k.sees(s)
	for _, former := range s.formerKeys() {
		switch other := k.byKey[former]; {
		case !seen:
			k.deleted[former] = append(k.deleted[former], s.user())
		case other == nil, other.key() != former && other.sameKey(s):
			k.byKey[former] = s
		}
	}
}

// addNode adds a node under its key and its names.
func (k known) addNode(s *stored) {
	k.byKey[s.key()] = s
	if natural := s.Text("natural_key"); natural != "" {
		k.byNatural[natural] = s
	}
	for _, key := range s.aliasKeys() {
		k.byAlias[key] = append(slices.DeleteFunc(k.byAlias[key], s.sameKey), s)
	}
	if s.owns() {
		k.byOwner[s.user()] = s
	}
}

// replace makes the planned node known to later items of the same write, and frees the names it gives up.
func (k known) replace(old, next *stored) {
	if old != nil {
		delete(k.byNatural, old.Text("natural_key"))
		for _, key := range old.aliasKeys() {
			k.byAlias[key] = slices.DeleteFunc(k.byAlias[key], old.sameKey)
		}
		if old.owns() {
			delete(k.byOwner, old.user())
		}
	}
	k.add(next)
}

// Labels are the labels of a node, of which only the one of its kind is read.
type Labels struct{ OfKind string }

// DecodeNeo reads a list of labels.
func (l *Labels) DecodeNeo(v any) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("%T where labels are expected: %w", v, neo.ErrStatement)
	}
	l.OfKind = KindLabel(list)
	return nil
}

// Kind returns the kind of a node with these labels.
func (l Labels) Kind() Kind { return KindOfLabel(l.OfKind) }

// MemoryLabel is the label of every node of the memory.
const MemoryLabel = "Memory"

// KindLabel returns the label of a node's kind.
func KindLabel[T any](labels []T) string {
	for _, l := range labels {
		if name := neo.Text(l); name != MemoryLabel {
			return name
		}
	}
	return ""
}

// writeRows runs a statement that takes a list of rows. Without rows it does nothing.
func (t *Tx) writeRows(q neo.Query[neo.None], teamID string, rows []map[string]any) error {
	if len(rows) == 0 {
		return nil
	}
	t.Sign(rows)
	for _, row := range rows {
		t.noteBorders(row)
	}
	return q.Run(t, map[string]any{"team_id": teamID, "rows": rows, "now": t.store.Now()})
}
