package client

import "encoding/json"

// Optional is a field that may be omitted (the zero Optional), null, or a value.
type Optional[T any] struct {
	given bool
	value *T
}

// Some returns a field with a value.
func Some[T any](value T) Optional[T] { return Optional[T]{given: true, value: &value} }

// Null returns a field that is null: it clears the stored value. As a node's user_id it shares the node with the team.
func Null[T any]() Optional[T] { return Optional[T]{given: true} }

// Value returns the value of a field, and whether it has one.
func (o Optional[T]) Value() (value T, ok bool) {
	if o.value != nil {
		value = *o.value
	}
	return value, o.value != nil
}

// IsZero makes encoding/json omit the field.
func (o Optional[T]) IsZero() bool { return !o.given }

// MarshalJSON writes the value or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// UnmarshalJSON is called for a field that is present.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.given = true
	return json.Unmarshal(data, &o.value)
}
