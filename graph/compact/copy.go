// Package compact copies a database: the copy has nothing of what was deleted.
package compact

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

var (
	countAllNodes         = neo.Load[int64]("copy_count_nodes")
	countAllRelationships = neo.Load[int64]("copy_count_relationships")
	readAllNodes          = neo.Load[copiedNode]("copy_nodes")
	readAllRelationships  = neo.Load[copiedRelationship]("copy_relationships")
	createNodeCopies      = neo.Load[[]int64]("copy_node_create")
	createLinkCopies      = neo.Load[[]int64]("copy_relationship_create")
	listConstraints       = neo.Load[[]string]("copy_constraints")
	listIndexes           = neo.Load[[]string]("copy_indexes")
)

// copiedNode is a node with its id in the store.
type copiedNode struct {
	ID         int64
	Labels     []string
	Properties map[string]any
}

// copiedRelationship is a relationship with the ids of its nodes and its own in the store.
type copiedRelationship struct {
	ID         int64
	Type       string
	Start, End int64
	Properties map[string]any
}

const (
	copyPage    = 2000     // ids of one read
	copyText    = 2 << 20  // characters of one write, or of one node or relationship: Neo4j bounds what a transaction holds
	copyMostGap = 50 << 20 // the largest gap of unused ids between two nodes or relationships
)

// Copied counts what a copy has copied so far.
type Copied struct {
	Nodes         int64 `json:"nodes"`
	Relationships int64 `json:"relationships"`
	Schema        int   `json:"schema"` // constraints and indexes
}

// Copy copies everything to an empty store, whoever wrote it: nodes and relationships with all labels, types and properties,
// constraints and indexes. Then it reads both stores and compares them; any difference is an error. Nothing may write to either
// store meanwhile. It keeps a page in memory, and twice eight bytes for each id of a node or relationship.
func Copy(ctx context.Context, from, to *graph.Store, progress func(step string, c Copied)) (Copied, error) {
	c := &copying{from: from, to: to, progress: progress}
	for _, step := range []func(context.Context) error{c.empty, c.nodes, c.relationships, c.schema, c.compare} {
		if err := step(ctx); err != nil {
			return c.done, err
		}
	}
	return c.done, nil
}

// copying is a running copy. The ids are internal ids of the databases, which are stable while nothing writes.
type copying struct {
	from, to *graph.Store
	progress func(step string, c Copied)
	done     Copied

	total                 Copied
	nodeIDs, linkIDs      ids
	nodeDigest, linkDigst digest
}

// ids maps ids of the old store to ids of the new one and back.
type ids struct{ next, last []int64 }

func (i *ids) put(old, next int64) {
	i.next = set(i.next, old, next)
	i.last = set(i.last, next, old)
}

// set stores a value plus one, so that 0 means none.
func set(list []int64, at, value int64) []int64 {
	if missing := at + 1 - int64(len(list)); missing > 0 {
		list = append(list, make([]int64, missing)...)
	}
	list[at] = value + 1
	return list
}

// get returns a stored value; -1 if there is none.
func get(list []int64, at int64) int64 {
	if at < 0 || at >= int64(len(list)) {
		return -1
	}
	return list[at] - 1
}

func (c *copying) empty(ctx context.Context) error {
	there, err := count(ctx, c.to)
	if err == nil && there != (Copied{}) {
		err = fmt.Errorf("copy: the target store is not empty (%d nodes): %w", there.Nodes, fault.ErrConflict)
	}
	if err == nil {
		c.total, err = count(ctx, c.from)
	}
	return err
}

func count(ctx context.Context, s *graph.Store) (Copied, error) {
	nodes, err := countAllNodes.ReadOne(ctx, s.DB(), nil)
	if err != nil {
		return Copied{}, err
	}
	relationships, err := countAllRelationships.ReadOne(ctx, s.DB(), nil)
	if err != nil {
		return Copied{}, err
	}
	return Copied{Nodes: nodes, Relationships: relationships}, nil
}

