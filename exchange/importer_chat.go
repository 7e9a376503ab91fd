package exchange

import (
	"context"

	"kith/graph"
)

// chatTree adds a chat tree to the batch, before all turns of it.
func (i *importer) chatTree(ctx context.Context, item Item) error {
	var r struct {
		graph.ChatTreeRecord
		inTeam
	}
	if fault := decodeItem(item.Raw, &r, &r.inTeam, i.scope.TeamID); fault != nil {
		return i.refuse(ctx, item, *fault)
	}
	if len(i.batch.chats.Turns) > 0 {
		if err := i.flush(ctx); err != nil {
			return err
		}
	}
	i.batch.chats.Trees = append(i.batch.chats.Trees, r.ChatTreeRecord)
	i.batch.treeLines = append(i.batch.treeLines, item.Line)
	i.batch.bytes += len(item.Raw)
	return nil
}

// chatTurn adds a turn of a chat tree to the batch.
func (i *importer) chatTurn(ctx context.Context, item Item) error {
	var r struct {
		graph.ChatTurnRecord
		inTeam
	}
	if fault := decodeItem(item.Raw, &r, &r.inTeam, i.scope.TeamID); fault != nil {
		return i.refuse(ctx, item, *fault)
	}
	i.batch.chats.Turns = append(i.batch.chats.Turns, r.ChatTurnRecord)
	i.batch.turnLines = append(i.batch.turnLines, item.Line)
	i.batch.bytes += len(item.Raw)
	return nil
}

// storeChats stores the chat trees of a batch, and then the turns.
func (i *importer) storeChats(ctx context.Context, b *batch) error {
	if len(b.chats.Trees)+len(b.chats.Turns) == 0 {
		return nil
	}
	if err := i.stillOurs(ctx); err != nil {
		return err
	}
	b.chats.Plan = i.chatPlan
	result, err := i.store.RestoreChats(ctx, i.scope, &b.chats)
	if err != nil {
		return err
	}
	i.countChats(b, ChatTreeItem, result.Trees, b.treeLines)
	i.countChats(b, ChatTurnItem, result.Turns, b.turnLines)
	return nil
}

// countChats counts what became of chats, and tells what is wrong with those that were refused.
func (i *importer) countChats(b *batch, kind ItemKind, results []graph.ChatItemResult, lines []int64) {
	for n, r := range results {
		i.report.of(kind).add(r.Status)
		if r.Status == graph.Refused {
			b.told = append(b.told, told{Refusal{lines[n], r.Field, r.Message}, false, kind})
		}
	}
}
