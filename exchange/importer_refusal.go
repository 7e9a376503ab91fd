package exchange

import (
	"context"

	"kith/internal/fault"
	"kith/memory/duplicate"
)

// addRefusal adds a pair of nodes that are two to the batch. The nodes of the batch are stored first: the pair is one of stored nodes.
func (i *importer) addRefusal(ctx context.Context, item Item) error {
	var l struct {
		duplicate.Line
		inTeam
	}
	if err := decodeItem(item.Raw, &l, &l.inTeam, i.scope.TeamID); err != nil {
		return i.recordFaults(ctx, item, fault.Fields(err)...)
	}
	f := &fault.List{}
	if l.Check(f); f.Len() > 0 {
		return i.recordFaults(ctx, item, f.Fields()...)
	}
	if err := i.flushNodes(ctx); err != nil {
		return err
	}
	if err := i.followAliases(&l.First, &l.Second); err != nil {
		return err
	}
	i.batch.refusals = append(i.batch.refusals, l.Line)
	i.batch.refusalLines = append(i.batch.refusalLines, item.Line)
	i.batch.bytes += len(item.Raw)
	return nil
}

// flushNodes stores the nodes of the batch, so that the keys are known under which they are stored.
func (i *importer) flushNodes(ctx context.Context) error {
	if len(i.batch.Nodes) == 0 {
		return nil
	}
	return i.flush(ctx)
}

// followAliases changes keys of the file to those under which the nodes are stored.
func (i *importer) followAliases(keys ...*string) error {
	for _, key := range keys {
		alias, known, err := i.aliases.Get(*key)
		if err != nil {
			return err
		}
		if known {
			*key = alias
		}
	}
	return nil
}

// storeRefusals stores the refusals of a batch. Storing one again changes nothing, so they need not be in the transaction of the rest.
func (i *importer) storeRefusals(ctx context.Context, b *batch) error {
	if len(b.refusals) == 0 {
		return nil
	}
	created, bad, err := i.Refusals.RestoreRefusals(ctx, i.scope, b.refusals, i.plan)
	if err != nil {
		return err
	}
	i.report.Refusals.Created += created
	i.report.Refusals.Unchanged += int64(len(b.refusals)-len(bad)) - created
	for _, n := range bad {
		b.findings = append(b.findings, finding{Refusal{b.refusalLines[n], "", "must name two persons, concepts or entities of one kind and user"}, false, RefusalItem})
	}
	return nil
}
