package graph

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"kith/cypher"
	"kith/graph/neo"
	"kith/internal/fault"
)

// A hub is a node with many relationships. To read all of them for each page would take seconds, so the maintenance pass marks them
// with the hub's key, and indexes have what is marked in the order of lists. Types of which the hub has few are read as of any node.
const (
	hubDegree    = 1000 // a node with more relationships becomes a hub
	hubFew       = 100  // of one type, which needs no index
	hubStrongest = 100  // relationships of a type and direction among which the strongest are found
	hubGrowth    = 20   // relationships of a node in one write, after which it may be a hub before the next pass
	hubsWaiting  = 100  // nodes that have grown so and were not looked at; more wait for the pass
)

var (
	readHub          = neo.Load[linkRow]("hub_relationships")
	readHubStrongest = neo.Load[linkRow]("hub_strongest")
	findHub          = neo.Load[hubState]("hub_find")
	setHub           = neo.Load[neo.None]("hub_set")
	markHub          = neo.Load[int64]("hub_mark")
)

// hubState is what a pass needs to know of a node that may be a hub.
type hubState struct {
	Marked       bool
	Ready, Types []string // read by an index; with more than a few relationships
}

// readsAlone runs statements of a call that read, each by itself.
type readsAlone struct {
	ctx context.Context //nolint:containedctx // of the call
	db  neo.Reader
}

// Exec returns the rows of a statement.
func (r readsAlone) Exec(q cypher.Query, params map[string]any) ([][]any, error) {
	return r.db.Read(r.ctx, q, params)
}

// ofAnyType returns a statement, written for one type of relationships, for all.
func ofAnyType[T any](q neo.Query[T]) neo.Query[T] {
	q.Query = cypher.OfTypesBut(q.Query, "")
	return q
}

// ofOtherTypes returns the statement for the stored types that are not read by the indexes of a hub.
func ofOtherTypes[T any](read neo.Execer, q neo.Query[T], hub []string) (neo.Query[T], error) {
	types, err := findTypeIndexes.ExecOne(read, nil)
	if err != nil {
		return q, err
	}
	types = Distinct(append(typesIndexed(types), SystemRelationshipType))
	q.Query = cypher.OfTypes(q.Query, slices.DeleteFunc(types, func(kind string) bool { return slices.Contains(hub, kind) }))
	return q, nil
}

// forTypes returns the statement for each of the types.
func forTypes[T any](q neo.Query[T], types []string) neo.Query[T] {
	q.Query = cypher.ForTypes(q.Query, types)
	return q
}

// key returns the key of the relationship.
func (r *linkRow) key() string { return r.Properties.Text("key") }

// stored returns the stored salience, which is never below the current one.
func (r *linkRow) stored() float64 { return r.Properties.number("salience") }

// reached returns the last relationship, in an order, of each index of which as many were read as a statement reads: more may follow.
func reached(rows []linkRow, walk int64, order func(a, b linkRow) int) (last []linkRow) {
	type index struct {
		kind     string
		outgoing bool
	}
	of := map[index][]linkRow{}
	for _, r := range rows {
		of[index{r.Type, r.Outgoing}] = append(of[index{r.Type, r.Outgoing}], r)
	}
	for _, links := range of {
		if int64(len(links)) >= walk {
			last = append(last, slices.MaxFunc(links, order))
		}
	}
	return last
}

// byKey and byStored are the orders of the indexes.
func byKey(a, b linkRow) int { return cmp.Compare(a.key(), b.key()) }

func byStored(a, b linkRow) int { return cmp.Or(cmp.Compare(b.stored(), a.stored()), byKey(b, a)) }

