package chat

import (
	"encoding/json"

	"kith/internal/keytable"
)

// Plan records what the batches of a dry run would have stored, in bounded memory. It is not safe for concurrent use, and must be closed.
type Plan struct{ table *keytable.Table }

// Prefixes of the keys of its table.
const (
	planTree = "t" // + id: a knownTree
	planTurn = "u" // + id: a knownTurn
)

// NewPlan returns an empty plan for a dry run.
func NewPlan() *Plan { return &Plan{keytable.New()} }

// Close deletes the plan's table.
func (p *Plan) Close() error { return p.table.Close() }

// note records the trees and turns of a batch as they would have been stored.
func (p *Plan) note(known *chatsKnown) error {
	for id, tree := range known.trees {
		if err := p.put(planTree+id, tree); err != nil {
			return err
		}
	}
	for id, turn := range known.turns {
		if err := p.put(planTurn+id, turn); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) put(key string, item any) error {
	raw, err := json.Marshal(item)
	if err != nil {
		return err
	}
	return p.table.Put(key, string(raw))
}

// assume replaces what a batch finds in the store by what the batches before it would have stored. A nil plan has nothing.
func (p *Plan) assume(known *chatsKnown, trees, turns []string) error {
	if p == nil {
		return nil
	}
	if err := takeOver(p.table, planTree, trees, known.trees); err != nil {
		return err
	}
	return takeOver(p.table, planTurn, turns, known.turns)
}

func takeOver[T any](table *keytable.Table, prefix string, ids []string, known map[string]*T) error {
	for _, id := range ids {
		raw, found, err := table.Get(prefix + id)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		item := new(T)
		if err := json.Unmarshal([]byte(raw), item); err != nil {
			return err
		}
		known[id] = item
	}
	return nil
}
