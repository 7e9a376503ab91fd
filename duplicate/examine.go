package duplicate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/internal/fence"
	"kith/neo"
)

var (
	findNodes      = neo.Load[nodeRow]("duplicate_nodes")
	storeBlocks    = neo.Load[neo.None]("duplicate_block")
	findMet        = neo.Load[metRow]("duplicate_meet")
	checkPairs     = neo.Load[pairRow]("duplicate_pairs")
	storeProposals = neo.Load[neo.None]("duplicate_propose")
)

const (
	examineBatch  = 50  // nodes that are compared in one step
	mostMet       = 20  // nodes with which each is compared
	mostProposals = 10  // of a node
	mostLinked    = 100 // neighbours that are read of a node
	// KeepFrom is the least probability of a proposal that is kept.
	KeepFrom = 0.3
)

// nodeRow is a row of duplicate_nodes.
type nodeRow struct {
	EntityKey  string
	Labels     graph.Labels
	UserID     *string
	Names      []*string
	Aliases    []string
	Type       string
	Properties string
	MergedKeys []string
	IsOwner    bool
	Neighbours []linkedRow
}

// linkedRow is a neighbour, in the order of duplicate_nodes.
type linkedRow struct {
	Key     string
	Links   int64
	IsOwner bool
}

// metRow is a row of duplicate_meet.
type metRow struct {
	EntityKey string
	Others    []string
}

// pairRow is a row of duplicate_pairs.
type pairRow struct {
	Position          int
	Together, Refused bool
}

func (n *nodeRow) user() string {
	if n.UserID == nil {
		return ""
	}
	return *n.UserID
}

func (n *nodeRow) kind() string { return n.Labels.Kind().Name }

// isLinked reports whether two nodes are linked with each other, and so are two.
func (n *nodeRow) isLinked(other *nodeRow) bool {
	has := func(n *nodeRow, key string) bool {
		return slices.ContainsFunc(n.Neighbours, func(l linkedRow) bool { return l.Key == key })
	}
	return has(n, other.EntityKey) || has(other, n.EntityKey)
}

func (n *nodeRow) profile() *profile {
	node := Node{Kind: n.kind(), Type: n.Type, Neighbours: map[string]int{}}
	for _, name := range n.Names {
		if name != nil {
			node.Names = append(node.Names, *name)
		}
	}
	node.Names = append(node.Names, n.Aliases...)
	if n.Properties != "" {
		_ = json.Unmarshal([]byte(n.Properties), &node.Properties) // what is no JSON says nothing
	}
	for _, l := range n.Neighbours {
		if !l.IsOwner {
			node.Neighbours[l.Key] = int(l.Links)
		}
	}
	return newProfile(node)
}

// hashed returns blocks as words for the full-text index, which neither reveal the names nor meet across teams, users and kinds.
func hashed(team, user, kind string, blocks []string) string {
	words := make([]string, len(blocks))
	for i, b := range blocks {
		sum := sha256.Sum256([]byte(strings.Join([]string{team, user, kind, b}, "\x1f")))
		words[i] = hex.EncodeToString(sum[:12])
	}
	return strings.Join(words, " ")
}

// found is a pair that may be one.
type found struct {
	pair  Pair
	match Match
	a, b  *nodeRow
}

// examine compares nodes of a team with those that they meet, and stores what it proposes for them. It returns what it proposed.
func (s *Store) examine(ctx context.Context, team string, keys []string) ([]found, error) {
	ctx = fence.WithBegin(ctx, time.Now())
	nodes, profiles := map[string]*nodeRow{}, map[string]*profile{}
	if err := s.read(ctx, team, keys, nodes, profiles); err != nil {
		return nil, err
	}
	if err := s.block(ctx, team, keys, nodes, profiles); err != nil {
		return nil, err
	}
	present := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return nodes[key] == nil })
	if len(present) == 0 {
		return nil, nil
	}
	near, err := findMet.Read(ctx, s.db, map[string]any{"team_id": team, "entity_keys": present, "limit": mostMet + 1})
	if err != nil {
		return nil, err
	}
	var others []string
	for _, m := range near {
		others = append(others, m.Others...)
	}
	if err := s.read(ctx, team, others, nodes, profiles); err != nil {
		return nil, err
	}
	kept, err := s.possible(ctx, team, compareMet(near, nodes, profiles))
	if err != nil {
		return nil, err
	}
	return kept, s.propose(ctx, team, present, kept)
}

// propose stores what is proposed for some nodes.
func (s *Store) propose(ctx context.Context, team string, keys []string, pairs []found) error {
	rows, ends := make([]map[string]any, len(pairs)), make([]Pair, len(pairs))
	for i, f := range pairs {
		rows[i], ends[i] = f.row(), f.pair
	}
	return s.graph.Transaction(ctx, "duplicate_propose", func(t *graph.Tx) error {
		t.Changes(nil)
		if _, err := findEnds.Exec(t, map[string]any{"team_id": team, "entity_keys": graph.Distinct(keysOf(ends))}); err != nil {
			return err
		}
		return storeProposals.Run(t, map[string]any{"team_id": team, "entity_keys": keys, "rows": rows, "now": s.graph.Now()})
	})
}