// hubPage returns the next relationships of a hub in the order of their keys, as node_relationships does of other nodes.
func hubPage(read neo.Execer, params map[string]any, hub []string, l *RelationshipList) ([]linkRow, error) {
	params["rest"] = true
	of, err := ofOtherTypes(read, listRelationships, hub)
	if err != nil {
		return nil, err
	}
	others, err := of.ExecOne(read, params)
	if err != nil {
		return nil, err
	}
	if len(l.Types) > 0 { // a team's own type may be stored as related_to
		hub = slices.DeleteFunc(slices.Clone(hub), func(kind string) bool { return kind != RelatedType && !slices.Contains(l.Types, kind) })
	}
	rows := others.Relationships
	if len(hub) > 0 {
		params["walk"] = l.Limit + 1
		found, err := forTypes(readHub, hub).Exec(read, params)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	slices.SortFunc(rows, byKey)
	return rows[:min(int64(len(rows)), l.Limit+1)], nil
}

// strongestOfHub returns the strongest relationships of a hub at a moment. If some that were not read may be stronger, because others have
// decayed since their salience was stored (a day ago at most, if maintenance runs), it reads hubStrongest of each type and direction.
func strongestOfHub(read neo.Execer, params map[string]any, hub []string, limit int64, moment time.Time) ([]linkRow, error) {
	params["rest"] = true
	of, err := ofOtherTypes(read, findNode, hub)
	if err != nil {
		return nil, err
	}
	others, err := of.ExecOne(read, params)
	if err != nil {
		return nil, err
	}
	current := func(r *linkRow) float64 {
		v := r.Properties.vitality()
		return v.current(moment)
	}
	for walk := limit; ; walk = max(limit, hubStrongest) {
		params["walk"] = walk
		found, err := forTypes(readHubStrongest, hub).Exec(read, params)
		if err != nil {
			return nil, err
		}
		rows := slices.Concat(others.Relationships, found)
		slices.SortFunc(rows, func(a, b linkRow) int { return cmp.Or(cmp.Compare(current(&b), current(&a)), byKey(b, a)) })
		rows = rows[:min(int64(len(rows)), limit)]
		if int64(len(rows)) < limit {
			return withoutSalience(read, params, hub, limit, rows)
		}
		weakest := &rows[limit-1]
		stronger := func(last linkRow) bool {
			return cmp.Or(cmp.Compare(last.stored(), current(weakest)), cmp.Compare(last.key(), weakest.key())) > 0
		}
		if walk >= hubStrongest || !slices.ContainsFunc(reached(found, walk, byStored), stronger) {
			return rows, nil
		}
	}
}

// withoutSalience fills the strongest relationships of a hub with those that have no salience, as mentions.
func withoutSalience(read neo.Execer, params map[string]any, hub []string, limit int64, rows []linkRow) ([]linkRow, error) {
	if params["as_of"] != nil {
		params["now"] = params["as_of"]
	}
	params["past"], params["outgoing"], params["incoming"], params["types"], params["after"], params["walk"] = false, true, true, nil, "", hubStrongest
	found, err := forTypes(readHub, hub).Exec(read, params)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, byKey)
	for _, r := range found {
		if int64(len(rows)) < limit && r.Properties["salience"] == nil {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// grown is a node to which a write of this process has added many relationships.
type grown struct{ team, key string }

// noteGrown notes nodes of which a transaction creates many relationships.
func (t *Tx) noteGrown(rows []map[string]any) {
	added := map[string]int{}
	for _, row := range rows {
		for _, end := range []string{"from", "to"} {
			key := neo.Text(row[end])
			if added[key]++; added[key] == hubGrowth {
				t.grown = append(t.grown, key)
			}
		}
	}
}

// look lets the maintenance of this process look at nodes that have grown.
func (s *Store) look(team string, keys []string) {
	for _, key := range keys {
		select {
		case s.grown <- grown{team, key}:
		default: // the pass finds it
		}
	}
}

// grow makes a node that has grown a hub, if it has become one.
func (m *Maintenance) grow(ctx context.Context, g grown) {
	p := m.pieces(ctx, m.most.links)
	p.did = func(step string, n int64) error { m.options.Observe(step, n); return nil } // without the lease of a pass
	if err := m.hub(ctx, p, g.team, g.key, false); err != nil && ctx.Err() == nil {
		m.options.Log.Warn("a node with many relationships waits for the next maintenance pass", "team_id", g.team, "entity_key", g.key, "error", err)
	}
}

// hub makes a node a hub, or marks what a hub lacks. What is written while a node becomes a hub may lack a mark until the next pass, unless
// the writer holds the lock of the node, as all but merges of other nodes and storylines do.
func (m *Maintenance) hub(ctx context.Context, p pieces, team, key string, again bool) error {
	of := map[string]any{"team_id": team, "entity_key": key, "few": hubFew, "hub": hubDegree, "again": again}
	state, err := findHub.ReadOne(ctx, m.store.db, of)
	if err != nil {
		if errors.Is(err, fault.ErrNotFound) { // it was deleted since, or is none
			return nil
		}
		return err
	}
	fresh := slices.DeleteFunc(slices.Clone(state.Types), func(kind string) bool { return slices.Contains(state.Ready, kind) || !typePattern.MatchString(kind) })
	if len(fresh)+len(state.Ready) == 0 {
		return nil
	}
	indexed, err := m.store.indexHubs(ctx, slices.Concat(state.Ready, fresh))
	if err != nil {
		if ctx.Err() != nil || m.store.Ping(ctx) != nil {
			return err
		}
		m.options.Log.Warn("a node with many relationships is read without indexes, as they cannot be created", "team_id", team, "entity_key", key, "error", err)
	}
	fresh = slices.DeleteFunc(fresh, func(kind string) bool { return !slices.Contains(indexed, kind) })
	if len(fresh)+len(state.Ready) == 0 {
		return nil
	}
	set := func(types any) error {
		return m.store.Transaction(ctx, "hub_set", func(t *Tx) error {
			return setHub.Run(t, map[string]any{"team_id": team, "entity_key": key, "types": types})
		})
	}
	if !state.Marked {
		if err := set(nil); err != nil {
			return err
		}
	}
	skipped, whole := p.skipped, true
	p.skipped = func(step string, err error) { skipped(step, err); whole = false }
	if err := p.run(ctx, markHub, of, nil); err != nil || len(fresh) == 0 || !whole {
		return err
	}
	return set(append(state.Ready, fresh...))
}

// indexHubs creates the indexes of the relationships of hubs of some types. It returns the types that have theirs, and why others do not.
func (s *Store) indexHubs(ctx context.Context, types []string) (indexed []string, err error) {
	there, err := findSchemaNames.ReadOne(ctx, s.db.Leader(), nil)
	if err != nil {
		return nil, err
	}
	created, failed := false, error(nil)
	for _, kind := range types {
		fresh, err := s.indexHub(ctx, kind, there)
		created = created || fresh
		if err != nil {
			failed = err
			continue
		}
		indexed = append(indexed, kind)
	}
	if !created {
		return indexed, failed
	}
	if err := s.AwaitIndexes(ctx); err != nil {
		return nil, err
	}
	if err := s.AwaitMembers(ctx); err != nil {
		return nil, err
	}
	return indexed, failed
}

// indexHub creates the indexes of one type that are not there, and reports whether it has created some.
func (s *Store) indexHub(ctx context.Context, kind string, there []string) (created bool, err error) {
	for name, statement := range cypher.HubIndexes(kind) {
		if slices.Contains(there, name) {
			continue
		}
		if err := s.db.Schema(ctx, "hub", statement); err != nil {
			return created, err
		}
		created = true
	}
	return created, nil
}
