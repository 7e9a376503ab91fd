package duplicate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/fence"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	findNodes      = neo.Load[nodeRow]("duplicate_nodes")
	storeBlocks    = neo.Load[neo.None]("duplicate_block")
	checkPairs     = neo.Load[pairRow]("duplicate_pairs")
	storeProposals = neo.Load[neo.None]("duplicate_propose")
)

const (
	examineBatch  = 50    // nodes that are compared in one step
	mostNear      = 100   // nodes of which those are chosen with which each is compared
	mostMet       = 20    // nodes with which each is compared
	mostProposals = 10    // of a node
	mostLinked    = 100   // neighbours that are read of a node
	mostLinks     = 1000  // relationships that are counted of a neighbour
	mostMerged    = 1000  // nodes that are part of one, whose refusals count
	mostRefusals  = 1000  // of each of these as the first of a pair
	checkedNames  = 10000 // keys of nodes and their parts of which refusals are looked for in one statement, but for the last pair
	countedLinks  = 1000  // neighbours whose relationships are counted in one statement
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
	Merged     int64
	IsOwner    bool
	Neighbours []linkedRow
}

// linkedRow is a neighbour, in the order of duplicate_nodes.
type linkedRow struct {
	Key     string
	IsOwner bool
}

// pairRow is a row of duplicate_pairs.
type pairRow struct {
	Position                  int
	Linked, Together, Refused bool
}

// linksRow is a row of duplicate_links.
type linksRow struct {
	Position int
	Links    int64
}

// node is a node that is compared: its row without what only its profile needs.
type node struct {
	nodeRow

	profile *profile
	sum     [sha256.Size]byte // of what was compared, but for the neighbours
}

func newNode(row nodeRow) *node {
	n := &node{row, row.profile(), row.sum()}
	n.Names, n.Aliases, n.Type, n.Properties = nil, nil, "", ""
	return n
}

// sum returns a digest of what is compared, but for the neighbours.
func (n nodeRow) sum() [sha256.Size]byte {
	n.Neighbours, n.Merged = nil, 0
	raw, err := json.Marshal(n)
	if err != nil {
		panic(err) // it has only texts
	}
	return sha256.Sum256(raw)
}

func (n *nodeRow) user() string {
	if n.UserID == nil {
		return ""
	}
	return *n.UserID
}

func (n *nodeRow) kind() string { return n.Labels.Kind().Name }

// isLinked reports whether two nodes are linked with each other, and so are two.
func (n *node) isLinked(other *node) bool {
	has := func(n *node, key string) bool {
		return slices.ContainsFunc(n.Neighbours, func(l linkedRow) bool { return l.Key == key })
	}
	return has(n, other.EntityKey) || has(other, n.EntityKey)
}