func (c *copying) nodes(ctx context.Context) error {
	return readPages(ctx, c.from, readAllNodes, c.total.Nodes, func(nodes []copiedNode) error {
		given := make([]map[string]any, len(nodes))
		for i, n := range nodes {
			given[i] = map[string]any{"labels": n.Labels, "properties": n.Properties}
			c.nodeDigest.add(n.ID, sortedLabels(n.Labels), n.Properties)
		}
		made, err := createCopies(ctx, c.to, createNodeCopies, given)
		for i := range made {
			c.nodeIDs.put(nodes[i].ID, made[i])
		}
		c.done.Nodes += int64(len(made))
		c.progress("nodes", c.done)
		return err
	})
}

func (c *copying) relationships(ctx context.Context) error {
	return readPages(ctx, c.from, readAllRelationships, c.total.Relationships, func(links []copiedRelationship) error {
		given := make([]map[string]any, len(links))
		for i, l := range links {
			given[i] = map[string]any{
				"type": l.Type, "properties": l.Properties, "start": get(c.nodeIDs.next, l.Start), "end": get(c.nodeIDs.next, l.End),
			}
			c.linkDigst.add(l.ID, l.Type, l.Start, l.End, l.Properties)
		}
		made, err := createCopies(ctx, c.to, createLinkCopies, given)
		for i := range made {
			c.linkIDs.put(links[i].ID, made[i])
		}
		c.done.Relationships += int64(len(made))
		c.progress("relationships", c.done)
		return err
	})
}

// createCopies creates nodes or relationships and returns their ids, in the order of the rows.
func createCopies(ctx context.Context, s *graph.Store, create neo.Query[[]int64], rows []map[string]any) (made []int64, err error) {
	for part := range copyParts(rows) {
		some, err := createCopiesOf(ctx, s, create, part)
		if made = append(made, some...); err != nil {
			return made, err
		}
	}
	return made, nil
}

// copyParts returns the rows in parts with at most copyText characters, or of one row.
func copyParts(rows []map[string]any) iter.Seq[[]map[string]any] {
	return func(yield func([]map[string]any) bool) {
		begin, size := 0, int64(0)
		for i, row := range rows {
			more := graph.TextIn(row)
			if i > begin && size+more > copyText {
				if !yield(rows[begin:i]) {
					return
				}
				begin, size = i, 0
			}
			size += more
		}
		if begin < len(rows) {
			yield(rows[begin:])
		}
	}
}

// createCopiesOf creates all of the rows or none.
func createCopiesOf(ctx context.Context, s *graph.Store, create neo.Query[[]int64], rows []map[string]any) (made []int64, err error) {
	err = s.Transaction(ctx, create.Name, func(t *graph.Tx) (err error) {
		t.PassFence() // the copied records were written long ago
		made, err = create.ExecOne(t, map[string]any{"rows": rows})
		if err != nil {
			return err
		}
		if len(made) != len(rows) {
			return fmt.Errorf("copy: created %d of %d records: %w", len(made), len(rows), fault.ErrConflict)
		}
		return nil
	})
	return made, err
}

// readPages visits everything by ranges of ids until it has seen the total.
func readPages[T any](ctx context.Context, s *graph.Store, read neo.Query[T], total int64, visit func([]T) error) error {
	seen, last := int64(0), int64(0)
	for from := int64(0); seen < total; from += copyPage {
		rows, err := read.Read(ctx, s.DB(), map[string]any{"from": from, "to": from + copyPage - 1, "limit": copyPage})
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			last = from
			if err := visit(rows); err != nil {
				return err
			}
		} else if from-last > copyMostGap {
			return fmt.Errorf("copy: found %d of %d records: the counts of neo4j are wrong: %w", seen, total, fault.ErrConflict)
		}
		seen += int64(len(rows))
	}
	return nil
}

