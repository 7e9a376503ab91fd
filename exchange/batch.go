package exchange

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"strconv"
	"strings"

	"kith/graph"
)

// batch is what an import stores in one transaction.
type batch struct {
	graph.RestoreBatch
	nodeLines, relationshipLines []int64
	bytes                        int
	triples                      map[[3]string]bool
	user                         string // whose preferences are collected
	preferences                  []graph.Preference
	preferenceLines              []int64
}

// decodeItem reads an item of Kith's own form. An unknown field is a fault: what is not understood is not stored.
func decodeItem(raw json.RawMessage, into any, team string) *graph.FieldError {
	var other struct {
		TeamID *string `json:"team_id"`
	}
	if json.Unmarshal(raw, &other) == nil && other.TeamID != nil && *other.TeamID != team {
		return &graph.FieldError{Location: "team_id", Message: "names another team than that of the key"}
	}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	if other.TeamID == nil {
		decoder.DisallowUnknownFields()
	}
	if err := decoder.Decode(into); err != nil {
		return &graph.FieldError{Location: faultyField(err), Message: "is not what it should be"}
	}
	return nil
}

// node adds a node to the batch.
func (i *importer) node(ctx context.Context, item Item) error {
	if len(i.batch.Relationships) > 0 { // what they lead to is stored; what comes now may be new
		if err := i.flush(ctx); err != nil {
			return err
		}
	}
	var w graph.NodeWrite
	if fault := decodeItem(item.Raw, &w, i.scope.TeamID); fault != nil {
		return i.refuse(item.Line, []graph.FieldError{*fault}, &i.report.Nodes)
	}
	fields := i.store.CheckNode(&w, i.scope)
	if w.UserID.Given && i.scope.UserID != "" && w.UserID.Value != i.scope.UserID && !w.UserID.Null {
		fields = append(fields, graph.FieldError{Location: "user_id", Message: "is another user than the one the import is for"})
	}
	if len(fields) > 0 {
		return i.refuse(item.Line, within(fields, "nodes[0]."), &i.report.Nodes)
	}
	i.batch.Nodes = append(i.batch.Nodes, w)
	i.batch.nodeLines = append(i.batch.nodeLines, item.Line)
	return i.grow(ctx, len(item.Raw))
}

// relationship adds a relationship to the batch.
func (i *importer) relationship(ctx context.Context, item Item) error {
	var w graph.RelationshipWrite
	if fault := decodeItem(item.Raw, &w, i.scope.TeamID); fault != nil {
		return i.refuse(item.Line, []graph.FieldError{*fault}, &i.report.Relationships)
	}
	if fields := i.store.CheckRelationship(&w); len(fields) > 0 {
		return i.refuse(item.Line, within(fields, "relationships[0]."), &i.report.Relationships)
	}
	triple := [3]string{w.From, w.Type, w.To}
	if i.batch.triples[triple] || len(i.batch.Nodes) > 0 { // the store looks at what is stored, not at the same batch
		if err := i.flush(ctx); err != nil {
			return err
		}
	}
	for _, end := range []*string{&w.From, &w.To} {
		if alias := i.aliases[*end]; alias != "" {
			*end = alias
		}
	}
	if i.options.DryRun && (i.planned[hash(w.From)] || i.planned[hash(w.To)]) {
		i.report.Relationships.Created++ // its ends would be there
		return nil
	}
	if i.batch.triples == nil {
		i.batch.triples = map[[3]string]bool{}
	}
	i.batch.triples[triple] = w.History == nil || !w.History.System.Given
	i.batch.Relationships = append(i.batch.Relationships, w)
	i.batch.relationshipLines = append(i.batch.relationshipLines, item.Line)
	return i.grow(ctx, len(item.Raw))
}

// within drops the place of the only item from locations.
func within(fields []graph.FieldError, place string) []graph.FieldError {
	for n := range fields {
		fields[n].Location = strings.TrimPrefix(fields[n].Location, place)
	}
	return fields
}

func (i *importer) grow(ctx context.Context, size int) error {
	i.batch.bytes += size
	if len(i.batch.Nodes)+len(i.batch.Relationships) < batchItems && i.batch.bytes < batchBytes {
		return nil
	}
	return i.flush(ctx)
}

// seed makes the hashes of one process.
var seed = maphash.MakeSeed() //nolint:gochecknoglobals // a constant of the process

func hash(key string) uint64 { return maphash.String(seed, key) }

// flush stores what has been collected.
func (i *importer) flush(ctx context.Context) error {
	if err := i.flushPreferences(ctx); err != nil {
		return err
	}
	b := i.batch
	i.batch = batch{}
	if len(b.Nodes)+len(b.Relationships) == 0 {
		return nil
	}
	mark := graph.ImportMark{ID: i.options.ID, Seq: i.seq - 1}
	if len(b.Nodes)+len(b.Relationships) >= batchItems || b.bytes >= batchBytes {
		mark.Seq = i.seq // it ends with the item just taken
	}
	before := *i.report
	var stop error
	result, err := i.store.Restore(ctx, i.scope, &b.RestoreBatch, mark, func(result graph.MemoryResult) string {
		*i.report = before
		stop = i.tell(b, result)
		raw, _ := json.Marshal(i.report) //nolint:errchkjson // a Report always can
		return string(raw)
	}, i.options.DryRun)
	if err != nil {
		*i.report = before
		return err
	}
	if i.options.DryRun {
		stop = i.tell(b, result)
	} else if i.options.Changed != nil {
		i.options.Changed(result.Users)
	}
	i.follow(b, result)
	return stop
}

// tell counts what became of a batch.
func (i *importer) tell(b batch, result graph.MemoryResult) (stop error) {
	for n, r := range result.Nodes {
		if r.Status != graph.Refused {
			i.report.Nodes.add(r.Status)
			continue
		}
		if err := i.fault(b.nodeLines[n], place(result, "nodes", n), *r.Error, false, &i.report.Nodes); err != nil {
			stop = err
		}
	}
	for n, r := range result.Relationships {
		if r.Status != graph.Refused {
			i.report.Relationships.add(r.Status)
			continue
		}
		if err := i.fault(b.relationshipLines[n], place(result, "relationships", n), *r.Error, false, &i.report.Relationships); err != nil {
			stop = err
		}
	}
	return stop
}

// place is the field that a warning of the store tells of.
func place(result graph.MemoryResult, list string, n int) string {
	prefix := list + "[" + strconv.Itoa(n) + "]."
	for _, w := range result.Warnings {
		if rest, ok := strings.CutPrefix(w, prefix); ok {
			field, _, _ := strings.Cut(rest, ": ")
			return field
		}
	}
	return ""
}

// follow remembers under which keys nodes are stored.
func (i *importer) follow(b batch, result graph.MemoryResult) {
	for n, r := range result.Nodes {
		given := b.Nodes[n].EntityKey
		switch {
		case r.Status == graph.Refused || given == "":
		case r.EntityKey != given:
			i.aliases[given] = r.EntityKey
		case i.options.DryRun && r.Status == graph.Created:
			i.planned[hash(given)] = true
		}
	}
}
