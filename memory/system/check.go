package system

import (
	"encoding/json"

	"kith/graph"
	"kith/internal/bounds"
	"kith/internal/fault"
)

// EntityWrite is an entity to create or update, found by its name. Omitted fields keep the stored values.
// Removals come first, then tags are added to the stored ones, and properties are merged into the stored ones.
type EntityWrite struct {
	Name             string                 `json:"name" max:"512" word:"trimmed" doc:"unique in the system; 1 to 512 characters, no blanks around them"`
	Description      graph.Optional[string] `json:"description,omitzero" max:"16384" doc:"default: unchanged; empty: cleared"`
	Type             graph.Optional[string] `json:"type,omitzero" max:"128" word:"true" notnull:"true" doc:"required for a new entity; 1 to 128 characters"`
	Tags             []string               `json:"tags,omitempty" max:"100" doc:"at most 100, of 1 to 256 characters"`
	Properties       json.RawMessage        `json:"properties,omitempty" doc:"an object; at most 16,384 bytes, 8 levels"`
	RemoveTags       []string               `json:"remove_tags,omitempty" max:"100"`
	RemoveProperties []string               `json:"remove_properties,omitempty" max:"100" doc:"names of properties"`
}

// RelationshipWrite is a relationship to create or update, found by its ends and its type.
type RelationshipWrite struct {
	From             string          `json:"from" max:"512" word:"trimmed" doc:"name of an entity"`
	To               string          `json:"to" max:"512" word:"trimmed" doc:"name of an entity"`
	Type             string          `json:"type" max:"128" word:"trimmed" doc:"free text; 1 to 128 characters, no blanks around them"`
	Properties       json.RawMessage `json:"properties,omitempty" doc:"an object; at most 16,384 bytes, 8 levels"`
	RemoveProperties []string        `json:"remove_properties,omitempty" max:"100" doc:"names of properties"`
}

// Write creates and updates entities and relationships of a system in one transaction, entities first, in
// order. With Strict, one refused item refuses the whole write.
type Write struct {
	Strict        bool                `json:"strict,omitempty" doc:"all or nothing: a refused item is a 422 and nothing is written"`
	Entities      []EntityWrite       `json:"entities,omitempty" maxItems:"10000" doc:"entities and relationships together are at most 10,000"`
	Relationships []RelationshipWrite `json:"relationships,omitempty" maxItems:"10000" doc:"between entities that the system has, or gets with this"`
}

// Validate checks everything that does not need the store.
func (w *Write) Validate(system string) error {
	f := &graph.Faults{}
	checkSystem(f, system)
	if checkItems(f, len(w.Entities), len(w.Relationships)) {
		for i := range w.Entities {
			w.Entities[i].check(f, fault.At("entities").Index(i))
		}
		for i := range w.Relationships {
			w.Relationships[i].check(f, fault.At("relationships").Index(i))
		}
	}
	return f.Err()
}

func (w *EntityWrite) check(f *graph.Faults, at fault.Path) {
	checkName(f, at.Field("name"), w.Name)
	if w.Type.Given {
		f.Word(at.Field("type"), w.Type.Value, maxTypeLength)
	}
	f.Text(at.Field("description"), w.Description.Value, bounds.TextLength)
	f.Words(at.Field("tags"), w.Tags)
	f.Words(at.Field("remove_tags"), w.RemoveTags)
	checkProperties(f, at.Field("properties"), w.Properties)
	checkRemoved(f, at.Field("remove_properties"), w.RemoveProperties)
}

func (w *RelationshipWrite) check(f *graph.Faults, at fault.Path) {
	checkName(f, at.Field("from"), w.From)
	checkName(f, at.Field("to"), w.To)
	f.Trimmed(at.Field("type"), w.Type, maxTypeLength)
	checkProperties(f, at.Field("properties"), w.Properties)
	checkRemoved(f, at.Field("remove_properties"), w.RemoveProperties)
}

// Validate checks a whole memory. Relationships without their ends are not faults: they are omitted.
func (m *Memory) Validate(system string) error {
	f := &graph.Faults{}
	checkSystem(f, system)
	if !checkItems(f, len(m.Entities), len(m.Relationships)) {
		return f.Err()
	}
	names := map[string]int{}
	for i := range m.Entities {
		w := m.Entities[i].write()
		w.check(f, fault.At("entities").Index(i))
		if first, again := names[w.Name]; again {
			f.Same(fault.At("entities").Index(i).Field("name"), fault.At("entities").Index(first).Field("name"))
		}
		names[w.Name] = i
	}
	triples := map[[3]string]int{}
	for i := range m.Relationships {
		r := &m.Relationships[i]
		r.write().check(f, fault.At("relationships").Index(i))
		if first, again := triples[r.triple()]; again {
			f.Same(fault.At("relationships").Index(i), fault.At("relationships").Index(first))
		}
		triples[r.triple()] = i
	}
	return f.Err()
}

// write converts the entity to a write that sets all its fields.
func (e *Entity) write() *EntityWrite {
	return &EntityWrite{
		Name: e.Name, Description: graph.Some(e.Description), Type: graph.Some(e.Type), Tags: e.Tags, Properties: e.Properties,
	}
}

func (r *Relationship) write() *RelationshipWrite {
	return &RelationshipWrite{From: r.From, To: r.To, Type: r.Type, Properties: r.Properties}
}

func (r *Relationship) triple() [3]string { return [3]string{r.From, r.To, r.Type} }

// Validate checks the name of a system.
func Validate(system string) error {
	f := &graph.Faults{}
	checkSystem(f, system)
	return f.Err()
}

func checkSystem(f *graph.Faults, name string) {
	f.Trimmed(fault.At("system"), name, bounds.KeyLength)
}

func checkName(f *graph.Faults, at fault.Path, name string) { f.Trimmed(at, name, bounds.NameLength) }

// checkItems checks the number of items of a write; it returns false if there are too many to check.
func checkItems(f *graph.Faults, entities, relationships int) bool {
	if entities+relationships <= bounds.Items {
		return true
	}
	f.Add(fault.At("entities"), fault.WrongCount, "entities and relationships together must be at most %d", bounds.Items)
	return false
}

func checkProperties(f *graph.Faults, at fault.Path, raw json.RawMessage) {
	if raw != nil {
		f.Properties(at, raw)
	}
}

// checkRemoved checks names of properties to remove; any text is a valid name.
func checkRemoved(f *graph.Faults, at fault.Path, names []string) {
	if !f.Items(at, len(names), bounds.ListLength) {
		return
	}
	for i, name := range names {
		f.Text(at.Index(i), name, bounds.PropertiesSize)
	}
}
