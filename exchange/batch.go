package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kith/graph"
)

// batch is what an import stores in one transaction: first the nodes, then the relationships.
type batch struct {
	graph.RestoreBatch
	nodeLines, relationshipLines []int64
	keys                         map[string]bool // of the nodes
	ends                         map[string]bool // keys that relationships lead from or to
	bytes                        int
	told                         []told
	last                         int64  // its last line
	user                         string // whose preferences there are
	preferences                  []graph.Preference
	preferenceLines              []int64
	chats                        graph.ChatBatch
	treeLines, turnLines         []int64
}

func (b *batch) items() int {
	return len(b.Nodes) + len(b.Relationships) + len(b.preferences) + len(b.chats.Trees) + len(b.chats.Turns)
}

func (b *batch) full() bool {
	return b.items() >= batchItems || b.bytes >= batchBytes || len(b.told) >= batchItems
}

// node adds a node to the batch. It must not come to be before a relationship that stands before it: what a file does
// would depend on where its pieces end.
func (i *importer) node(ctx context.Context, item Item) error {
	w, fields := i.readNode(item)
	if len(fields) > 0 {
		return i.refuse(ctx, item, fields...)
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
	i.batch.nodeLines = append(i.batch.nodeLines, item.Line)
	i.batch.bytes += len(item.Raw)
	return nil
}

func (i *importer) readNode(item Item) (graph.NodeWrite, []graph.FieldError) {
	var w struct {
		graph.NodeWrite
		inTeam
	}
	if fault := decodeItem(item.Raw, &w, &w.inTeam, i.scope.TeamID); fault != nil {
		return w.NodeWrite, []graph.FieldError{*fault}
	}
	i.takeOwner(&w.NodeWrite)
	fields := within(i.store.CheckNode(&w.NodeWrite, i.scope), "nodes[0].")
	if w.UserID.Given && i.scope.UserID != "" && w.UserID.Value != i.scope.UserID && !w.UserID.Null {
		fields = append(fields, graph.FieldError{Location: "user_id", Message: otherUser})
	}
	return w.NodeWrite, fields
}

const otherUser = "is another user than the one the import is for"

// relationship adds a relationship to the batch.
func (i *importer) relationship(ctx context.Context, item Item) error {
	var w struct {
		graph.RelationshipWrite
		inTeam
	}
	if fault := decodeItem(item.Raw, &w, &w.inTeam, i.scope.TeamID); fault != nil {
		return i.refuse(ctx, item, *fault)
	}
	if fields := i.store.CheckRelationship(&w.RelationshipWrite); len(fields) > 0 {
		return i.refuse(ctx, item, within(fields, "relationships[0].")...)
	}
	if i.batch.ends == nil {
		i.batch.ends = map[string]bool{}
	}
	for _, end := range []*string{&w.From, &w.To} {
		i.batch.ends[*end] = true
		alias, known, err := i.aliases.Get(*end)
		if err != nil {
			return err
		}
		if known {
			*end = alias
		}
	}
	i.batch.Relationships = append(i.batch.Relationships, w.RelationshipWrite)
	i.batch.relationshipLines = append(i.batch.relationshipLines, item.Line)
	i.batch.bytes += len(item.Raw)
	return nil
}

// within drops the place of the only item from locations.
func within(fields []graph.FieldError, place string) []graph.FieldError {
	for n := range fields {
		fields[n].Location = strings.TrimPrefix(strings.TrimPrefix(fields[n].Location, place), strings.TrimSuffix(place, "."))
	}
	return fields
}

// flush stores what has been collected, with the mark of how far the import has come.
func (i *importer) flush(ctx context.Context) error {
	b := i.batch
	i.batch = batch{}
	if err := i.storePreferences(ctx, &b); err != nil {
		return err
	}
	if err := i.storeChats(ctx, &b); err != nil {
		return err
	}
	if i.settled == i.marked || len(b.Nodes)+len(b.Relationships) == 0 && !i.resumable() {
		i.conclude(&b, graph.MemoryResult{})
		return i.strictly()
	}
	before := *i.report
	result, err := i.restore(ctx, &b, before)
	if err != nil {
		*i.report = before
		i.changed("") // what was done, or not, nobody knows; the next attempt does not look at it
		return err
	}
	i.marked = i.settled
	i.pieces++
	if i.options.DryRun {
		i.conclude(&b, result)
	}
	i.changed(result.Users...)
	if err := i.follow(&b, result); err != nil {
		return err
	}
	return i.strictly()
}

// changed tells that the memory of users has changed; an empty one is what the team shares.
func (i *importer) changed(users ...string) {
	if i.options.Changed != nil && !i.options.DryRun && len(users) > 0 {
		i.options.Changed(users)
	}
}

// strictly stops a strict import at a fault.
func (i *importer) strictly() error {
	if i.options.Strict && len(i.report.Refused) > 0 {
		return ErrStopped
	}
	return nil
}

// restore stores a batch. What of it cannot be stored for reasons that concern it as a whole is refused, and the rest
// stored.
func (i *importer) restore(ctx context.Context, b *batch, before Report) (graph.MemoryResult, error) {
	mark := graph.ImportMark{ID: i.options.ID, After: i.marked, Seq: i.settled}
	b.Plan = i.plan
	for {
		result, err := i.store.Restore(ctx, i.scope, &b.RestoreBatch, mark, func(result graph.MemoryResult) string {
			*i.report = before
			i.conclude(b, result)
			raw, _ := json.Marshal(i.report) //nolint:errchkjson // a Report always can
			return string(raw)
		}, i.options.DryRun)
		var invalid *graph.InvalidError
		if !errors.As(err, &invalid) || !b.drop(invalid.Fields) {
			return result, err
		}
	}
}

// drop refuses the relationships that faults tell of; false if there are none.
func (b *batch) drop(fields []graph.FieldError) bool {
	faulty := map[int]graph.FieldError{}
	for _, f := range fields {
		var n int
		if got, _ := fmt.Sscanf(f.Location, "relationships[%d].", &n); got == 1 && n < len(b.Relationships) {
			faulty[n] = f
		}
	}
	kept := 0
	for n := range b.Relationships {
		if f, ok := faulty[n]; ok {
			_, field, _ := strings.Cut(f.Location, "].")
			b.told = append(b.told, told{Refusal{b.relationshipLines[n], field, f.Message}, false, RelationshipItem})
			continue
		}
		b.Relationships[kept], b.relationshipLines[kept] = b.Relationships[n], b.relationshipLines[n]
		kept++
	}
	b.Relationships, b.relationshipLines = b.Relationships[:kept], b.relationshipLines[:kept]
	return len(faulty) > 0
}

// conclude counts what became of a batch, and tells what is wrong with it.
func (i *importer) conclude(b *batch, result graph.MemoryResult) {
	all := slices.Clone(b.told)
	places := places(result.Refused)
	for n, r := range result.Nodes {
		i.report.Nodes.add(r.Status)
		if r.Status == graph.Refused {
			all = append(all, told{Refusal{b.nodeLines[n], places[item("nodes", n)], *r.Error}, false, NodeItem})
		}
	}
	for n, r := range result.Relationships {
		i.report.Relationships.add(r.Status)
		if r.Status == graph.Refused {
			all = append(all, told{Refusal{b.relationshipLines[n], places[item("relationships", n)], *r.Error}, false, RelationshipItem})
		}
	}
	i.report.Lines = max(i.report.Lines, b.last)
	i.report.tell(all)
}

func item(list string, n int) string { return list + "[" + strconv.Itoa(n) + "]" }

// places are the fields for which items were refused, by the items: the first of each.
func places(refused []graph.FieldError) map[string]string {
	all := make(map[string]string, len(refused))
	for _, r := range refused {
		of, field, ok := strings.Cut(r.Location, ".")
		if _, again := all[of]; ok && !again {
			all[of] = field
		}
	}
	return all
}

// follow remembers under which keys nodes are stored.
func (i *importer) follow(b *batch, result graph.MemoryResult) error {
	for n, r := range result.Nodes {
		if given := b.Nodes[n].EntityKey; r.Status != graph.Refused && given != "" && r.EntityKey != given {
			if err := i.aliases.Put(given, r.EntityKey); err != nil {
				return err
			}
		}
	}
	return nil
}

// pass looks at what an earlier attempt has stored: nodes may be known under other keys than the file's.
func (i *importer) pass(ctx context.Context, item Item, fault *Fault) error {
	i.settled = i.given
	if fault != nil || item.Kind != NodeItem {
		return nil
	}
	w, fields := i.readNode(item)
	if len(fields) > 0 || w.EntityKey == "" || w.History != nil {
		return nil
	}
	i.passed.Nodes = append(i.passed.Nodes, w)
	i.passed.bytes += len(item.Raw)
	if !i.passed.full() {
		return nil
	}
	return i.recall(ctx)
}

// recall asks under which keys the nodes passed are stored.
func (i *importer) recall(ctx context.Context) error {
	b := i.passed
	i.passed = batch{}
	if len(b.Nodes) == 0 {
		return nil
	}
	result, err := i.store.Restore(ctx, i.scope, &b.RestoreBatch, graph.ImportMark{}, nil, true)
	if err != nil {
		return err
	}
	return i.follow(&b, result)
}
