package mcp

import (
	"errors"
	"strings"

	"kith/graph"
	"kith/internal/fault"
)

// memoryWrite is a write with the places in the call that its items come from.
type memoryWrite struct {
	graph.MemoryWrite
	nodes, relationships []itemPlace
}

// itemPlace is where an item of a write comes from.
type itemPlace struct {
	at     fault.Path
	fields map[string]fault.Path // of the item, by their names in the store
	notes  []fault.Path
}

// entityPlace is where the node of a new entity comes from.
func entityPlace(at fault.Path, notes []fault.Path) itemPlace {
	return itemPlace{at, map[string]fault.Path{
		"name": at.Field("name"), "if_version": at.Field("name"), "type": at.Field("entityType"), "kind": at.Field("entityType"),
		"notes": at.Field("observations"), "description": at.Field("observations"),
	}, notes}
}

// relationPlace is where the relationship of a new relation comes from.
func relationPlace(at fault.Path) itemPlace {
	word := at.Field("relationType")
	return itemPlace{at: at, fields: map[string]fault.Path{
		"from": at.Field("from"), "to": at.Field("to"), "type": word, "relationship_type": word, "properties": word, "if_version": word,
	}}
}

// observationsPlace is where new observations of a stored entity come from.
func observationsPlace(at fault.Path, list string, notes []fault.Path) itemPlace {
	return itemPlace{at, map[string]fault.Path{"notes": at.Field(list), "description": at.Field(list)}, notes}
}

// place returns the place in the call of a place in the write.
func (w *memoryWrite) place(p fault.Path) fault.Path {
	for list, items := range map[string][]itemPlace{"nodes": w.nodes, "relationships": w.relationships} {
		if i, rest, ok := p.Item(list); ok && i < len(items) {
			return items[i].place(rest)
		}
	}
	return p
}

func (i *itemPlace) place(within fault.Path) fault.Path {
	if n, _, ok := within.Item("notes"); ok && n < len(i.notes) {
		return i.notes[n]
	}
	for name := range within.Steps() {
		if place, ok := i.fields[name]; ok {
			return place
		}
		break
	}
	return i.at
}

// Messages about a version that is 0 only while nothing is stored: another one with the same identity is.
const (
	entityThere   = "names an entity that is there already: names of persons that differ only in case are one"
	relationThere = "is spelled like the type of another relation of the two"
)

// sameAs begins the message of a fault that names another place.
const sameAs = "is the same as "

// located returns an error of the write as one of the call.
func (w *memoryWrite) located(err error) error {
	fields := fault.Fields(err)
	if len(fields) == 0 {
		return err
	}
	var version *fault.VersionError
	isThere := errors.As(err, &version)
	list, seen := &fault.List{}, map[fault.Path]bool{}
	for _, f := range fields {
		place := w.place(f.Path)
		if seen[place] { // a description is made of observations, and has their faults again
			continue
		}
		seen[place] = true
		message := f.Message
		if other, ok := strings.CutPrefix(message, sameAs); ok {
			message = sameAs + w.place(fault.Parse(other)).String()
		}
		_, _, isNode := f.Path.Item("nodes")
		switch {
		case isThere && isNode:
			message = entityThere
		case isThere:
			message = relationThere
		}
		list.Append(fault.FieldError{Path: place, Code: f.Code, Message: message})
	}
	if errors.Is(err, fault.ErrNotFound) {
		return &fault.MissingError{Fields: list.Fields()}
	}
	return list.Err()
}
