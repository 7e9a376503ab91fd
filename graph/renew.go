package graph

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"kith/internal/fault"
	"kith/internal/searchscope"
	"kith/internal/trust"
	"kith/neo"
)

var (
	findSearched    = neo.Load[searchedNodes]("search_users")
	renewProperties = neo.Load[int64]("search_renew")
	renewName       = neo.Load[neo.None]("name_renew")
)

// searchedNodes are the next nodes of a team.
type searchedNodes struct {
	Keys  []string // none: there are no more
	Users []string // whose memory they and their relationships are
	Names []searchedName
	Links []restingLink
}

// restingLink is a relationship with what it rests on, in the order of search_users.
type restingLink struct {
	Key      string
	Evidence []string
}

// searchedName is a node with a name and the parts of its natural key, in the order of search_users.
type searchedName struct {
	Key, Name string
	Parts     naturalParts
}

// naturalParts are the parts of a node's natural key, and the stored key.
type naturalParts struct {
	Labels                                        Labels
	UserID, Name, CanonicalName, Type, NaturalKey string
	Namespace                                     []string // of an item
	Aliases                                       []string
	Evidence                                      []string
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
		params := map[string]any{"team_id": team, "after": after, "limit": renewBatch}
		nodes, err := findSearched.ExecOne(t, params)
		if err != nil {
			return err
		}
		last = ""
		if len(nodes.Keys) == 0 {
			t.Changes(nil)
			return nil
		}
		if _, err := t.find(team, lookups{ends: nodes.Keys}); err != nil { // locks them: nobody changes what they and their relationships rest on
			return err
		}
		last = slices.Max(nodes.Keys)
		locked := nodes.Keys
		if nodes, err = findSearched.ExecOne(t, params); err != nil {
			return err
		}
		nodes.Keys = slices.DeleteFunc(nodes.Keys, func(key string) bool { return !slices.Contains(locked, key) }) // not those that came meanwhile
		if len(nodes.Keys) > 0 {
			last = slices.Max(nodes.Keys) // the others of the first look are read again
		}
		count, err := renewProperties.ExecOne(t, nodes.renewal(team))
		if err != nil {
			return err
		}
		renewed, stale = int(count), nodes.stale()
		return t.settle(team, nodes.Keys)
	})
	if err == nil {
		err = s.renewNames(ctx, team, stale)
	}
	return last, renewed, err
}

// stale returns the natural keys that differ from the stored ones, by the keys of nodes.
func (n *searchedNodes) stale() map[string]string {
	stale := map[string]string{}
	for i := range n.Names {
		if natural := n.Names[i].Parts.renewed(); natural != "" {
			stale[n.Names[i].Key] = natural
		}
	}
	return stale
}

// renewal returns the parameters of search_renew for nodes of a team.
func (n *searchedNodes) renewal(team string) map[string]any {
	scopes, doubted, kinds, names, further := map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}
	for i := range n.Names {
		of := &n.Names[i]
		if name := NameKey(of.Name); name != "" {
			names[of.Key] = name
		}
		parts := &stored{Properties: Properties{"user_id": of.Parts.UserID, "aliases": of.Parts.Aliases, "evidence": of.Parts.Evidence}}
		tokens := slices.Concat(searchscope.Namespaces(of.Parts.Namespace), aliasTokens(team, parts.aliasKeys()), parts.evidenceTokens(team))
		if len(tokens) > 0 {
			further[of.Key] = strings.Join(tokens, " ")
		}
	}
	for _, r := range n.Links {
		if tokens := (Properties{"evidence": r.Evidence}).evidenceTokens(team); len(tokens) > 0 {
			further[r.Key] = strings.Join(tokens, " ")
		}
	}
	for _, user := range append(n.Users, "") {
		scopes[user], doubted[user] = searchscope.Owner(team, user), searchscope.Doubted(team, user)
	}
	for _, kind := range Kinds {
		kinds[kind.Label] = searchscope.Kind(kind.Name)
	}
	return map[string]any{
		"team_id": team, "keys": n.Keys, "scopes": scopes, "doubted_scopes": doubted, "least": trust.Least, "kinds": kinds,
		"plain": PlainTypes, "names": names, "further": further,
	}
}

// renewed returns the natural key of a node if it differs from the stored one.
func (n *naturalParts) renewed() string {
	kind := n.Labels.Kind()
	if kind.group != knowledgeGroup {
		return ""
	}
	key := naturalKey(kind, Properties{
		"user_id": n.UserID, "name": n.Name, "canonical_name": n.CanonicalName, "type": n.Type, "natural_key": n.NaturalKey,
	})
	if key == n.NaturalKey {
		return ""
	}
	return key
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
