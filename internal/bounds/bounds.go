// Package bounds has the bounds of what may be stored.
package bounds

import "kith/internal/fault"

// Bounds of what may be stored. Text lengths count Unicode code points, sizes count bytes.
const (
	Items           = 10_000 // nodes and relationships of one write
	Messages        = 10_000 // messages of one write
	PoppedMessages  = 100    // of one request
	Mentions        = 1_000
	Preferences     = 200
	KeyLength       = fault.MaxKeyLength
	NameLength      = 512
	TextLength      = 16_384 // description, summary
	MessageLength   = 65_536
	PropertiesSize  = 16_384
	PropertiesDepth = 8
	ListLength      = 100 // keywords, tags, participants
	NamespaceParts  = 16
	ValueSize       = 262_144 // of an item, and the parts of a message
	ValueDepth      = 32
	FilterSize      = 4_096
)
