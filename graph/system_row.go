package graph

import (
	"encoding/json"
	"time"
)

// SystemNode is a stored entity of a system.
type SystemNode struct {
	SystemEntity
	EntityKey string    `json:"entity_key"`
	Version   int64     `json:"version" doc:"starts at 1 and grows by 1 with every change"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Seq       int64     `json:"-"` // place in the order of the system
}

// SystemLink is a stored relationship of a system.
type SystemLink struct {
	SystemRelationship
	Key            string `json:"key"`
	Seq            int64  `json:"-"` // place in the order of the system
	fromKey, toKey string
}

// systemNodeFrom reads the list that statements return for an entity.
func systemNodeFrom(row any) SystemNode {
	l := items(row)
	return SystemNode{
		EntityKey: text(l[0]), Seq: seqFrom(l[6]), Version: integer(l[7]), CreatedAt: millis(l[8]), UpdatedAt: millis(l[9]),
		SystemEntity: SystemEntity{
			Name: text(l[1]), Description: text(l[2]), Type: text(l[3]), Tags: texts(l[4]),
			Properties: objectFrom(l[5]),
		},
	}
}

// unplaced is the Seq of an entity that was written as a node and has no place in its system yet.
const unplaced = -1

func seqFrom(v any) int64 {
	if seq, ok := v.(int64); ok {
		return seq
	}
	return unplaced
}

// objectFrom reads stored properties; an entity that was written as a node may have none.
func objectFrom(v any) json.RawMessage {
	if properties := text(v); properties != "" {
		return json.RawMessage(properties)
	}
	return json.RawMessage("{}")
}

// systemLinkFrom reads the list that statements return for a relationship.
func systemLinkFrom(row any) SystemLink {
	l := items(row)
	return SystemLink{
		Key: text(l[0]), Seq: integer(l[5]), fromKey: text(l[6]), toKey: text(l[7]),
		SystemRelationship: SystemRelationship{
			From: text(l[1]), To: text(l[2]), Type: text(l[3]), Properties: objectFrom(l[4]),
		},
	}
}
