package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kith/access/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/text/markup"
)

type forgetInput struct {
	Caller
	EntityKeys       []string `json:"entity_keys,omitempty" maxItems:"20" doc:"keys or names of nodes, deleted with their relationships; keys of conversations, with their messages"`
	RelationshipKeys []string `json:"relationship_keys,omitempty" maxItems:"20" doc:"of relationships alone"`
	MergeInto        string   `json:"merge_into,omitempty" maxLength:"512" doc:"key or name of the node that takes over those of entity_keys"`
	DryRun           bool     `json:"dry_run,omitempty" doc:"only report what merge_into would do"`
	Undo             bool     `json:"undo,omitempty" doc:"bring back what had these keys"`
}

// forgotten reports for each key what was done: nodes first, in their order.
type forgotten struct {
	Deleted  []forgottenItem `json:"deleted,omitempty"`
	Merged   []forgottenItem `json:"merged,omitempty"`
	Restored []forgottenItem `json:"restored,omitempty"`
}

type forgottenItem struct {
	Key             string       `json:"key"`
	Status          string       `json:"status" enum:"deleted,merged,would_merge,restored,refused,not_found"`
	RestorableUntil *time.Time   `json:"restorable_until,omitempty"`
	Merge           *graph.Merge `json:"merge,omitempty"`
	Error           string       `json:"error,omitempty"`
}

// done reports whether something was done, or would be.
func (i *forgottenItem) done() bool { return i.Status != refusedStatus && i.Status != notFoundStatus }

const (
	refusedStatus  = "refused"
	notFoundStatus = "not_found"
)

func (s *Server) addForget() {
	add(s, tool{"forget", "Delete from the memory", deletes, guide("forget")}, contract.Input[forgetInput](), s.forget)
}

func (s *Server) forget(ctx context.Context, in *forgetInput) (answer, error) {
	scope, err := scope(ctx, auth.Write, in.Caller)
	if err != nil {
		return answer{}, err
	}
	if err := in.validate(); err != nil {
		return answer{}, err
	}
	switch {
	case in.Undo:
		return s.undo(ctx, scope, in)
	case in.MergeInto != "":
		return s.merge(ctx, scope, in)
	}
	return s.remove(ctx, scope, in)
}

func (in *forgetInput) validate() error {
	f := &fault.List{}
	if len(in.EntityKeys)+len(in.RelationshipKeys) == 0 {
		f.Add(fault.At("entity_keys"), fault.Required, "is required, or relationship_keys")
	}
	if in.MergeInto != "" && len(in.RelationshipKeys) > 0 {
		f.Add(fault.At("relationship_keys"), fault.Contrary, "must not be given with merge_into: only nodes are merged")
	}
	if in.MergeInto != "" && in.Undo {
		f.Add(fault.At("merge_into"), fault.Contrary, "must not be given with undo: undo takes the keys that were merged into it")
	}
	if in.DryRun && (in.MergeInto == "" || in.Undo) {
		f.Add(fault.At("dry_run"), fault.Contrary, "is only for merge_into")
	}
	checkKeys(f, "entity_keys", in.EntityKeys)
	checkKeys(f, "relationship_keys", in.RelationshipKeys)
	return f.Err()
}

func checkKeys(f *fault.List, field string, keys []string) {
	for i, key := range keys {
		if !fault.ValidKey(key) {
			f.Add(fault.At(field).Index(i), fault.Malformed, "must be a key of 1 to %d characters", fault.MaxKeyLength)
		}
	}
}

func (s *Server) remove(ctx context.Context, scope graph.Scope, in *forgetInput) (answer, error) {
	if err := s.resolve(ctx, scope, places(fault.At("entity_keys"), in.EntityKeys), false); err != nil {
		return answer{}, err
	}
	kinds, err := s.kindsOf(ctx, scope, in.EntityKeys)
	if err != nil {
		return answer{}, err
	}
	deletion := func(key string, d graph.Deletion, err error) (forgottenItem, error) {
		return forgottenItem{Key: key, Status: "deleted", RestorableUntil: &d.RestorableUntil}, err
	}
	var items []forgottenItem
	for _, key := range in.EntityKeys {
		if err := forget(&items, key, func() (forgottenItem, error) {
			kind, known := kinds[key]
			if !known {
				return forgottenItem{}, fault.ErrNotFound
			}
			d, err := s.Store.DeleteNode(ctx, scope, kind, key, 0)
			return deletion(key, d, err)
		}); err != nil {
			return answer{}, err
		}
	}
	for _, key := range in.RelationshipKeys {
		if err := forget(&items, key, func() (forgottenItem, error) {
			d, err := s.Store.DeleteRelationship(ctx, scope, key, 0)
			return deletion(key, d, err)
		}); err != nil {
			return answer{}, err
		}
	}
	return forgottenAnswer(items, &forgotten{Deleted: items}, "Nothing was deleted. explore gives keys.\n"), nil
}

