package graph

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"kith/graph/neo"
	"kith/internal/fault"
)

var findFormerKeys = neo.Load[formerKey]("node_former")

// formerKey is the key of a generated owner, and the key of the person that has replaced it.
type formerKey struct{ Former, EntityKey string }

// ownerRows returns the rows of node_find that look up the owner nodes of users.
func ownerRows(users []string) []map[string]any {
	rows := []map[string]any{}
	for _, user := range Distinct(users) {
		if user != "" {
			rows = append(rows, map[string]any{"user_id": user, "natural_key": naturalKey(PersonKind, Properties{"user_id": user, "canonical_name": canonical(user)})})
		}
	}
	return rows
}

// generated reports whether the node is an owner that Kith generated, because no caller had named the user.
func (s *stored) generated() bool { return s != nil && neo.Bool(s.Properties["owner_generated"]) }

// makeOwners adds an owner for each user without one about whom the write has data. It is named as a caller named the
// user, else by the user's id.
func (p *nodePlan) makeOwners() {
	j := p.job
	for _, user := range Distinct(slices.Clone(p.users)) {
		taken, unknown := j.found.unowned[user]
		if !unknown || j.found.byOwner[user] != nil {
			continue
		}
		w := NodeWrite{Kind: PersonKind.Name, EntityKey: uuid.Must(uuid.NewV7()).String(), UserID: Some(user), Name: Some(user), IsOwner: Some(true)}
		if j.ownerName != "" && user == j.scope.UserID {
			w.Name = Some(j.ownerName)
		}
		if natural := w.naturalKey(user); taken && w.Name.Value == user || j.found.byNatural[natural] != nil {
			w.CanonicalName = Some(w.EntityKey) // another person of the user has the name
		}
		next := p.merged(&w, nil)
		next.Properties["owner_generated"] = true
		p.queue(&w, nil, next)
		j.found.replace(nil, next)
	}
}

// takesOver reports whether a person replaces another, the generated owner of the same user, and so may have its name.
func (p *nodePlan) takesOver(next, made *stored) bool {
	return next.owns() && made.generated() && made.key() != next.key() && p.job.found.byOwner[next.user()] == made
}

// ownerNameIn returns the name of the user in messages; empty if there is none or more than one.
func ownerNameIn(messages []MessageWrite) (name string) {
	for i := range messages {
		m := &messages[i]
		switch {
		case !IsUserRole(m.Role) || m.Name == "" || m.Name == name:
		case name != "":
			return ""
		default:
			name = m.Name
		}
	}
	return name
}

// nameOwner updates the mark of a generated owner: it is removed once a caller names the node or makes it the owner.
func (w *NodeWrite) nameOwner(p Properties, stated bool) {
	if stated && (w.Name.Given || w.CanonicalName.Given || w.IsOwner.Given) || !neo.Bool(p["is_owner"]) {
		delete(p, "owner_generated")
	}
}

// ownerInPlaceOf returns the stored owner that replaces a generated owner of an export; nil if the write has none.
func (p *nodePlan) ownerInPlaceOf(w *NodeWrite) *stored {
	if w.History == nil || !w.History.OwnerGenerated.Value || !w.IsOwner.Value || p.job.found.byKey[w.EntityKey] != nil {
		return nil
	}
	return p.job.found.byOwner[owner(w, p.job.scope)]
}

// guessOwner makes a person that an import takes for the user the owner, if no caller has named one. A node that an
// earlier import stored as an entity stays one.
func (p *nodePlan) guessOwner(w *NodeWrite) *NodeWrite {
	if !w.MayOwn {
		return w
	}
	guessed, other := *w, p.job.found.byOwner[owner(w, p.job.scope)]
	switch old := p.job.found.byKey[w.EntityKey]; {
	case old != nil && old.kind == EntityKind:
		guessed.Kind, guessed.IsOwner = EntityKind.Name, Optional[bool]{}
	case other == nil || other.generated():
		guessed.IsOwner = Some(true)
	}
	return &guessed
}

// NamesOwner reports whether the end of a relationship that is no key names the own person of the scope's user: with the user's id, or
// as agents do.
func (s Scope) NamesOwner(end string) bool {
	return s.UserID != "" && (end == s.UserID || strings.EqualFold(end, "me") || strings.EqualFold(end, "user"))
}

// namesOwner reports whether a relationship of the write may name the own person of the scope's user.
func (j *memoryJob) namesOwner() bool {
	return slices.ContainsFunc(j.write.Relationships, func(w RelationshipWrite) bool { return j.scope.NamesOwner(w.From) || j.scope.NamesOwner(w.To) })
}

// currentKeys changes the relationships of the write to lead to the nodes that have replaced, or taken over, those that they name, to
// the user's own person, and to nodes of the write that they name by their names.
func (j *memoryJob) currentKeys() {
	named := map[string]*stored{} // by name; nil: several
	for i := range j.write.Nodes {
		n, name := j.found.byKey[j.result.Nodes[i].EntityKey], NameKey(j.write.Nodes[i].Name.Value)
		if name == "" {
			continue
		}
		if other, ok := named[name]; ok && other != n {
			n = nil
		}
		named[name] = n
	}
	end := func(key string) *stored {
		if n := j.found.byKey[key]; n != nil {
			return n
		}
		if j.scope.NamesOwner(key) {
			return j.found.byOwner[j.scope.UserID]
		}
		return named[NameKey(key)]
	}
	changed := func(key string) bool { n := end(key); return n != nil && n.key() != key }
	if !slices.ContainsFunc(j.write.Relationships, func(w RelationshipWrite) bool { return changed(w.From) || changed(w.To) }) {
		return
	}
	write := *j.write
	write.Relationships = slices.Clone(write.Relationships)
	for i := range write.Relationships {
		for _, key := range []*string{&write.Relationships[i].From, &write.Relationships[i].To} {
			if changed(*key) {
				*key = end(*key).key()
			}
		}
	}
	j.write = &write
}

// CurrentKeys returns the keys of the owners that have replaced generated ones, by the keys of the generated ones.
func (s *Store) CurrentKeys(ctx context.Context, scope Scope, keys []string) (map[string]string, error) {
	rows, err := findFormerKeys.Read(ctx, s.db, map[string]any{"team_id": scope.TeamID, "user_id": scope.User(), "keys": keys})
	current := map[string]string{}
	for _, row := range rows {
		current[row.Former] = row.EntityKey
	}
	return current, err
}

// currentKeys is the part of a store that AtCurrentKeys uses.
type currentKeys interface {
	CurrentKeys(ctx context.Context, scope Scope, keys []string) (map[string]string, error)
}

// AtCurrentKeys runs a read of nodes. If it finds nothing, it runs once more with the keys of the owners that have
// replaced the nodes of keys.
func AtCurrentKeys[T any](ctx context.Context, s currentKeys, scope Scope, keys []*string, read func() (T, error)) (T, error) {
	found, err := read()
	if !errors.Is(err, fault.ErrNotFound) {
		return found, err
	}
	asked := make([]string, len(keys))
	for i, key := range keys {
		asked[i] = *key
	}
	current, failed := s.CurrentKeys(ctx, scope, asked)
	if len(current) == 0 {
		return found, cmp.Or(failed, err)
	}
	for _, key := range keys {
		*key = cmp.Or(current[*key], *key)
	}
	return read()
}
