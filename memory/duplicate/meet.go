package duplicate

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"kith/graph/neo"
)

var (
	findNear   = neo.Load[nearRow]("duplicate_meet")
	countLinks = neo.Load[linksRow]("duplicate_links")
)

// nearRow is a row of duplicate_meet.
type nearRow struct {
	EntityKey string
	Blocks    string
	Others    []blockedRow
}

// blockedRow is a node with its blocks, in the order of duplicate_meet.
type blockedRow struct{ Key, Blocks string }

// meet returns with which nodes each of some nodes is compared.
func (s *Store) meet(ctx context.Context, team string, keys []string) (map[string][]string, error) {
	rows, err := findNear.Read(ctx, s.db, map[string]any{"team_id": team, "entity_keys": keys, "limit": mostNear + 1})
	if err != nil {
		return nil, err
	}
	met := map[string][]string{}
	for i := range rows {
		met[rows[i].EntityKey] = rows[i].nearest()
	}
	return met, nil
}

// frequent is the weight of a block that all have, as a number of nodes of which one has it.
const frequent = 10_000

// nearest returns the keys of the nodes that have the rarest blocks in common with the node. The index ranks by all nodes of all teams and users;
// here only those count that meet the node.
func (n *nearRow) nearest() []string {
	own := map[string]int{}
	for i, block := range strings.Fields(n.Blocks) {
		own[block] = i
	}
	common, count := make([][]int, len(n.Others)), make([]int, len(own))
	for i, o := range n.Others {
		for block := range strings.FieldsSeq(o.Blocks) {
			if at, has := own[block]; has {
				common[i] = append(common[i], at)
				count[at]++
			}
		}
		slices.Sort(common[i]) // a sum in another order differs in its last digits
	}
	score := map[string]float64{}
	for i, o := range n.Others {
		for _, at := range common[i] {
			score[o.Key] += math.Log(frequent / float64(count[at]))
		}
	}
	others := slices.Clone(n.Others)
	slices.SortFunc(others, func(x, y blockedRow) int {
		return cmp.Or(cmp.Compare(score[y.Key], score[x.Key]), cmp.Compare(len(x.Blocks), len(y.Blocks)), cmp.Compare(x.Key, y.Key))
	})
	var keys []string
	for _, o := range others[:min(len(others), mostMet)] {
		keys = append(keys, o.Key)
	}
	return keys
}

// neighbour is a node with which nodes of a user, or of the team, are linked.
type neighbour struct{ key, user string }

// countLinks counts the relationships of the nodes with which two that met are both linked, and adds them to the profiles.
func (s *Store) countLinks(ctx context.Context, team string, met map[string][]string, nodes map[string]*node) error {
	shared := map[neighbour][]*profile{}
	for key, others := range met {
		n := nodes[key]
		for _, other := range others {
			if o := nodes[other]; n != nil && n.mayBe(o) {
				for _, l := range n.sharedWith(o) {
					shared[l] = append(shared[l], n.profile, o.profile)
				}
			}
		}
	}
	all := slices.SortedFunc(maps.Keys(shared), func(x, y neighbour) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.user, y.user))
	})
	for some := range slices.Chunk(all, countedLinks) {
		rows := make([]map[string]any, len(some))
		for i, l := range some {
			if rows[i] = map[string]any{"position": i, "entity_key": l.key, "user_id": nil}; l.user != "" {
				rows[i]["user_id"] = l.user
			}
		}
		counted, err := countLinks.Read(ctx, s.db, map[string]any{"team_id": team, "rows": rows, "most": mostLinks})
		if err != nil {
			return err
		}
		for _, c := range counted {
			for _, p := range shared[some[c.Position]] {
				p.neighbours[some[c.Position].key] = int(c.Links)
			}
		}
	}
	return nil
}

// sharedWith returns the nodes with which both are linked, without the owner, who is everybody's neighbour.
func (n *node) sharedWith(other *node) (shared []neighbour) {
	keys := map[string]bool{}
	for _, l := range n.Neighbours {
		keys[l.Key] = !l.IsOwner
	}
	for _, l := range other.Neighbours {
		if keys[l.Key] {
			shared = append(shared, neighbour{l.Key, n.user()})
		}
	}
	return shared
}
