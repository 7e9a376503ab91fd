package exchange

import (
	"context"

	"kith/graph"
	"kith/internal/fault"
)

// addReview adds a review to the batch. The nodes before it are stored first, as its write may name them.
func (i *importer) addReview(ctx context.Context, item Item) error {
	var l struct {
		graph.ReviewLine
		inTeam
	}
	if err := decodeItem(item.Raw, &l, &l.inTeam, i.scope.TeamID); err != nil {
		return i.recordFaults(ctx, item, fault.Fields(err)...)
	}
	fields := i.Reviews.CheckReview(&l.ReviewLine, i.scope)
	if len(fields) == 0 && l.State != string(graph.Waiting) && !i.options.Admin {
		fields = fault.Fields(fault.Invalid(fault.At("state"), fault.NotAllowed, "must be waiting: only a key with the scope admin decides"))
	}
	if len(fields) > 0 {
		return i.recordFaults(ctx, item, fields...)
	}
	if err := i.flushNodes(ctx); err != nil {
		return err
	}
	if err := i.followAliases(keysIn(&l.ReviewLine)...); err != nil {
		return err
	}
	i.batch.reviews = append(i.batch.reviews, l.ReviewLine)
	i.batch.reviewLines = append(i.batch.reviewLines, item.Line)
	i.batch.bytes += len(item.Raw)
	return nil
}

// keysIn returns the keys of nodes in a review.
func keysIn(l *graph.ReviewLine) (keys []*string) {
	for n := range l.DerivedFrom {
		keys = append(keys, &l.DerivedFrom[n])
	}
	for n := range l.Write.Nodes {
		keys = append(keys, &l.Write.Nodes[n].EntityKey)
	}
	for n := range l.Write.Relationships {
		keys = append(keys, &l.Write.Relationships[n].From, &l.Write.Relationships[n].To)
	}
	return keys
}

// addTrustRule adds a decision about further writes to the batch.
func (i *importer) addTrustRule(ctx context.Context, item Item) error {
	var l struct {
		graph.TrustRuleLine
		inTeam
	}
	if err := decodeItem(item.Raw, &l, &l.inTeam, i.scope.TeamID); err != nil {
		return i.recordFaults(ctx, item, fault.Fields(err)...)
	}
	fields := i.Reviews.CheckTrustRule(&l.TrustRuleLine, i.scope)
	if len(fields) == 0 && !i.options.Admin {
		fields = fault.Fields(fault.Invalid(fault.At("decision"), fault.NotAllowed, "only a key with the scope admin decides"))
	}
	if len(fields) > 0 {
		return i.recordFaults(ctx, item, fields...)
	}
	i.batch.rules = append(i.batch.rules, l.TrustRuleLine)
	i.batch.bytes += len(item.Raw)
	return nil
}

// storeReviews stores the reviews and rules of a batch. Storing one again changes nothing, so they need not be in the transaction of the
// rest.
func (i *importer) storeReviews(ctx context.Context, b *batch) error {
	if len(b.reviews) > 0 {
		created, refused, err := i.Reviews.RestoreReviews(ctx, i.scope, b.reviews, i.options.DryRun)
		if err != nil {
			return err
		}
		i.report.Reviews.Created += created
		i.report.Reviews.Unchanged += int64(len(b.reviews)-len(refused)) - created
		for n, f := range refused {
			b.findings = append(b.findings, finding{Refusal{b.reviewLines[n], f.Path.String(), f.Message}, false, ReviewItem})
		}
	}
	if len(b.rules) == 0 {
		return nil
	}
	created, err := i.Reviews.RestoreTrustRules(ctx, i.scope, b.rules, i.options.DryRun)
	i.report.TrustRules.Created += created
	i.report.TrustRules.Unchanged += int64(len(b.rules)) - created
	return err
}
