package graph

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// renewBatch is the maximum number of nodes in one transaction.
const renewBatch = 1_000

// Renew recomputes search properties, natural keys and places in workspaces of all nodes and relationships. It calls
// progress after each step with the number of nodes done. It may be interrupted and started again.
func (s *Store) Renew(ctx context.Context, progress func(nodes int)) error {
	done, team := 0, ""
	for {
		rows, err := s.read(ctx, s.queries["team_next"], map[string]any{"after": team})
		if err != nil || len(rows) == 0 {
			return err
		}
		team = text(rows[0][0])
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
	row, err := s.readOne(ctx, "search_users", map[string]any{"team_id": team, "after": after, "limit": renewBatch})
	if err != nil {
		return "", 0, err
	}
	if last = text(row[0]); last == "" {
		return "", 0, nil
	}
	scopes, kinds, names := map[string]any{}, map[string]any{}, map[string]any{}
	var keys []string
	stale := map[string]string{}
	for _, item := range items(row[2]) {
		l := items(item)
		keys = append(keys, text(l[0]))
		if natural := renewedName(l[2]); natural != "" {
			stale[text(l[0])] = natural
		}
		if name := NameKey(text(l[1])); name != "" {
			names[text(l[0])] = name
		}
	}
	for _, user := range append(texts(row[1]), "") {
		scopes[user] = scopeToken(team, user)
	}
	for _, kind := range Kinds {
		kinds[kind.Label] = kindToken(kind)
	}
	err = s.transaction(ctx, "search_renew", func(t *tx) error {
		rows, err := t.exec("search_renew", map[string]any{
			"team_id": team, "after": after, "last": last, "scopes": scopes, "kinds": kinds, "plain": plainTypes, "names": names,
		})
		if err != nil {
			return err
		}
		renewed = int(integer(rows[0][0]))
		return t.settle(team, keys)
	})
	if err == nil {
		err = s.renewNames(ctx, team, stale)
	}
	return last, renewed, err
}

// renewedName returns the natural key of a node if it differs from the stored one.
func renewedName(v any) string {
	l := items(v)
	p := properties{}
	for i, name := range []string{"user_id", "name", "canonical_name", "type", "natural_key"} {
		p[name] = text(l[i+1])
	}
	kind := kindFrom(l[0])
	if kind.group != knowledgeGroup || naturalKey(kind, p) == p["natural_key"] {
		return ""
	}
	return naturalKey(kind, p)
}

// renewNames sets the natural keys of nodes, one per transaction. If another node has the name, the node keeps its
// key and kith check reports it: Kith cannot know which of the two is correct.
func (s *Store) renewNames(ctx context.Context, team string, stale map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(stale)) {
		err := s.transaction(ctx, "name_renew", func(t *tx) error {
			_, err := t.exec("name_renew", map[string]any{"team_id": team, "entity_key": key, "natural_key": stale[key]})
			return err
		})
		if err != nil && !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return nil
}
