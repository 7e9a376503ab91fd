package graph

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"kith/graph/neo"
	"kith/graph/searchscope"
	"kith/internal/fault"
)

var (
	findLinks       = neo.Load[searchedLinks]("search_links")
	renewProperties = neo.Load[int64]("search_renew")
	renewName       = neo.Load[neo.None]("name_renew")
)

// searchedLinks are the relationships from some nodes: whose they are, and those that rest on sources.
type searchedLinks struct {
	Users []string
	Links []restingLink
}

// restingLink is a relationship with what it rests on, in the order of search_links.
type restingLink struct {
	Key      string
	Evidence []string
}

// renewBatch is the maximum number of nodes in one transaction.
const renewBatch = 1_000

// Renew recomputes search properties, natural keys and places in workspaces of all nodes and relationships. It calls
// progress after each step with the number of nodes done. It may be interrupted and started again.
func (s *Store) Renew(ctx context.Context, progress func(nodes int)) error {
	done, team := 0, ""
	for {
		teams, err := findNextTeam.Read(ctx, s.db, map[string]any{"after": team})
		if err != nil || len(teams) == 0 {
			return err
		}
		team = teams[0]
		for after := ""; ; {
			last, renewed, err := s.renewPage(ctx, team, after)
			if err != nil {
				return err
			}
			if last == "" {
				break
			}
			after = last
			done += renewed
			progress(done)
		}
	}
}

// renewPage renews the next nodes of a team and returns the key of the last one; empty after the last node.
func (s *Store) renewPage(ctx context.Context, team, after string) (last string, renewed int, err error) {
	var stale map[string]string
	err = s.Transaction(ctx, "search_renew", func(t *Tx) error {
		last, renewed, stale = "", 0, map[string]string{}
		page, err := t.readCheckedPage(team, after)
		if err != nil || len(page.nodes) == 0 {
			t.Changes(nil)
			return err
		}
		locked, err := t.find(team, lookups{ends: page.keys("")}) // nobody changes what they and their relationships rest on
		if err != nil {
			return err
		}
		last = page.nodes[len(page.nodes)-1].key()
		if page, err = t.readCheckedPage(team, after); err != nil {
			return err
		}
		page.nodes = slices.DeleteFunc(page.nodes, func(n checkedNode) bool { return locked.byKey[n.key()] == nil }) // which came meanwhile
		if len(page.nodes) > 0 {
			last = page.nodes[len(page.nodes)-1].key() // the others of the first look are read again
		}
		renewed, err = t.renew(page)
		stale = page.staleNames()
		return err
	})
	if err == nil {
		err = s.renewNames(ctx, team, stale)
	}
	return last, renewed, err
}

// readCheckedPage reads the next nodes of a team.
func (t *Tx) readCheckedPage(team, after string) (checkedPage, error) {
	rows, err := integrityNodes.Exec(t, map[string]any{"team_id": team, "after": after, "names": checkedNames, "limit": renewBatch})
	return newCheckedPage(team, rows), err
}

// renew renews nodes and the relationships from them, and returns how many nodes it has renewed.
func (t *Tx) renew(page checkedPage) (int, error) {
	keys := page.keys("")
	links, err := findLinks.ExecOne(t, map[string]any{"team_id": page.team, "entity_keys": keys})
	if err != nil {
		return 0, err
	}
	scopes, further := map[string]any{"": searchscope.Owner(page.team, "")}, map[string]any{}
	for _, user := range links.Users {
		scopes[user] = searchscope.Owner(page.team, user)
	}
	for _, r := range links.Links {
		if tokens := (Properties{"evidence": r.Evidence}).evidenceTokens(page.team); len(tokens) > 0 {
			further[r.Key] = strings.Join(tokens, " ")
		}
	}
	rows := make([]map[string]any, len(page.nodes))
	for i := range page.nodes {
		n := &page.nodes[i]
		if n.isDated() {
			n.putSearchScope(page.team)
		}
		rows[i] = map[string]any{"entity_key": n.key(), "search_scope": n.Properties["search_scope"], "search_name": n.Properties["search_name"]}
	}
	count, err := renewProperties.ExecOne(t, map[string]any{
		"team_id": page.team, "rows": rows, "scopes": scopes, "further": further, "plain": PlainTypes,
	})
	if err != nil {
		return 0, err
	}
	return int(count), t.settle(page.team, keys)
}

// staleNames returns the natural keys of nodes that differ from the stored ones, by the keys of nodes.
func (p *checkedPage) staleNames() map[string]string {
	stale := map[string]string{}
	for i := range p.nodes {
		n := &p.nodes[i]
		if natural := naturalKey(n.kind, n.Properties); n.kind.group == knowledgeGroup && natural != n.Text("natural_key") {
			stale[n.key()] = natural
		}
	}
	return stale
}

// renewNames sets the natural keys of nodes, one per transaction. If another node has the name, the node keeps its
// key and kith check reports it: Kith cannot know which of the two is correct.
func (s *Store) renewNames(ctx context.Context, team string, stale map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(stale)) {
		err := s.Transaction(ctx, "name_renew", func(t *Tx) error {
			return renewName.Run(t, map[string]any{"team_id": team, "entity_key": key, "natural_key": stale[key]})
		})
		if err != nil && !errors.Is(err, fault.ErrConflict) {
			return err
		}
	}
	return nil
}
