package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kith/auth"
	"kith/graph"
	"kith/internal/contract"
	"kith/internal/fault"
	"kith/markup"
)

type forgetInput struct {
	Caller
	EntityKeys       []string `json:"entity_keys,omitempty" maxItems:"20" doc:"keys or names of nodes, deleted with their relationships; keys of conversations, with their messages"`
	RelationshipKeys []string `json:"relationship_keys,omitempty" maxItems:"20" doc:"of relationships alone"`
}

// forgotten says what became of each key, in their order: nodes first.
type forgotten struct {
	Deleted []forgottenItem `json:"deleted"`
}

type forgottenItem struct {
	Key             string     `json:"key"`
	Status          string     `json:"status" enum:"deleted,not_found"`
	RestorableUntil *time.Time `json:"restorable_until,omitempty"`
}

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
	if err := s.resolve(ctx, scope, places(fault.At("entity_keys"), in.EntityKeys), false); err != nil {
		return answer{}, err
	}
	nodes, err := s.Store.NodesByKey(ctx, scope, in.EntityKeys)
	if err != nil {
		return answer{}, err
	}
	out := forgotten{}
	kinds := map[string]string{}
	for i := range nodes {
		kinds[nodes[i].EntityKey] = nodes[i].Kind
	}
	for _, key := range in.EntityKeys {
		kind, _ := graph.KindOf(kinds[key])
		if err := out.delete(key, func() (graph.Deletion, error) {
			if kind.Name == "" {
				return graph.Deletion{}, fault.ErrNotFound
			}
			return s.Store.DeleteNode(ctx, scope, kind, key, 0)
		}); err != nil {
			return answer{}, err
		}
	}
	for _, key := range in.RelationshipKeys {
		if err := out.delete(key, func() (graph.Deletion, error) {
			return s.Store.DeleteRelationship(ctx, scope, key, 0)
		}); err != nil {
			return answer{}, err
		}
	}
	return out.answer(), nil
}

func (in *forgetInput) validate() error {
	f := &fault.List{}
	if len(in.EntityKeys)+len(in.RelationshipKeys) == 0 {
		f.Add(fault.At("entity_keys"), fault.Required, "is required, or relationship_keys")
	}
	for _, list := range []struct {
		name string
		keys []string
	}{{"entity_keys", in.EntityKeys}, {"relationship_keys", in.RelationshipKeys}} {
		for i, key := range list.keys {
			if !fault.ValidKey(key) {
				f.Add(fault.At(list.name).Index(i), fault.Malformed, "must be a key of 1 to %d characters", fault.MaxKeyLength)
			}
		}
	}
	return f.Err()
}

// delete notes what became of one. What is not there, or is somebody else's, is no error: the others still go.
func (f *forgotten) delete(key string, remove func() (graph.Deletion, error)) error {
	receipt, err := remove()
	if errors.Is(err, fault.ErrNotFound) {
		f.Deleted = append(f.Deleted, forgottenItem{Key: key, Status: "not_found"})
		return nil
	}
	if err == nil {
		f.Deleted = append(f.Deleted, forgottenItem{key, "deleted", &receipt.RestorableUntil})
	}
	return err
}

func (f *forgotten) answer() answer {
	var t strings.Builder
	missing := 0
	for _, item := range f.Deleted {
		if item.RestorableUntil == nil {
			missing++
			fmt.Fprintf(&t, "- %s not found: it is not there, or not this user's\n", markup.Item("["+item.Key+"]"))
			continue
		}
		fmt.Fprintf(&t, "- %s deleted; can be restored until %s\n", markup.Item("["+item.Key+"]"), item.RestorableUntil.Format(time.DateOnly))
	}
	if missing == len(f.Deleted) {
		t.WriteString("Nothing was deleted. explore gives keys.\n")
	}
	return answer{text: t.String(), object: f, wrong: missing == len(f.Deleted)}
}
