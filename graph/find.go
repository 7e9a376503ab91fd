package graph

import "slices"

// stored is a node as a write finds it, or as it will be stored.
type stored struct {
	kind Kind
	properties
}

func (s *stored) key() string  { return s.text("entity_key") }
func (s *stored) user() string { return s.text("user_id") }

// visible reports whether the node exists and the scope may see it: it is shared or belongs to the scope's user.
func (s *stored) visible(scope Scope) bool {
	return s != nil && (s.user() == "" || s.user() == scope.UserID)
}

// owns reports whether the node is the owner node of a user.
func (s *stored) owns() bool { return truth(s.properties["is_owner"]) && s.user() != "" }

// version returns the stored version; 0 for a node that does not exist.
func (s *stored) version() int64 {
	if s == nil {
		return 0
	}
	return max(1, s.integer("version"))
}

// lookups names what find reads. Of ends it reads only what relationships need. Keys are sorted so that concurrent writers lock
// in the same order.
type lookups struct{ entityKeys, naturalKeys, ownerUsers, ends, users []string }

func distinct(keys []string) []string {
	slices.Sort(keys)
	return slices.Compact(keys)
}

// known are the stored nodes of a write, by each of their names.
type known struct {
	byKey, byNatural, byOwner map[string]*stored
	deleted                   map[string][]string // who may restore a node of a key; empty: the team
	unowned                   map[string]bool     // users without an owner node, and whether another person has their id as its name
}

// isKept reports whether the key of a new node belongs to a node that somebody else deleted and may restore.
func (k known) isKept(key, user string) bool {
	return slices.ContainsFunc(k.deleted[key], func(other string) bool { return other != user })
}

// find reads and locks nodes.
func (t *tx) find(teamID string, l lookups) (known, error) {
	k := known{byKey: map[string]*stored{}, byNatural: map[string]*stored{}, byOwner: map[string]*stored{}, deleted: map[string][]string{},
		unowned: map[string]bool{}}
	return k, t.findMore(teamID, l, k)
}

// findMore does the same as find for names that only became known by what was found.
func (t *tx) findMore(teamID string, l lookups, k known) error {
	entityKeys := distinct(l.entityKeys)
	rows, err := t.exec("node_find", map[string]any{
		"team_id": teamID, "entity_keys": entityKeys, "natural_keys": distinct(l.naturalKeys),
		"owner_users": distinct(l.ownerUsers), "own_users": ownerRows(l.users), "ends": without(distinct(l.ends), entityKeys),
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row[0] == nil && row[2] == nil {
			user := items(row[1])
			k.unowned[text(user[0])] = truth(user[1])
			continue
		}
		if row[0] == nil {
			key := text(items(row[2])[0])
			k.deleted[key] = append(k.deleted[key], text(items(row[2])[1]))
			continue
		}
		n := &stored{kind: kindFrom(row[0])}
		if end := items(row[2]); end != nil {
			n.properties = endFrom(teamID, end)
		} else {
			n.properties = pairsFrom(row[1])
		}
		if end := row[2] != nil; !end || k.byKey[n.key()] == nil { // otherwise all of it is known
			k.add(n)
		}
	}
	return nil
}

// endNames are the properties of an end, in the order of node_find: its place, and what a mention changes.
var endNames = []string{
	"user_id", "is_owner", "started_at", "content_type", "project_id",
	"state", "ttl_policy", "salience", "salience_at", "decay_rate", "ends_at", "expires_at", "confidence", "access_count", "recall_frequency",
	"decay_gradient", "last_recall_interval", "last_accessed_at", "source_count", "ranked", "former_key",
}

// endFrom reads the properties of an end that relationships need.
func endFrom(teamID string, l []any) properties {
	p := properties{"team_id": teamID, "entity_key": text(l[0])}
	for i, name := range endNames {
		if l[i+1] != nil {
			p[name] = l[i+1]
		}
	}
	return p
}

// without removes the items of one sorted list from another.
func without(keys, others []string) []string {
	return slices.DeleteFunc(keys, func(key string) bool {
		_, found := slices.BinarySearch(others, key)
		return found
	})
}

func (k known) add(s *stored) {
	k.byKey[s.key()] = s
	if former := s.text("former_key"); former != "" && k.byKey[former] == nil {
		k.byKey[former] = s
	}
	if natural := s.text("natural_key"); natural != "" {
		k.byNatural[natural] = s
	}
	if s.owns() {
		k.byOwner[s.user()] = s
	}
}

// replace makes the planned node known to later items of the same write, and frees the names it gives up.
func (k known) replace(old, next *stored) {
	if old != nil {
		delete(k.byNatural, old.text("natural_key"))
		if old.owns() {
			delete(k.byOwner, old.user())
		}
	}
	k.add(next)
}

// kindFrom returns the kind of a node with these labels.
func kindFrom(labels any) Kind { return kindOfLabel(kindLabel(texts(labels))) }

// kindLabel returns the label of a node's kind.
func kindLabel(labels []string) string {
	for _, l := range labels {
		if l != "Memory" {
			return l
		}
	}
	return ""
}

// rows runs a statement that takes a list of rows. Without rows it does nothing.
func (t *tx) rows(name, teamID string, rows []map[string]any) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := t.exec(name, map[string]any{"team_id": teamID, "rows": rows})
	return err
}
