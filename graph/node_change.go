package graph

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"time"

	"kith/graph/trust"
)

// EndedOp is the operation of a change that ends the validity of a relationship.
const EndedOp Op = "ended"

// NodeChange describes what one write changed about a node: of the node itself, or of one of its relationships.
type NodeChange struct {
	At           time.Time     `json:"at"`
	What         Op            `json:"what" enum:"created,updated,ended,deleted,restored" doc:"ended: the validity of a relationship"`
	Relationship *ChangedLink  `json:"relationship,omitempty" doc:"omitted: the node itself"`
	Description  string        `json:"description,omitempty" doc:"of what was created"`
	Version      int64         `json:"version" doc:"that the change made; of a delete: that it ended"`
	By           string        `json:"by,omitempty" doc:"id of the API key that wrote it; token: the caller had a token"`
	Through      string        `json:"through,omitempty" doc:"an operation of the API, mcp: and a tool, or import: and a format"`
	Source       *ChangeSource `json:"source,omitempty" doc:"the source from which a language model derived it, if the caller may see that"`
	Changes      []FieldChange `json:"changes,omitempty"`
	Told         trust.Told    `json:"-"` // of the versions before and after it, the less believed

	source string // key
}

// ChangedLink is a relationship of the node, with its other end as it is stored now.
type ChangedLink struct {
	Key       string  `json:"key"`
	Type      string  `json:"type"`
	Direction string  `json:"direction" enum:"outgoing,incoming"`
	Node      NodeRef `json:"node" doc:"the other end"`
}

// ChangeSource is the source of a change.
type ChangeSource struct {
	EntityKey   string     `json:"entity_key"`
	ContentType string     `json:"content_type,omitempty"`
	StartedAt   *time.Time `json:"started_at,omitempty"`
}

// changedLink is a relationship of a node that changed. Properties is nil if it is deleted.
type changedLink struct {
	Key        string
	Outgoing   bool
	Type       string
	Other      string
	Labels     Labels
	Kind, Name string // Kind is empty unless the other end is deleted
	Trust      any
	Origin     string
	Gone       *int64 // when the other end was deleted
	Properties Properties
}

// changes returns the changes of a relationship of a node, with its former versions.
func (l *changedLink) changes(versions []formerVersion) []NodeChange {
	if l.Properties != nil {
		versions = append(versions, formerVersion{Kind: RelationshipRecord, Type: l.Type, Until: math.MaxInt64, Properties: l.Properties})
	}
	other := NodeRef{EntityKey: l.Other, Kind: cmp.Or(l.Kind, l.Labels.Kind().Name), Name: l.Name, Told: trust.NewTold(l.Trust, l.Origin)}
	link := &ChangedLink{Key: l.Key, Type: l.Type, Direction: "incoming", Node: other}
	if l.Outgoing {
		link.Direction = "outgoing"
	}
	changes := changesOf(versions)
	if n := len(versions); l.Gone != nil && n > 0 && l.Properties != nil {
		changes = append(changes, versions[n-1].change(time.UnixMilli(*l.Gone), DeletedOp))
	}
	for i := range changes {
		changes[i].Relationship = link
		if slices.ContainsFunc(changes[i].Changes, func(c FieldChange) bool { return c.Field == "valid_to" && isNone(c.Was) }) {
			changes[i].What = EndedOp
		}
	}
	return changes
}

// changesOf returns the changes between the versions of a record, the oldest first.
func changesOf(versions []formerVersion) []NodeChange {
	var changes []NodeChange
	for i := range versions {
		v := &versions[i]
		var before *formerVersion
		if i > 0 {
			before = &versions[i-1]
		}
		began := v.began(before)
		switch {
		case began == nil:
		case v.Properties["restored_at"] != nil:
			if before != nil && !before.Deleted {
				changes = append(changes, before.change(time.UnixMilli(before.Until), DeletedOp))
			}
			changes = append(changes, v.change(*began, RestoredOp))
		case version(v.Properties) == 1:
			created := v.written(*began, CreatedOp)
			created.Description = v.Properties.Text("description")
			changes = append(changes, created)
		case before != nil:
			updated := v.written(*began, UpdatedOp)
			updated.Changes = fieldChanges(before.fields(), v.fields())
			updated.Told = toldOf(updated.Changes, before.Properties, v.Properties)
			if len(updated.Changes) > 0 {
				changes = append(changes, updated)
			}
		}
		if v.Deleted {
			changes = append(changes, v.change(time.UnixMilli(v.Until), DeletedOp))
		}
	}
	return changes
}

// change returns a change of which the writer is not kept.
func (v *formerVersion) change(at time.Time, what Op) NodeChange {
	return NodeChange{At: at.UTC(), What: what, Version: version(v.Properties), Told: v.Properties.Told()}
}

// written returns the change that made the version, with its writer.
func (v *formerVersion) written(at time.Time, what Op) NodeChange {
	c := v.change(at, what)
	if w := v.Properties.lastWrite(); w != nil {
		c.By, c.Through, c.source = w.By, w.Through, w.Source
	}
	return c
}

// toldOf returns how far the changes between two versions are believed: as the less believed version, and its aliases where they changed.
func toldOf(changes []FieldChange, versions ...Properties) trust.Told {
	isNamed := slices.ContainsFunc(changes, func(c FieldChange) bool { return c.Field == "aliases" || c.Field == "doubted_aliases" })
	var told trust.Told
	for _, p := range versions {
		told = told.Least(p.Told())
		if isNamed && p["doubted_aliases"] != nil {
			told = told.Least(trust.Doubted)
		}
	}
	return told
}

// isNone reports whether a version does not have the value of a field.
func isNone(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }
