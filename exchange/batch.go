package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/chat"
	"kith/memory/duplicate"
	"kith/memory/preference"
	"kith/memory/statement"
)

// batch is the part of an import that is stored in one transaction: first the nodes, then the relationships and the statements.
type batch struct {
	graph.RestoreBatch
	nodePlaces, relationshipPlaces []place
	versionLines                   []int64
	keys                           map[string]bool // of the nodes
	ends                           map[string]bool // keys at the ends of relationships
	bytes                          int
	findings                       []finding
	statements                     []statement.Line
	statementResults               []statement.Result
	statementLines                 []int64
	pauses                         []graph.Scope
	refusals                       []duplicate.Line
	refusalLines                   []int64
	reviews                        []graph.ReviewLine
	reviewLines                    []int64
	rules                          []graph.TrustRuleLine
	last                           int64  // the number of its last line
	user                           string // owner of the preferences
	preferences                    []preference.Preference
	preferenceLines                []int64
	chats                          chat.Batch
	treeLines, turnLines           []int64
}

// place is where an item is in the file.
type place struct {
	line int64
	in   string // the element of a document; empty: the line
}

func (i *Item) place() place { return place{i.Line, i.Place} }

// refusal returns what is wrong with a field of the item.
func (p place) refusal(location, message string) Refusal {
	return Refusal{p.line, within(p.in, location), message}
}

func (b *batch) itemCount() int {
	return len(b.Nodes) + len(b.Relationships) + len(b.Versions) + len(b.statements) + len(b.pauses) + len(b.refusals) + len(b.reviews) + len(b.rules) + len(b.preferences) + len(b.chats.Trees) + len(b.chats.Turns)
}

func (b *batch) isFull() bool {
	return b.itemCount() >= batchItems || b.bytes >= batchBytes || len(b.findings) >= batchItems
}

// addNode adds a node to the batch. A node that follows a relationship to it begins a new batch: otherwise the result
// would depend on where batches end.
func (i *importer) addNode(ctx context.Context, item Item) error {
	w, fields := i.readNode(item)
	if len(fields) > 0 {
		return i.recordFaults(ctx, item, fields...)
	}
	if i.batch.ends[w.EntityKey] && !i.batch.keys[w.EntityKey] {
		if err := i.flush(ctx); err != nil {
			return err
		}
	}
	if i.batch.keys == nil {
		i.batch.keys = map[string]bool{}
	}
	i.batch.keys[w.EntityKey] = true
	i.batch.Nodes = append(i.batch.Nodes, w)
	i.batch.nodePlaces = append(i.batch.nodePlaces, item.place())
	i.batch.bytes += len(item.Raw)
	return nil
}

func (i *importer) readNode(item Item) (graph.NodeWrite, []fault.FieldError) {
	var w struct {
		graph.NodeWrite
		inTeam
	}
	if err := decodeItem(item.Raw, &w, &w.inTeam, i.scope.TeamID); err != nil {
		return w.NodeWrite, fault.Fields(err)
	}
	i.takeOwner(item, &w.NodeWrite)
	f := fault.ListOf(i.Memory.CheckNode(&w.NodeWrite, i.scope))
	if w.UserID.Given && !w.UserID.Null {
		i.scope.CheckImported(&f, w.UserID.Value)
	}
	return w.NodeWrite, f.Fields()
}

// addRelationship adds a relationship to the batch.
func (i *importer) addRelationship(ctx context.Context, item Item) error {
	var w struct {
		graph.RelationshipWrite
		inTeam
	}
	if err := decodeItem(item.Raw, &w, &w.inTeam, i.scope.TeamID); err != nil {
		return i.recordFaults(ctx, item, fault.Fields(err)...)
	}
	if fields := i.Memory.CheckRelationship(&w.RelationshipWrite); len(fields) > 0 {
		return i.recordFaults(ctx, item, fields...)
	}
	if i.batch.ends == nil {
		i.batch.ends = map[string]bool{}
	}
	i.batch.ends[w.From], i.batch.ends[w.To] = true, true
	if err := i.followAliases(&w.From, &w.To); err != nil {
		return err
	}
	i.batch.Relationships = append(i.batch.Relationships, w.RelationshipWrite)
	i.batch.relationshipPlaces = append(i.batch.relationshipPlaces, item.place())
	i.batch.bytes += len(item.Raw)
	return nil
}

// flush stores the batch, with the mark of how far the import has come.
func (i *importer) flush(ctx context.Context) error {
	b := i.batch
	i.batch = batch{}
	if err := i.storePauses(ctx, &b); err != nil {
		return err
	}
	if err := i.storeRefusals(ctx, &b); err != nil {
		return err
	}
	if err := i.storeReviews(ctx, &b); err != nil {
		return err
	}
	if err := i.storePreferences(ctx, &b); err != nil {
		return err
	}
	if err := i.storeChats(ctx, &b); err != nil {
		return err
	}
	if i.handled == i.stored || len(b.Nodes)+len(b.Relationships)+len(b.Versions)+len(b.statements) == 0 && !i.resumable() {
		i.countResults(&b, graph.MemoryResult{})
		return i.checkStrict()
	}
	before := *i.report
	result, err := i.storeBatch(ctx, &b, before)
	if err != nil {
		*i.report = before
		return err
	}
	i.stored = i.handled
	if len(b.Nodes)+len(b.Relationships) > 0 {
		i.pieces++
	}
	if i.options.DryRun {
		i.countResults(&b, result)
	}
	if err := i.recordAliases(&b, result); err != nil {
		return err
	}
	return i.checkStrict()
}

// checkStrict stops a strict import after a fault.
func (i *importer) checkStrict() error {
	if i.options.Strict && len(i.report.Refused) > 0 {
		return ErrStopped
	}
	return nil
}

// storeBatch stores a batch. It refuses the relationships that the store rejects together with the whole batch, and
// stores the rest.
func (i *importer) storeBatch(ctx context.Context, b *batch, before Report) (graph.MemoryResult, error) {
	mark := graph.ImportMark{ID: i.options.ID, After: i.stored, Seq: i.handled}
	b.Plan, b.Searched = i.plan, i.searched
	i.alsoStatements(b)
	for {
		result, err := i.Memory.Restore(ctx, i.scope, &b.RestoreBatch, mark, func(result graph.MemoryResult) string {
			*i.report = before
			i.countResults(b, result)
			raw, _ := json.Marshal(i.report) //nolint:errchkjson // a Report can always be encoded
			return string(raw)
		}, i.options.DryRun)
		var invalid *fault.InvalidError
		if !errors.As(err, &invalid) || !b.dropFaulty(invalid.Fields) {
			return result, err
		}
	}
}

// dropFaulty refuses the relationships that have faults, and returns false if there are none.
func (b *batch) dropFaulty(fields []fault.FieldError) bool {
	faulty := map[int]fault.FieldError{}
	for _, f := range fields {
		if n, field, ok := f.Path.Item("relationships"); ok && n < len(b.Relationships) {
			f.Path = field
			faulty[n] = f
		}
	}
	kept := 0
	for n := range b.Relationships {
		if f, ok := faulty[n]; ok {
			b.findings = append(b.findings, finding{b.relationshipPlaces[n].refusal(f.Path.String(), f.Message), false, RelationshipItem})
			continue
		}
		b.Relationships[kept], b.relationshipPlaces[kept] = b.Relationships[n], b.relationshipPlaces[n]
		kept++
	}
	b.Relationships, b.relationshipPlaces = b.Relationships[:kept], b.relationshipPlaces[:kept]
	return len(faulty) > 0
}

// countResults adds the results of a batch to the report, with the reasons of refusals.
func (i *importer) countResults(b *batch, result graph.MemoryResult) {
	all := slices.Clone(b.findings)
	places := refusedFields(result.Refused)
	for n, r := range result.Nodes {
		i.report.Nodes.add(r.Status)
		if r.Status != graph.Refused && importedTwice(b.Nodes[n].EntityKey, r.EntityKey) && b.Nodes[n].History == nil {
			all = append(all, finding{b.nodePlaces[n].refusal("", oneOfTwo), true, NodeItem})
		}
		if r.Status == graph.Refused {
			all = append(all, finding{b.nodePlaces[n].refusal(places[fault.At("nodes").Index(n)], *r.Error), false, NodeItem})
		}
	}
	for n, r := range result.Relationships {
		i.report.Relationships.add(r.Status)
		if r.Status == graph.Refused {
			all = append(all, finding{b.relationshipPlaces[n].refusal(places[fault.At("relationships").Index(n)], *r.Error), false, RelationshipItem})
		}
	}
	all = i.countStatements(b, all)
	for _, status := range result.Versions {
		i.report.Versions.add(status)
	}
	for _, r := range result.Refused {
		if n, field, ok := r.Path.Item("versions"); ok {
			all = append(all, finding{Refusal{b.versionLines[n], field.String(), r.Message}, false, VersionItem})
		}
	}
	i.report.Lines = max(i.report.Lines, b.last)
	i.report.addFindings(all)
}

// refusedFields maps the places of refused items to the first field that is refused.
func refusedFields(refused []fault.FieldError) map[fault.Path]string {
	all := make(map[fault.Path]string, len(refused))
	for _, r := range refused {
		for _, list := range []string{"nodes", "relationships"} {
			n, field, ok := r.Path.Item(list)
			if item := fault.At(list).Index(n); ok && all[item] == "" {
				all[item] = field.String()
			}
		}
	}
	return all
}

// recordAliases remembers the keys under which nodes are stored, except of those of an export that were merged into others since: the team
// finds these by their keys, and former versions of them are not those of the others.
func (i *importer) recordAliases(b *batch, result graph.MemoryResult) error {
	for n, r := range result.Nodes {
		if h := b.Nodes[n].History; h != nil && !h.OwnerGenerated.Value {
			continue
		}
		if given := b.Nodes[n].EntityKey; r.Status != graph.Refused && given != "" && r.EntityKey != given {
			if err := i.aliases.Put(given, r.EntityKey); err != nil {
				return err
			}
		}
	}
	return nil
}

// collectPassed handles an item that an earlier attempt has stored: the team may have nodes under other keys than the
// file.
func (i *importer) collectPassed(ctx context.Context, item Item, fault *Fault) error {
	i.handled = i.seen
	if fault != nil || item.Kind != NodeItem {
		return nil
	}
	w, fields := i.readNode(item)
	if len(fields) > 0 || w.EntityKey == "" || w.History != nil {
		return nil
	}
	i.passed.Nodes = append(i.passed.Nodes, w)
	i.passed.bytes += len(item.Raw)
	if !i.passed.isFull() {
		return nil
	}
	return i.resolvePassed(ctx)
}

// resolvePassed reads the keys under which the passed nodes are stored.
func (i *importer) resolvePassed(ctx context.Context) error {
	b := i.passed
	i.passed = batch{}
	if len(b.Nodes) == 0 {
		return nil
	}
	result, err := i.Memory.Restore(ctx, i.scope, &b.RestoreBatch, graph.ImportMark{}, nil, true)
	if err != nil {
		return err
	}
	return i.recordAliases(&b, result)
}
