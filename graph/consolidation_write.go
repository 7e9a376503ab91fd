package graph

import (
	"context"
	"errors"
	"strings"
)

// MaxConsolidated is the most sources that one request archives.
const MaxConsolidated = 1_000

// Consolidation names sources to archive. With Strict, a source that cannot be archived is a fault, and nothing is archived.
type Consolidation struct {
	UserID     string   `json:"user_id,omitempty" minLength:"1" maxLength:"256" doc:"whose sources; default: the user of the API key. Required if the API key is not bound to one"`
	EntityKeys []string `json:"entity_keys" minItems:"1" maxItems:"1000" unique:"true"`
	Strict     bool     `json:"strict,omitempty" doc:"all or nothing: an unknown source is a 422 and nothing is archived"`
}

// ConsolidationResult has one entry for each key, in their order.
type ConsolidationResult struct {
	Sources  []NodeResult `json:"sources"`
	Warnings []string     `json:"warnings"`
}

// Consolidate archives sources of the scope's user. Their relationships stay. A source that is archived already is unchanged.
func (s *Store) Consolidate(ctx context.Context, scope Scope, c *Consolidation) (ConsolidationResult, error) {
	if err := c.validate(scope); err != nil {
		return ConsolidationResult{}, err
	}
	write := &MemoryWrite{Strict: c.Strict, existing: true}
	for _, key := range c.EntityKeys {
		write.Nodes = append(write.Nodes, NodeWrite{Kind: sourceKind.Name, EntityKey: key, State: Some("archived")})
	}
	done, err := s.Write(ctx, scope, write)
	if err != nil {
		return ConsolidationResult{}, consolidationFault(err)
	}
	result := ConsolidationResult{Sources: done.Nodes, Warnings: []string{}}
	for i := range result.Sources {
		if result.Sources[i].Status == Refused {
			message := noSuchSource
			result.Sources[i].Error = &message
			result.Warnings = append(result.Warnings, index("entity_keys", i)+": "+message)
		}
	}
	return result, nil
}

// noSuchSource is the message for an unknown source and for a source of another user.
const noSuchSource = "the user has no such source"

func (c *Consolidation) validate(scope Scope) error {
	f := &faults{}
	if scope.UserID == "" {
		f.add("user_id", "is required: sources belong to a user")
	}
	if n := len(c.EntityKeys); n == 0 || n > MaxConsolidated {
		f.add("entity_keys", "must have 1 to %d items", MaxConsolidated)
		return f.err()
	}
	seen := map[string]int{}
	for i, key := range c.EntityKeys {
		f.word(index("entity_keys", i), key, MaxKeyLength)
		if first, again := seen[key]; again {
			f.add(index("entity_keys", i), "is the same as entity_keys[%d]", first)
			continue
		}
		seen[key] = i
	}
	return f.err()
}

// consolidationFault turns the faults of a write's nodes into faults of the keys.
func consolidationFault(err error) error {
	var invalid *InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	f := &faults{}
	for _, field := range invalid.Fields {
		place, _, _ := strings.Cut(field.Location, ".")
		f.add(strings.Replace(place, "nodes", "entity_keys", 1), "%s", noSuchSource)
	}
	return f.err()
}
