package graph

import (
	"encoding/json"
	"time"
)

// Optional is a field of a write that may be left out (keep what is stored), null (clear it) or given.
type Optional[T any] struct {
	Given bool // present in the input, also as null
	Null  bool
	Value T
}

// Some is a given value.
func Some[T any](v T) Optional[T] { return Optional[T]{Given: true, Value: v} }

// Null is a field given as null.
func Null[T any]() Optional[T] { return Optional[T]{Given: true, Null: true} }

// UnmarshalJSON is called only for a field that is present.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.Given = true
	if string(data) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(data, &o.Value)
}

// IsZero lets encoding/json leave the field out (omitzero).
func (o Optional[T]) IsZero() bool { return !o.Given }

// MarshalJSON writes the value or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if o.Null || !o.Given {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// or gives the value, or the fallback where the field was left out or null.
func (o Optional[T]) or(fallback T) T {
	if o.Given && !o.Null {
		return o.Value
	}
	return fallback
}

// set puts a given field into properties of a statement; null becomes empty, times become UTC, to the millisecond.
func (o Optional[T]) set(properties map[string]any, name string, empty any) {
	if !o.Given {
		return
	}
	properties[name] = any(o.Value)
	if t, ok := any(o.Value).(time.Time); ok {
		properties[name] = t.UTC().Truncate(precision)
	}
	if o.Null {
		properties[name] = empty
	}
}
