package system

import (
	"encoding/json"
	"time"

	"kith/graph/trust"
)

// Node is a stored entity of a system.
type Node struct {
	Entity
	EntityKey string    `json:"entity_key"`
	Version   int64     `json:"version" doc:"starts at 1 and grows by 1 with every change"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Seq       int64     `json:"-"` // place in the order of the system
}

// Link is a stored relationship of a system.
type Link struct {
	Relationship
	Key            string `json:"key"`
	Version        int64  `json:"version" doc:"starts at 1 and grows by 1 with every change"`
	Seq            int64  `json:"-"` // place in the order of the system
	fromKey, toKey string
}

// systemNodeRow is a stored entity, in the order of system_entity_find and of the other statements that return entities.
// One that was written as a node may lack tags, properties and a number.
type systemNodeRow struct {
	EntityKey, Name, Description, Type string
	Tags                               []string
	Properties                         string
	Seq                                *int64
	Version                            int64
	CreatedAt, UpdatedAt               time.Time
	Trust                              any
	Origin                             string
}

// foundSystemNode is a row of a statement that returns entities one by one.
type foundSystemNode struct{ Entity systemNodeRow }

func (r *systemNodeRow) node() Node {
	n := Node{
		EntityKey: r.EntityKey, Seq: unplaced, Version: r.Version, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		Entity: Entity{
			Name: r.Name, Description: r.Description, Type: r.Type, Tags: r.Tags, Properties: objectFrom(r.Properties),
			Told: trust.NewTold(r.Trust, r.Origin),
		},
	}
	if r.Seq != nil {
		n.Seq = *r.Seq
	}
	if n.Tags == nil {
		n.Tags = []string{}
	}
	return n
}

// unplaced is the Seq of an entity that was written as a node and has no place in its system yet.
const unplaced = -1

// objectFrom reads stored properties; an entity that was written as a node may have none.
func objectFrom(properties string) json.RawMessage {
	if properties != "" {
		return json.RawMessage(properties)
	}
	return json.RawMessage("{}")
}

// systemLinkRow is a stored relationship, in the order of system_relationship_find and of the other statements that return
// relationships.
type systemLinkRow struct {
	Key, From, To, Type, Properties string
	Seq                             int64
	FromKey, ToKey                  string
	Version                         int64
}

// foundSystemLink is a row of a statement that returns relationships one by one.
type foundSystemLink struct{ Relationship systemLinkRow }

func (r *systemLinkRow) link() Link {
	return Link{
		Key: r.Key, Version: r.Version, Seq: r.Seq, fromKey: r.FromKey, toKey: r.ToKey,
		Relationship: Relationship{From: r.From, To: r.To, Type: r.Type, Properties: objectFrom(r.Properties)},
	}
}