// schema creates the constraints and indexes of the old store in the new one.
func (c *copying) schema(ctx context.Context) error {
	for _, list := range []neo.Query[[]string]{listConstraints, listIndexes} {
		statements, err := list.ReadOne(ctx, c.from.DB(), nil)
		if err != nil {
			return err
		}
		for _, statement := range statements {
			if err := c.to.DB().Schema(ctx, "copy", statement); err != nil {
				return err
			}
			c.done.Schema++
		}
	}
	c.progress("indexes", c.done)
	return c.to.AwaitIndexes(ctx)
}

// compare reads the new store under the ids of the old one, and compares the two.
func (c *copying) compare(ctx context.Context) error {
	there, err := count(ctx, c.to)
	if err != nil {
		return err
	}
	if there.Nodes != c.total.Nodes || there.Relationships != c.total.Relationships {
		return fmt.Errorf("copy: the copy has %d nodes and %d relationships instead of %d and %d: %w",
			there.Nodes, there.Relationships, c.total.Nodes, c.total.Relationships, fault.ErrConflict)
	}
	c.progress("comparing", c.done)
	var nodes, links digest
	err = readPages(ctx, c.to, readAllNodes, there.Nodes, func(copies []copiedNode) error {
		for _, n := range copies {
			nodes.add(get(c.nodeIDs.last, n.ID), sortedLabels(n.Labels), n.Properties)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = readPages(ctx, c.to, readAllRelationships, there.Relationships, func(copies []copiedRelationship) error {
		for _, l := range copies {
			links.add(get(c.linkIDs.last, l.ID), l.Type, get(c.nodeIDs.last, l.Start), get(c.nodeIDs.last, l.End), l.Properties)
		}
		return nil
	})
	if err == nil && (nodes != c.nodeDigest || links != c.linkDigst) {
		err = fmt.Errorf("copy: the copy differs from the original, possibly because of writes during the copy: %w", fault.ErrConflict)
	}
	return err
}

func sortedLabels(labels []string) []string { return slices.Sorted(slices.Values(labels)) }

// digest is a hash of records in any order: the sum of their hashes.
type digest [4]uint64

func (d *digest) add(id int64, parts ...any) {
	h := sha256.New()
	writeValue(h, id)
	for _, part := range parts {
		writeValue(h, part)
	}
	sum := h.Sum(nil)
	for i := range d {
		d[i] += binary.BigEndian.Uint64(sum[8*i:])
	}
}

// writeValue writes a value unambiguously: two values or types are never written alike.
func writeValue(h hash.Hash, v any) {
	_, _ = fmt.Fprintf(h, "%T:", v)
	switch typed := v.(type) {
	case string:
		_, _ = fmt.Fprintf(h, "%d:%s", len(typed), typed)
	case []byte:
		_, _ = fmt.Fprintf(h, "%d:%s", len(typed), typed)
	case float64:
		_, _ = fmt.Fprintf(h, "%x;", math.Float64bits(typed))
	case time.Time:
		zone, offset := typed.Zone()
		_, _ = fmt.Fprintf(h, "%d.%d %s %s %d;", typed.Unix(), typed.Nanosecond(), typed.Location(), zone, offset)
	case []string:
		writeList(h, typed)
	case []any:
		writeList(h, typed)
	case map[string]any:
		_, _ = fmt.Fprintf(h, "%d;", len(typed))
		for _, name := range slices.Sorted(maps.Keys(typed)) {
			writeValue(h, name)
			writeValue(h, typed[name])
		}
	default: // numbers, booleans, points, dates, times and durations
		_, _ = fmt.Fprintf(h, "%v;", typed)
	}
}

func writeList[T any](h hash.Hash, list []T) {
	_, _ = fmt.Fprintf(h, "%d;", len(list))
	for _, item := range list {
		writeValue(h, item)
	}
}