// merge merges the nodes one after the other, each in a transaction: one that is refused does not stop the others.
func (s *Server) merge(ctx context.Context, scope graph.Scope, in *forgetInput) (answer, error) {
	into := place{location: fault.At("merge_into"), value: &in.MergeInto}
	if err := s.resolve(ctx, scope, append(places(fault.At("entity_keys"), in.EntityKeys), into), true); err != nil {
		return answer{}, err
	}
	kinds, err := s.kindsOf(ctx, scope, []string{in.MergeInto})
	if err != nil {
		return answer{}, err
	}
	status := "merged"
	if in.DryRun {
		status = "would_merge"
	}
	var items []forgottenItem
	for _, key := range in.EntityKeys {
		if err := forget(&items, key, func() (forgottenItem, error) {
			m, err := s.Store.MergeNodes(ctx, scope, kinds[in.MergeInto], in.MergeInto, graph.MergeWrite{Other: key, DryRun: in.DryRun})
			return forgottenItem{Key: key, Status: status, RestorableUntil: &m.UndoableUntil, Merge: &m}, err
		}); err != nil {
			return answer{}, err
		}
	}
	return forgottenAnswer(items, &forgotten{Merged: items}, "Nothing was merged.\n"), nil
}

// undo restores what was deleted or merged. A name does not stand for a key here: that of a merged node leads to the other one.
func (s *Server) undo(ctx context.Context, scope graph.Scope, in *forgetInput) (answer, error) {
	var items []forgottenItem
	restored := func(key string, err error) (forgottenItem, error) {
		return forgottenItem{Key: key, Status: "restored"}, err
	}
	for _, key := range in.EntityKeys {
		if err := forget(&items, key, func() (forgottenItem, error) {
			_, err := s.Store.RestoreNode(ctx, scope, graph.Kind{}, key)
			return restored(key, err)
		}); err != nil {
			return answer{}, err
		}
	}
	for _, key := range in.RelationshipKeys {
		if err := forget(&items, key, func() (forgottenItem, error) {
			_, err := s.Store.RestoreRelationship(ctx, scope, key)
			return restored(key, err)
		}); err != nil {
			return answer{}, err
		}
	}
	return forgottenAnswer(items, &forgotten{Restored: items}, "Nothing was restored. undo takes keys, no names, and only for a while.\n"), nil
}

// kindsOf returns the kinds of stored nodes by their keys.
func (s *Server) kindsOf(ctx context.Context, scope graph.Scope, keys []string) (map[string]graph.Kind, error) {
	nodes, err := s.Store.NodesByKey(ctx, scope, keys)
	kinds := map[string]graph.Kind{}
	for i := range nodes {
		if kind, known := graph.KindOf(nodes[i].Kind); known {
			kinds[nodes[i].EntityKey] = kind
		}
	}
	return kinds, err
}

// forget adds what work has done to the items. What it does not find, or the store refuses, is an item too, and no error.
func forget(items *[]forgottenItem, key string, work func() (forgottenItem, error)) error {
	item, err := work()
	switch {
	case errors.Is(err, fault.ErrNotFound):
		item, err = forgottenItem{Key: key, Status: notFoundStatus}, nil
	case errors.Is(err, fault.ErrInvalid) || errors.Is(err, fault.ErrConflict):
		item, err = forgottenItem{Key: key, Status: refusedStatus, Error: reasonOf(err)}, nil
	}
	if err == nil {
		*items = append(*items, item)
	}
	return err
}

// reasonOf returns why the store has refused something, without the place in its own input.
func reasonOf(err error) string {
	if fields := fault.Fields(err); len(fields) > 0 {
		return fields[0].Message
	}
	return strings.TrimSuffix(err.Error(), ": "+fault.ErrConflict.Error())
}

// forgottenAnswer reports what was done with each key. nothing is the answer's end if that is nothing.
func forgottenAnswer(items []forgottenItem, object *forgotten, nothing string) answer {
	var t strings.Builder
	done := 0
	for i := range items {
		if items[i].done() {
			done++
		}
		t.WriteString("- " + markup.Item("["+items[i].Key+"]") + " " + items[i].text() + "\n")
	}
	if done == 0 {
		t.WriteString(nothing)
	}
	return answer{text: t.String(), object: object, wrong: done == 0}
}

func (i *forgottenItem) text() string {
	switch {
	case i.Status == notFoundStatus:
		return "not found: it is not there, or not this user's"
	case i.Status == refusedStatus:
		return "refused: " + markup.Inline(i.Error)
	case i.Merge != nil:
		return i.mergeText()
	case i.RestorableUntil != nil:
		return "deleted; can be restored until " + i.RestorableUntil.Format(time.DateOnly)
	}
	return i.Status
}

// mergeText reports a merge, with the values that are not part of the node.
func (i *forgottenItem) mergeText() string {
	var t strings.Builder
	m, done := i.Merge, "merged into"
	if i.Status != "merged" {
		done = "would be merged into"
	}
	told := m.Node.Told()
	fmt.Fprintf(&t, "%s %s [%s]: %d relationships move, %d repeat its own or lead to it", done, told.Line(markup.Name(m.Node.Name)), markup.Inline(m.Node.EntityKey), m.Relationships, m.Left)
	if m.Nodes > 0 {
		fmt.Fprintf(&t, "; %d nodes of the project move", m.Nodes)
	}
	for _, c := range m.Conflicts {
		fmt.Fprintf(&t, "; its %s stays, not %s", c.Field, told.Least(m.Merged.Told).Line(markup.JSON(string(c.Dropped))))
	}
	if i.Status == "merged" {
		t.WriteString("; can be undone until " + i.RestorableUntil.Format(time.DateOnly))
	}
	return t.String()
}
