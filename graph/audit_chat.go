package graph

import "context"

// chatFaults say of each fault of a turn what it means.
var chatFaults = map[string]string{
	"tree":   "is a turn of no tree",
	"user":   "is private to another user than its tree",
	"parent": "does not lead to the earlier turn of its tree that it replies to",
	"lease":  "has a lease and is not generated, or the other way round",
}

// chats reports turns that do not form trees, and trees that count them wrongly.
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
		f := Finding{Check: "chat_count", TeamID: team, Kind: "chat_tree", Key: text(wrong[0]), Detail: "numbers its turns wrongly"}
		return a.report(ctx, f, a.run("audit_chat_number", map[string]any{
			"team_id": team, "id": f.Key, "turn_count": wrong[1], "next_seq": wrong[2],
		}))
	})
}

// chatPages tells of what a statement finds wrong, page by page.
func (a *auditor) chatPages(ctx context.Context, name, team string, tell func(wrong []any) error) error {
	for after := ""; ; {
		rows, err := a.rows(ctx, name, map[string]any{"team_id": team, "after": after, "limit": auditPage})
		if err != nil {
			return err
		}
		for _, wrong := range items(rows[0].Values[2]) {
			if err := tell(items(wrong)); err != nil {
				return err
			}
		}
		if integer(rows[0].Values[0]) < auditPage {
			return nil
		}
		after = text(rows[0].Values[1])
	}
}
