package graph

import (
	"encoding/json"

	"kith/internal/fault"
)

// SystemEntityWrite is an entity to create or update, found by its name. Omitted fields keep the stored values.
// Removals come first, then tags are added to the stored ones, and properties are merged into the stored ones.
type SystemEntityWrite struct {
	Name             string           `json:"name" max:"512" word:"trimmed" doc:"unique in the system; 1 to 512 characters, no blanks around them"`
	Description      Optional[string] `json:"description,omitzero" max:"16384" doc:"default: unchanged; empty: cleared"`
	Type             Optional[string] `json:"type,omitzero" max:"128" word:"true" notnull:"true" doc:"required for a new entity; 1 to 128 characters"`
	Tags             []string         `json:"tags,omitempty" max:"100" doc:"at most 100, of 1 to 256 characters"`
	Properties       json.RawMessage  `json:"properties,omitempty" doc:"an object; at most 16,384 bytes, 8 levels"`
	RemoveTags       []string         `json:"remove_tags,omitempty" max:"100"`
	RemoveProperties []string         `json:"remove_properties,omitempty" max:"100" doc:"names of properties"`
}

// SystemRelationshipWrite is a relationship to create or update, found by its ends and its type.
type SystemRelationshipWrite struct {
	From             string          `json:"from" max:"512" word:"trimmed" doc:"name of an entity"`
	To               string          `json:"to" max:"512" word:"trimmed" doc:"name of an entity"`
	Type             string          `json:"type" max:"128" word:"trimmed" doc:"free text; 1 to 128 characters, no blanks around them"`
	Properties       json.RawMessage `json:"properties,omitempty" doc:"an object; at most 16,384 bytes, 8 levels"`
	RemoveProperties []string        `json:"remove_properties,omitempty" max:"100" doc:"names of properties"`
}

// SystemWrite creates and updates entities and relationships of a system in one transaction, entities first, in
// order. With Strict, one refused item refuses the whole write.
type SystemWrite struct {
	Strict        bool                      `json:"strict,omitempty" doc:"all or nothing: a refused item is a 422 and nothing is written"`
	Entities      []SystemEntityWrite       `json:"entities,omitempty" maxItems:"10000" doc:"entities and relationships together are at most 10,000"`
	Relationships []SystemRelationshipWrite `json:"relationships,omitempty" maxItems:"10000" doc:"between entities that the system has, or gets with this"`
}

// Validate checks everything that does not need the store.
func (w *SystemWrite) Validate(system string) error {
	f := &Faults{}
	f.system(system)
	if f.systemItems(len(w.Entities), len(w.Relationships)) {
		for i := range w.Entities {
			w.Entities[i].check(f, fault.At("entities").Index(i))
		}
		for i := range w.Relationships {
			w.Relationships[i].check(f, fault.At("relationships").Index(i))
		}
	}
	return f.Err()
}

func (w *SystemEntityWrite) check(f *Faults, at fault.Path) {
	f.systemName(at.Field("name"), w.Name)
	if w.Type.Given {
		f.Word(at.Field("type"), w.Type.Value, maxTypeLength)
	}
	f.Text(at.Field("description"), w.Description.Value, MaxTextLength)
	f.words(at.Field("tags"), w.Tags)
	f.words(at.Field("remove_tags"), w.RemoveTags)
	f.optionalProperties(at.Field("properties"), w.Properties)
	f.removed(at.Field("remove_properties"), w.RemoveProperties)
}

func (w *SystemRelationshipWrite) check(f *Faults, at fault.Path) {
	f.systemName(at.Field("from"), w.From)
	f.systemName(at.Field("to"), w.To)
	f.Trimmed(at.Field("type"), w.Type, maxTypeLength)
	f.optionalProperties(at.Field("properties"), w.Properties)
	f.removed(at.Field("remove_properties"), w.RemoveProperties)
}

// Validate checks a whole memory. Relationships without their ends are not faults: they are omitted.
func (m *SystemMemory) Validate(system string) error {
	f := &Faults{}
	f.system(system)
	if !f.systemItems(len(m.Entities), len(m.Relationships)) {
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
func (e *SystemEntity) write() *SystemEntityWrite {
	return &SystemEntityWrite{
		Name: e.Name, Description: Some(e.Description), Type: Some(e.Type), Tags: e.Tags, Properties: e.Properties,
	}
}

func (r *SystemRelationship) write() *SystemRelationshipWrite {
	return &SystemRelationshipWrite{From: r.From, To: r.To, Type: r.Type, Properties: r.Properties}
}

func (r *SystemRelationship) triple() [3]string { return [3]string{r.From, r.To, r.Type} }

// ValidSystem checks the name of a system.
func ValidSystem(system string) error {
	f := &Faults{}
	f.system(system)
	return f.Err()
}

func (f *Faults) system(name string) { f.Trimmed(fault.At("system"), name, MaxKeyLength) }

func (f *Faults) systemName(at fault.Path, name string) { f.Trimmed(at, name, MaxNameLength) }

// systemItems checks the number of items of a write; it returns false if there are too many to check.
func (f *Faults) systemItems(entities, relationships int) bool {
	if entities+relationships <= MaxItems {
		return true
	}
	f.Add(fault.At("entities"), fault.WrongCount, "entities and relationships together must be at most %d", MaxItems)
	return false
}

func (f *Faults) optionalProperties(at fault.Path, raw json.RawMessage) {
	if raw != nil {
		f.properties(at, raw)
	}
}

// removed checks names of properties to remove; any text is a valid name.
func (f *Faults) removed(at fault.Path, names []string) {
	if !f.Items(at, len(names), MaxListLength) {
		return
	}
	for i, name := range names {
		f.Text(at.Index(i), name, MaxPropertiesSize)
	}
}
