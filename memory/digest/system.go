package digest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/system"
)

// Bounds of what a model may answer of a text about a system.
const (
	maxEntities      = 100
	maxRelationships = 200
)

// maxKnown is how many bytes a model is given of what is known of a system.
const maxKnown = maxText / 2

// SystemWrite adds to a system and changes it: by entities and relationships, or by a text that a language model reads.
type SystemWrite struct {
	system.Write
	Extract string `json:"extract,omitempty" minLength:"1" doc:"instead of entities and relationships: a text of at most 98,304 bytes, out of which the language model reads them; it may take a minute"`
}

// MergedSystem says what became of a SystemWrite. Extraction is there where it had a text.
type MergedSystem struct {
	system.Result
	Extraction *SystemExtraction `json:"extraction,omitempty" doc:"where a text was given; entities and relationships are those that the language model read out of it"`
}

// SystemExtraction says what became of the reading of a text by a language model.
type SystemExtraction struct {
	Status   string  `json:"status" enum:"extracted,failed"`
	Error    *string `json:"error" doc:"why it failed; nothing is stored then"`
	Provider string  `json:"provider_id,omitempty" doc:"the model that answered"`
}

// ExtractSystem has the model read entities and relationships out of a text, and merges them into a system. An answer that cannot be
// stored is sent back once, with what is wrong. A model that fails, or proposes what the store refuses, is no error: the Extraction says
// so, and nothing is stored. Errors: InvalidError of the write, and those of the store.
func (r *Reader) ExtractSystem(ctx context.Context, scope graph.Scope, name string, w *SystemWrite) (MergedSystem, error) {
	if err := w.check(); err != nil {
		return MergedSystem{}, err
	}
	known, err := r.systems.SystemMemory(ctx, scope, name)
	if err != nil {
		return MergedSystem{}, err
	}
	given, warnings := systemText(name, known.Entities, w.Extract)
	read, provider, err := propose(ctx, r, systemPrompt, given, func(m *system.Memory) error { return validSystem(name, m) })
	if err != nil {
		return r.unread(err), nil
	}
	result, err := r.systems.MergeSystem(ctx, scope, name, merging(read, w.Strict))
	switch {
	case isRefused(err):
		return r.unread(err), nil
	case err != nil:
		return MergedSystem{}, err
	}
	result.Warnings = append(result.Warnings, warnings...)
	return MergedSystem{result, &SystemExtraction{Status: graph.SourceExtracted, Provider: provider}}, nil
}

// check refuses what no model can be given.
func (w *SystemWrite) check() error {
	f, at := &fault.List{}, fault.At("extract")
	switch {
	case len(w.Entities)+len(w.Relationships) > 0:
		f.Add(at, fault.Contrary, "must not be given with entities or relationships")
	case f.Bytes(at, len(w.Extract), maxText):
		f.NotBlank(at, w.Extract)
	}
	return f.Err()
}

// unread is the answer where a model made nothing of a text.
func (r *Reader) unread(reason error) MergedSystem {
	r.options.Log.Warn("extraction of a system failed", "error", reason)
	text := reason.Error()
	return MergedSystem{
		system.Result{Entities: []system.EntityResult{}, Relationships: []system.RelationshipResult{}, Warnings: []string{}},
		&SystemExtraction{Status: graph.SourceFailed, Error: &text},
	}
}

// systemText returns the input of the model: the name of the system, the entities that are known as far as there is room, and the text, each
// on a line of its own. Warnings say what it was not given.
func systemText(system string, known []system.Entity, text string) (given string, warnings []string) {
	var t strings.Builder
	t.WriteString(jsonLine(struct {
		System string `json:"system"`
	}{system}))
	for i := range known {
		one := jsonLine(struct {
			Name string `json:"name"`
			Type string `json:"type"`
		}{known[i].Name, known[i].Type})
		if t.Len()+len(one) > maxKnown {
			warnings = []string{fmt.Sprintf("of the %d entities that were known the model was given the first %d", len(known), i)}
			break
		}
		t.WriteString(one)
	}
	t.WriteString(jsonLine(struct {
		Text string `json:"text"`
	}{text}))
	return t.String(), warnings
}

func validSystem(system string, m *system.Memory) error {
	switch {
	case m.Entities == nil || m.Relationships == nil:
		return errors.New("entities and relationships must be lists")
	case len(m.Entities) > maxEntities:
		return fmt.Errorf("entities: must have at most %d items", maxEntities)
	case len(m.Relationships) > maxRelationships:
		return fmt.Errorf("relationships: must have at most %d items", maxRelationships)
	}
	return m.Validate(system)
}

// merging returns the write for what a model read. It removes nothing; a description that is empty is kept as it is stored.
func merging(read *system.Memory, strict bool) *system.Write {
	w := &system.Write{Strict: strict}
	for _, e := range read.Entities {
		one := system.EntityWrite{Name: e.Name, Type: graph.Some(e.Type), Tags: e.Tags, Properties: e.Properties}
		if e.Description != "" {
			one.Description = graph.Some(e.Description)
		}
		w.Entities = append(w.Entities, one)
	}
	for _, l := range read.Relationships {
		w.Relationships = append(w.Relationships, system.RelationshipWrite{From: l.From, To: l.To, Type: l.Type, Properties: l.Properties})
	}
	return w
}