// compareAgain locks the nodes of a pair. It returns ErrConflict if they are not as they were when they were compared, also by a merge.
func (f *found) compareAgain(t *graph.Tx, team string) error {
	params := map[string]any{"team_id": team, "entity_keys": graph.Distinct(keysOf([]Pair{f.pair})), "neighbours": 0, "now": t.Now()}
	if _, err := findEnds.Exec(t, params); err != nil {
		return err
	}
	rows, err := findNodes.Exec(t, params)
	if err != nil {
		return err
	}
	same := 0
	for _, was := range []*nodeRow{f.a, f.b} {
		compared := *was
		compared.Neighbours = nil
		for _, now := range rows {
			if now.Neighbours = nil; reflect.DeepEqual(compared, now) {
				same++
			}
		}
	}
	if same < 2 {
		return fmt.Errorf("the nodes have changed meanwhile: %w", fault.ErrConflict)
	}
	return nil
}

func (f *found) row() map[string]any {
	r := row(f.pair, f.a.kind(), f.a.user())
	r["probability"], r["reasons"], r["weights"] = f.match.Probability, f.match.codes(), f.match.weights()
	r["unsure"] = f.match.Probability < mostJudged
	return r
}

// read adds nodes that were not read yet.
func (s *Store) read(ctx context.Context, team string, keys []string, nodes map[string]*nodeRow, profiles map[string]*profile) error {
	keys = slices.DeleteFunc(graph.Distinct(keys), func(key string) bool { return nodes[key] != nil })
	if len(keys) == 0 {
		return nil
	}
	rows, err := findNodes.Read(ctx, s.db, map[string]any{"team_id": team, "entity_keys": keys, "neighbours": mostLinked, "now": s.graph.Now()})
	for i := range rows {
		nodes[rows[i].EntityKey], profiles[rows[i].EntityKey] = &rows[i], rows[i].profile()
	}
	return err
}

// block stores by which blocks the nodes meet others. What does not exist any more meets nobody.
func (s *Store) block(ctx context.Context, team string, keys []string, nodes map[string]*nodeRow, profiles map[string]*profile) error {
	rows, gone := []map[string]any{}, []string{}
	for _, key := range keys {
		n := nodes[key]
		if n == nil {
			gone = append(gone, key)
			continue
		}
		r := map[string]any{"entity_key": key, "user_id": nil, "blocks": hashed(team, n.user(), n.kind(), profiles[key].blocks())}
		if n.user() != "" {
			r["user_id"] = n.user()
		}
		rows = append(rows, r)
	}
	return s.graph.Transaction(ctx, "duplicate_block", func(t *graph.Tx) error {
		t.Changes(nil)
		return storeBlocks.Run(t, map[string]any{"team_id": team, "rows": rows, "gone": gone})
	})
}

// compareMet compares nodes that met. Of each it keeps the most probable pairs.
func compareMet(near []metRow, nodes map[string]*nodeRow, profiles map[string]*profile) []found {
	all := map[string]found{}
	for _, m := range near {
		var of []found
		n := nodes[m.EntityKey]
		for _, key := range m.Others {
			other := nodes[key]
			if n == nil || other == nil || other.kind() != n.kind() || other.user() != n.user() || n.IsOwner && other.IsOwner || n.isLinked(other) {
				continue
			}
			if match := compare(profiles[m.EntityKey], profiles[key]); match.Probability >= KeepFrom {
				of = append(of, found{Pair{m.EntityKey, key}, match, n, other})
			}
		}
		slices.SortFunc(of, func(x, y found) int { return cmp.Compare(y.match.Probability, x.match.Probability) })
		for _, f := range of[:min(len(of), mostProposals)] {
			all[f.pair.key()] = f
		}
	}
	kept := make([]found, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		kept = append(kept, all[key])
	}
	return kept
}

// possible omits the pairs that one source mentions together, and those that were refused.
func (s *Store) possible(ctx context.Context, team string, all []found) ([]found, error) {
	if len(all) == 0 {
		return nil, nil
	}
	pairs := make([]map[string]any, len(all))
	for i, f := range all {
		pairs[i] = map[string]any{"position": i, "first_key": f.pair.First, "second_key": f.pair.Second, "names": f.names()}
	}
	rows, err := checkPairs.Read(ctx, s.db, map[string]any{"team_id": team, "pairs": pairs})
	if err != nil {
		return nil, err
	}
	var kept []found
	for _, r := range rows {
		if !r.Together && !r.Refused {
			kept = append(kept, all[r.Position])
		}
	}
	return kept, nil
}

const mostMerged = 100 // nodes that are part of one, whose refusals count

// names returns the keys of the pair, also with the nodes that are part of its two.
func (f *found) names() []string {
	var names []string
	for _, first := range append([]string{f.a.EntityKey}, f.a.MergedKeys[:min(len(f.a.MergedKeys), mostMerged)]...) {
		for _, second := range append([]string{f.b.EntityKey}, f.b.MergedKeys[:min(len(f.b.MergedKeys), mostMerged)]...) {
			names = append(names, Pair{first, second}.key())
		}
	}
	return names
}
