package exchange

import (
	"context"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/chat"
)

// addChatTree adds a chat tree to the batch, before all its turns.
func (i *importer) addChatTree(ctx context.Context, item Item) error {
	var r struct {
		chat.TreeRecord
		inTeam
	}
	if err := decodeItem(item.Raw, &r, &r.inTeam, i.scope.TeamID); err != nil {
		return i.recordFaults(ctx, item, fault.Fields(err)...)
	}
	if len(i.batch.chats.Turns) > 0 {
		if err := i.flush(ctx); err != nil {
			return err
		}
	}
	i.batch.chats.Trees = append(i.batch.chats.Trees, r.TreeRecord)
	i.batch.treeLines = append(i.batch.treeLines, item.Line)
	i.batch.bytes += len(item.Raw)
	return nil
}

// addChatTurn adds a turn of a chat tree to the batch.
func (i *importer) addChatTurn(ctx context.Context, item Item) error {
	var r struct {
		chat.TurnRecord
		inTeam
	}
	if err := decodeItem(item.Raw, &r, &r.inTeam, i.scope.TeamID); err != nil {
		return i.recordFaults(ctx, item, fault.Fields(err)...)
	}
	i.batch.chats.Turns = append(i.batch.chats.Turns, r.TurnRecord)
	i.batch.turnLines = append(i.batch.turnLines, item.Line)
	i.batch.bytes += len(item.Raw)
	return nil
}

// storeChats stores the chat trees of a batch, and then the turns.
func (i *importer) storeChats(ctx context.Context, b *batch) error {
	if len(b.chats.Trees)+len(b.chats.Turns) == 0 {
		return nil
	}
	if err := i.checkProgress(ctx); err != nil {
		return err
	}
	b.chats.Plan = i.chatPlan
	result, err := i.Chats.RestoreChats(ctx, i.scope, &b.chats)
	if err != nil {
		return err
	}
	i.countChats(b, ChatTreeItem, result.Trees, b.treeLines)
	i.countChats(b, ChatTurnItem, result.Turns, b.turnLines)
	return nil
}

// countChats adds the results of chats to the report, with the reasons of refusals.
func (i *importer) countChats(b *batch, kind ItemKind, results []chat.ItemResult, lines []int64) {
	for n, r := range results {
		i.report.countsOf(kind).add(r.Status)
		if r.Status == graph.Refused {
			b.findings = append(b.findings, finding{Refusal{lines[n], r.Field, r.Message}, false, kind})
		}
	}
}