func (n *nodeRow) profile() *profile {
	node := Node{Kind: n.kind(), Type: n.Type, Neighbours: map[string]int{}} // the neighbours are counted later
	for _, name := range n.Names {
		if name != nil {
			node.Names = append(node.Names, *name)
		}
	}
	node.Names = append(node.Names, n.Aliases...)
	if n.Properties != "" {
		_ = json.Unmarshal([]byte(n.Properties), &node.Properties) // what is no JSON says nothing
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

// batch names nodes that are compared in one step.
type batch struct {
	keys []string
	user *string // only nodes of this user are, or, if it is empty, those that the team shares; nil: all are
}

func (b *batch) has(n *node) bool { return n != nil && (b.user == nil || *b.user == n.user()) }

// found is a pair that may be one.
type found struct {
	pair  Pair
	match Match
	a, b  *node
}

// examine compares nodes of a team with those that they meet, and stores what it proposes for them. It returns what it proposed.
func (s *Store) examine(ctx context.Context, team string, b batch) ([]found, error) {
	ctx = fence.WithBegin(ctx, time.Now())
	nodes := map[string]*node{}
	if err := s.read(ctx, team, b.keys, nodes); err != nil {
		return nil, err
	}
	var present, gone []string
	for _, key := range b.keys {
		switch n := nodes[key]; {
		case n == nil:
			gone = append(gone, key)
		case b.has(n):
			present = append(present, key)
		}
	}
	if err := s.block(ctx, team, present, gone, nodes); err != nil || len(present) == 0 {
		return nil, err
	}
	met, err := s.meet(ctx, team, present)
	if err != nil {
		return nil, err
	}
	var others []string
	for _, key := range present {
		others = append(others, met[key]...)
	}
	if err := s.read(ctx, team, others, nodes); err != nil {
		return nil, err
	}
	if err := s.countLinks(ctx, team, met, nodes); err != nil {
		return nil, err
	}
	pairs, err := compareMet(ctx, present, met, nodes)
	if err != nil {
		return nil, err
	}
	kept, err := s.possible(ctx, team, pairs)
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

// compareAgain locks the nodes of a pair. It returns ErrConflict if they are not as they were when they were compared, or if the pair, or
// one with a node that was merged into them meanwhile, is refused.
func (f *found) compareAgain(t *graph.Tx, team string) error {
	params := nodeParams(team, graph.Distinct(keysOf([]Pair{f.pair})), 0, t.Now())
	if _, err := findEnds.Exec(t, map[string]any{"team_id": team, "entity_keys": params["entity_keys"]}); err != nil {
		return err
	}
	rows, err := findNodes.Exec(t, params)
	if err != nil {
		return err
	}
	same := 0
	for _, now := range rows {
		if now.sum() == f.a.sum || now.sum() == f.b.sum {
			same++
		}
	}
	checked, err := checkPairs.Exec(t, pairParams(team, []map[string]any{f.checked(0)}, t.Now()))
	if err != nil {
		return err
	}
	if same < 2 || len(checked) != 1 || checked[0].Refused {
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

// nodeParams returns the parameters of duplicate_nodes.
func nodeParams(team string, keys []string, neighbours int, now time.Time) map[string]any {
	return map[string]any{"team_id": team, "entity_keys": keys, "names": maxNames, "length": maxLength, "neighbours": neighbours, "now": now}
}

// read adds nodes that were not read yet.
func (s *Store) read(ctx context.Context, team string, keys []string, nodes map[string]*node) error {
	keys = slices.DeleteFunc(graph.Distinct(keys), func(key string) bool { return nodes[key] != nil })
	for some := range slices.Chunk(keys, examineBatch) { // their properties are not kept
		rows, err := findNodes.Read(ctx, s.db, nodeParams(team, some, mostLinked, s.graph.Now()))
		if err != nil {
			return err
		}
		for _, row := range rows {
			nodes[row.EntityKey] = newNode(row)
		}
	}
	return nil
}

// block stores by which blocks the nodes meet others. What does not exist any more meets nobody.
func (s *Store) block(ctx context.Context, team string, keys, gone []string, nodes map[string]*node) error {
	rows := []map[string]any{}
	for _, key := range keys {
		n := nodes[key]
		r := map[string]any{"entity_key": key, "user_id": nil, "blocks": hashed(team, n.user(), n.kind(), n.profile.blocks())}
		if n.user() != "" {
			r["user_id"] = n.user()
		}
		rows = append(rows, r)
	}
	if len(rows)+len(gone) == 0 {
		return nil
	}
	return s.graph.Transaction(ctx, "duplicate_block", func(t *graph.Tx) error {
		t.Changes(nil)
		return storeBlocks.Run(t, map[string]any{"team_id": team, "rows": rows, "gone": slices.Concat([]string{}, gone)})
	})
}

// compareMet compares nodes with those that they met. Of each it keeps the most probable pairs; of a pair of two of the nodes the later
// one decides, as if they were compared one by one.
func compareMet(ctx context.Context, keys []string, met map[string][]string, nodes map[string]*node) ([]found, error) {
	all := map[string]found{}
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var of []found
		n := nodes[key]
		for _, other := range met[key] {
			if o := nodes[other]; n.mayBe(o) && !n.isLinked(o) {
				if match := compare(n.profile, o.profile); match.Probability >= KeepFrom {
					of = append(of, found{Pair{key, other}, match, n, o})
				}
			}
		}
		slices.SortStableFunc(of, func(x, y found) int { return cmp.Compare(y.match.Probability, x.match.Probability) })
		maps.DeleteFunc(all, func(_ string, f found) bool { return f.a == n || f.b == n })
		for _, f := range of[:min(len(of), mostProposals)] {
			all[f.pair.key()] = f
		}
	}
	kept := make([]found, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		kept = append(kept, all[key])
	}
	return kept, nil
}

// mayBe reports whether two nodes are of one kind and user, and not two owners.
func (n *node) mayBe(other *node) bool {
	return other != nil && other.kind() == n.kind() && other.user() == n.user() && !(n.IsOwner && other.IsOwner)
}

// checked returns what duplicate_pairs is given of a pair.
func (f *found) checked(position int) map[string]any {
	return map[string]any{"position": position, "pair": f.pair.key(), "first_key": f.pair.First, "second_key": f.pair.Second}
}

func pairParams(team string, pairs []map[string]any, now time.Time) map[string]any {
	return map[string]any{"team_id": team, "pairs": pairs, "names": mostMerged, "refusals": mostRefusals, "separator": graph.KeySeparator, "now": now}
}

// possible omits the pairs that are linked, those that one source mentions together, and those that were refused.
func (s *Store) possible(ctx context.Context, team string, all []found) (kept []found, err error) {
	for len(all) > 0 {
		some := firstPairs(all)
		pairs := make([]map[string]any, some)
		for i := range pairs {
			pairs[i] = all[i].checked(i)
		}
		rows, err := checkPairs.Read(ctx, s.db, pairParams(team, pairs, s.graph.Now()))
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if !r.Linked && !r.Together && !r.Refused {
				kept = append(kept, all[r.Position])
			}
		}
		all = all[some:]
	}
	return kept, nil
}

// firstPairs returns how many pairs are checked in one statement, by the number of their names.
func firstPairs(all []found) int {
	names := int64(0)
	for i := range all {
		if names += 2 + min(all[i].a.Merged, mostMerged) + min(all[i].b.Merged, mostMerged); names >= checkedNames {
			return i + 1
		}
	}
	return len(all)
}
