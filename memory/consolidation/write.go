package consolidation

import (
	"context"
	"errors"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// MaxConsolidated is the most sources that one request archives.
const MaxConsolidated = 1_000

// Consolidation names sources to archive. With Strict, a source that cannot be archived is a fault, and nothing is archived.
type Consolidation struct {
	UserID     string   `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"whose sources; default: the user of the API key. Required if the API key is not bound to one"`
	EntityKeys []string `json:"entity_keys" minItems:"1" maxItems:"1000" unique:"true"`
	Strict     bool     `json:"strict,omitempty" doc:"all or nothing: an unknown source is a 422 and nothing is archived"`
}

// Result has one entry for each key, in their order.
type Result struct {
	Sources  []graph.NodeResult `json:"sources"`
	Warnings []string           `json:"warnings"`
}

// Consolidate archives sources of the scope's user. Their relationships stay. A source that is archived already is unchanged.
func (s *Store) Consolidate(ctx context.Context, scope graph.Scope, c *Consolidation) (Result, error) {
	if err := c.validate(scope); err != nil {
		return Result{}, err
	}
	write := &graph.MemoryWrite{Strict: c.Strict}
	for _, key := range c.EntityKeys {
		write.Nodes = append(write.Nodes, graph.NodeWrite{Kind: graph.SourceKind.Name, EntityKey: key, State: graph.Some("archived")})
	}
	done, err := s.graph.WriteExisting(ctx, scope, write)
	if err != nil {
		return Result{}, faultOf(err)
	}
	result := Result{Sources: done.Nodes, Warnings: []string{}}
	for i := range result.Sources {
		if result.Sources[i].Status == graph.Refused {
			message := noSuchSource
			result.Sources[i].Error = &message
			result.Warnings = append(result.Warnings, fault.At("entity_keys").Index(i).String()+": "+message)
		}
	}
	return result, nil
}

// noSuchSource is the message for an unknown source and for a source of another user.
const noSuchSource = "the user has no such source"

func (c *Consolidation) validate(scope graph.Scope) error {
	f := &graph.Faults{}
	if scope.UserID == "" {
		f.Add(fault.At("user_id"), fault.Required, "is required: sources belong to a user")
	}
	if !f.SomeItems(fault.At("entity_keys"), len(c.EntityKeys), MaxConsolidated) {
		return f.Err()
	}
	seen := map[string]int{}
	for i, key := range c.EntityKeys {
		f.Word(fault.At("entity_keys").Index(i), key, bounds.KeyLength)
		if first, again := seen[key]; again {
			f.Same(fault.At("entity_keys").Index(i), fault.At("entity_keys").Index(first))
			continue
		}
		seen[key] = i
	}
	return f.Err()
}

// faultOf turns the faults of a write's nodes into faults of the keys.
func faultOf(err error) error {
	var invalid *fault.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	f := &graph.Faults{}
	for _, field := range invalid.Fields {
		if i, _, ok := field.Path.Item("nodes"); ok {
			f.Add(fault.At("entity_keys").Index(i), fault.Missing, noSuchSource)
		} else {
			f.Append(field)
		}
	}
	return f.Err()
}
