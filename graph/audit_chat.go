package graph

import "context"

// chatFaults describes each fault of a turn.
var chatFaults = map[string]string{
	"tree":   "belongs to no tree",
	"user":   "is private to a different user than its tree",
	"parent": "is not linked to the earlier turn of its tree that it replies to",
	"lease":  "has a lease but is not being generated, or is being generated without a lease",
}

// chats reports turns that do not form trees, and trees with wrong turn counts.
func (a *auditor) chats(ctx context.Context, team string) error {
	err := a.chatPages(ctx, "audit_chat_turns", team, func(wrong []any) error {
		fault := text(wrong[1])
		return a.report(ctx, Finding{
			Check: "chat_" + fault, TeamID: team, Kind: "chat_turn", Key: text(wrong[0]), Detail: chatFaults[fault], Advice: "delete it by hand",
		}, nil)
	})
	if err != nil {
		return err
	}
	return a.chatPages(ctx, "audit_chat_trees", team, func(wrong []any) error {
		f := Finding{Check: "chat_count", TeamID: team, Kind: "chat_tree", Key: text(wrong[0]), Detail: "has a wrong turn count or next number"}
		return a.report(ctx, f, a.run("audit_chat_number", map[string]any{
			"team_id": team, "id": f.Key, "turn_count": wrong[1], "next_seq": wrong[2],
		}))
	})
}

// chatPages runs a statement page by page and calls visit with each fault that it returns.
func (a *auditor) chatPages(ctx context.Context, name, team string, visit func(wrong []any) error) error {
	for after := ""; ; {
		rows, err := a.rows(ctx, name, map[string]any{"team_id": team, "after": after, "limit": auditPage})
		if err != nil {
			return err
		}
		for _, wrong := range items(rows[0][2]) {
			if err := visit(items(wrong)); err != nil {
				return err
			}
		}
		if integer(rows[0][0]) < auditPage {
			return nil
		}
		after = text(rows[0][1])
	}
}
