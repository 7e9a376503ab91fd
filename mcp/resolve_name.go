package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"kith/graph"
	"kith/internal/fault"
)

// place is an argument that names a node by its entity key, or by its name.
type place struct {
	location fault.Path
	value    *string
	kind     string // only nodes of this kind; empty: of any
}

// places are the items of a list of entity keys or names.
func places(location fault.Path, list []string) []place {
	all := make([]place, len(list))
	for i := range list {
		all[i] = place{location: location.Index(i), value: &list[i]}
	}
	return all
}

// byName runs a call. Where that finds nothing, it runs once more with the keys of the nodes that the arguments name.
func byName[T any](ctx context.Context, s *Server, scope graph.Scope, all []place, call func() (T, error)) (T, error) {
	result, err := call()
	if !errors.Is(err, fault.ErrNotFound) {
		return result, err
	}
	if err := s.resolve(ctx, scope, all, true); err != nil {
		return result, err
	}
	return call()
}

// resolve puts entity keys where arguments name nodes. A name of several nodes is an InvalidError with these; one of no node stays
// as it is, or with strict is a MissingError.
func (s *Server) resolve(ctx context.Context, scope graph.Scope, all []place, strict bool) error {
	var names []string
	for _, p := range all {
		names = append(names, *p.value)
	}
	stored, err := s.Store.NodesByKey(ctx, scope, names)
	if err != nil {
		return err
	}
	keys := map[string]bool{}
	for i := range stored {
		keys[stored[i].EntityKey] = true
	}
	var open []place
	names = names[:0]
	for _, p := range all {
		if *p.value != "" && !keys[*p.value] {
			open, names = append(open, p), append(names, *p.value)
		}
	}
	if len(open) == 0 {
		return nil
	}
	current, err := s.Store.CurrentKeys(ctx, scope, names)
	if err != nil {
		return err
	}
	open = slices.DeleteFunc(open, func(p place) bool {
		key, former := current[*p.value]
		if former {
			*p.value = key
		}
		return former
	})
	if len(open) == 0 {
		return nil
	}
	named, err := s.Store.NodesNamed(ctx, scope, names)
	if err != nil {
		return err
	}
	return resolved(open, named, strict)
}

func resolved(open []place, named map[string][]graph.NodeRef, strict bool) error {
	var missing, unclear fault.List
	for _, p := range open {
		switch found := p.candidates(named[graph.NameKey(*p.value)]); {
		case len(found) == 1:
			*p.value = found[0].EntityKey
		case len(found) > 1:
			unclear.Add(p.location, fault.Conflict, "is the name of several nodes: use the entity key of one, %s", listed(found))
		case strict:
			missing.Add(p.location, fault.Missing, "is neither the entity key nor the name of a node that you may see")
		}
	}
	switch {
	case unclear.Len() > 0:
		unclear.Append(missing.Fields()...)
		return unclear.Err()
	case missing.Len() > 0:
		return &fault.MissingError{Fields: missing.Fields()}
	}
	return nil
}

// candidates are the nodes of the name that are of the right kind; the one alone that is spelled alike, if there is one.
func (p *place) candidates(named []graph.NodeRef) []graph.NodeRef {
	var found, alike []graph.NodeRef
	for _, n := range named {
		if p.kind != "" && n.Kind != p.kind {
			continue
		}
		found = append(found, n)
		if graph.PlainName(n.Name) == graph.PlainName(*p.value) {
			alike = append(alike, n)
		}
	}
	if len(alike) == 1 {
		return alike
	}
	return found
}

// listed are nodes as an error names them.
func listed(nodes []graph.NodeRef) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = n.EntityKey + " (" + n.Kind + ")"
	}
	return strings.Join(parts, ", ")
}
