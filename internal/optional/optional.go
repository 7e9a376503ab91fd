// Package optional has the fields of inputs that may be omitted or null.
package optional

import "encoding/json"

// Value is a field of a write that may be omitted (keep the stored value), null (clear it) or given.
type Value[T any] struct {
	Given bool // present in the input, possibly null
	Null  bool
	Value T
}

// Some returns a given value.
func Some[T any](v T) Value[T] { return Value[T]{Given: true, Value: v} }

// Null returns a field given as null.
func Null[T any]() Value[T] { return Value[T]{Given: true, Null: true} }

// UnmarshalJSON implements json.Unmarshaler. It is only called for a field that is present.
func (o *Value[T]) UnmarshalJSON(data []byte) error {
	o.Given = true
	if string(data) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(data, &o.Value)
}

// IsZero lets encoding/json omit the field (omitzero).
func (o Value[T]) IsZero() bool { return !o.Given }

// MarshalJSON writes the value or null.
func (o Value[T]) MarshalJSON() ([]byte, error) {
	if o.Null || !o.Given {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// Or returns the value, or the fallback if the field is omitted or null.
func (o Value[T]) Or(fallback T) T {
	if o.Given && !o.Null {
		return o.Value
	}
	return fallback
}

// Pointer returns the value; nil if the field is omitted or null.
func (o Value[T]) Pointer() *T {
	if !o.Given || o.Null {
		return nil
	}
	return &o.Value
}

// IsNull reports whether the field is given as null.
func (o Value[T]) IsNull() bool { return o.Null }

// Any returns the value, of whatever type.
func (o Value[T]) Any() any { return o.Value }
