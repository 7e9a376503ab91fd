package graph

import (
	"context"

	"kith/graph/neo"
)

var (
	integrityChatTurns = neo.Load[keyPage[faultyTurn]]("integrity_chat_turns")
	integrityChatTrees = neo.Load[keyPage[miscountedTree]]("integrity_chat_trees")
	setChatNumbers     = neo.Load[neo.None]("integrity_chat_number")
)

// faultyTurn is a turn with one of chatFaults.
type faultyTurn struct{ ID, Fault string }

// miscountedTree is a tree with wrong numbers, and the right ones.
type miscountedTree struct {
	ID                 string
	TurnCount, NextSeq int64
}

// chatFaults describes each fault of a turn.
var chatFaults = map[string]string{
	"tree":   "belongs to no tree",
	"user":   "is private to a different user than its tree",
	"parent": "is not linked to the earlier turn of its tree that it replies to",
	"lease":  "has a lease but is not being generated, or is being generated without a lease",
}

// chats reports turns that do not form trees, and trees with wrong turn counts.
func (c *checker) chats(ctx context.Context, team string) error {
	err := checkPages(ctx, c, integrityChatTurns, team, func(turn faultyTurn) error {
		return c.report(ctx, Finding{
			Check: "chat_" + turn.Fault, TeamID: team, Kind: "chat_turn", Key: turn.ID, Detail: chatFaults[turn.Fault], Advice: "delete it by hand",
		}, nil)
	})
	if err != nil {
		return err
	}
	return checkPages(ctx, c, integrityChatTrees, team, func(tree miscountedTree) error {
		f := Finding{Check: "chat_count", TeamID: team, Kind: "chat_tree", Key: tree.ID, Detail: "has a wrong turn count or next number"}
		return c.report(ctx, f, c.run(setChatNumbers, map[string]any{
			"team_id": team, "id": f.Key, "turn_count": tree.TurnCount, "next_seq": tree.NextSeq,
		}))
	})
}
