package system

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"kith/graph"
	"kith/internal/fault"
)

// Added is the status of an item that a write added to a system.
const Added graph.Status = "added"

// EntityResult is the outcome of writing an entity.
type EntityResult struct {
	Name   string       `json:"name"`
	Status graph.Status `json:"status" enum:"added,updated,unchanged,refused"`
	Error  *string      `json:"error"`
}

// RelationshipResult is the outcome of writing a relationship.
type RelationshipResult struct {
	From   string       `json:"from"`
	To     string       `json:"to"`
	Type   string       `json:"type"`
	Status graph.Status `json:"status" enum:"added,updated,unchanged,refused"`
	Error  *string      `json:"error"`
}

// Result has one entry for each item of a write, in the same order. Warnings list refused items with their
// locations. Removed counts what a replacing write deleted.
type Result struct {
	Entities      []EntityResult       `json:"entities"`
	Relationships []RelationshipResult `json:"relationships"`
	Removed       *Counts              `json:"removed,omitempty" doc:"what was deleted because the file does not contain it"`
	Warnings      []string             `json:"warnings"`
}

// MergeSystem creates and updates items of a system. Items with status added, updated or unchanged are durable when
// it returns. Errors: InvalidError, ErrUnavailable. After ErrUnavailable the write is stored completely or not at
// all, and may be sent again.
func (s *Store) MergeSystem(ctx context.Context, scope graph.Scope, system string, w *Write) (Result, error) {
	if err := w.Validate(system); err != nil {
		return Result{}, err
	}
	var result Result
	err := s.systemWrite(ctx, scope, system, func(j *job) error {
		err := j.merge(w)
		result = j.result
		return err
	})
	return result, err
}

// ReplaceSystem replaces everything in a system by a memory. Relationships without their ends are omitted with a
// warning; with strict they are faults, and nothing is written. Entities and relationships that existed before keep
// their keys.
func (s *Store) ReplaceSystem(ctx context.Context, scope graph.Scope, system string, m *Memory, strict bool) (Result, error) {
	if err := m.Validate(system); err != nil {
		return Result{}, err
	}
	var result Result
	err := s.systemWrite(ctx, scope, system, func(j *job) error {
		err := j.replace(m, strict)
		result = j.result
		return err
	})
	return result, err
}

// systemWrite runs work in a transaction that holds the system, and stores the plan.
func (s *Store) systemWrite(ctx context.Context, scope graph.Scope, system string, work func(*job) error) error {
	return s.graph.Transaction(ctx, "system_write", func(t *graph.Tx) error {
		locked, err := lockSystem.ExecOne(t, map[string]any{"team_id": scope.TeamID, "system": system, "now": t.Now()})
		if err != nil {
			return err
		}
		t.NotBefore(locked.UpdatedAt)
		j := &job{
			tx: t, team: scope.TeamID, user: scope.UserID, system: system, now: t.Now(),
			nextSeq: locked.NextSeq, fresh: locked.Version == 0,
			nodes: map[string]*plannedNode{}, links: map[[3]string]*plannedLink{},
		}
		return work(j)
	})
}

// job is one attempt at a write to one system. It loads the items of the write, changes them and saves them.
type job struct {
	tx                 *graph.Tx
	team, user, system string
	now                time.Time
	nextSeq            int64 // number of the next item; an upper bound of entities and relationships
	fresh              bool  // the system is new
	nodes              map[string]*plannedNode
	links              map[[3]string]*plannedLink
	order              []*plannedNode // of nodes and links, in the order in which the write first names them
	linkOrder          []*plannedLink
	faults             graph.Faults
	result             Result
}

// begin allocates the results.
func (j *job) begin(entities, relationships int) {
	j.result = Result{
		Entities:      make([]EntityResult, entities),
		Relationships: make([]RelationshipResult, relationships), Warnings: []string{},
	}
}

// refuse records why an item is not stored, with the field of the item at a place. It returns the item's error.
func (j *job) refuse(at fault.Path, field string, code fault.Code, format string, args ...any) *string {
	message := fmt.Sprintf(format, args...)
	j.faults.Add(at.Field(field), code, "%s", message)
	message = field + ": " + message
	return &message
}

// settle returns an error if strict and items were refused, and otherwise adds warnings for them.
func (j *job) settle(strict bool) error {
	if strict {
		if err := j.faults.Err(); err != nil {
			return err
		}
	}
	for _, f := range j.faults.Fields() {
		j.result.Warnings = append(j.result.Warnings, f.String())
	}
	return nil
}

func (j *job) merge(w *Write) error {
	j.begin(len(w.Entities), len(w.Relationships))
	w, err := j.byAlias(w)
	if err != nil {
		return err
	}
	for i := range w.Entities {
		j.result.Entities[i] = j.mergeNode(&w.Entities[i], fault.At("entities").Index(i))
	}
	if err := j.loadLinks(w.Relationships); err != nil {
		return err
	}
	for i := range w.Relationships {
		j.result.Relationships[i] = j.mergeLink(&w.Relationships[i], fault.At("relationships").Index(i))
	}
	if err := j.settle(w.Strict); err != nil {
		return err
	}
	return j.save()
}

// byAlias loads the entities of a write. It returns the write with the names of entities in place of their aliases, which those have that
// were merged.
func (j *job) byAlias(w *Write) (*Write, error) {
	names := namesIn(w)
	if err := j.loadNodes(names); err != nil {
		return nil, err
	}
	missing := slices.DeleteFunc(names, func(name string) bool { return j.nodes[name] != nil })
	if len(missing) == 0 {
		return w, nil
	}
	known, err := j.tx.SystemAliases(j.team, j.system, missing)
	if err != nil || len(known) == 0 {
		return w, err
	}
	named := *w
	named.Entities, named.Relationships = slices.Clone(w.Entities), slices.Clone(w.Relationships)
	name := func(at fault.Path, given *string) {
		if of, is := known[*given]; is {
			j.result.Warnings = append(j.result.Warnings, at.String()+": is an alias: this is stored in "+of.Line(strconv.Quote(of.Name)))
			*given = of.Name
		}
	}
	for i := range named.Entities {
		name(fault.At("entities").Index(i).Field("name"), &named.Entities[i].Name)
	}
	for i := range named.Relationships {
		name(fault.At("relationships").Index(i).Field("from"), &named.Relationships[i].From)
		name(fault.At("relationships").Index(i).Field("to"), &named.Relationships[i].To)
	}
	var other []string
	for _, of := range known {
		if j.nodes[of.Name] == nil {
			other = append(other, of.Name)
		}
	}
	slices.Sort(other)
	return &named, j.loadNodes(slices.Compact(other))
}

// namesIn returns the names of all entities in a write.
func namesIn(w *Write) []string {
	names := map[string]bool{}
	for i := range w.Entities {
		names[w.Entities[i].Name] = true
	}
	for i := range w.Relationships {
		names[w.Relationships[i].From], names[w.Relationships[i].To] = true, true
	}
	return slices.Sorted(maps.Keys(names))
}
