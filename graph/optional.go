package graph

import (
	"encoding/json"
	"time"

	"kith/graph/neo"
)

// Optional is a field of a write that may be omitted (keep the stored value), null (clear it) or given.
type Optional[T any] struct {
	Given bool // present in the input, possibly null
	Null  bool
	Value T
}

// Some returns a given value.
func Some[T any](v T) Optional[T] { return Optional[T]{Given: true, Value: v} }

// Null returns a field given as null.
func Null[T any]() Optional[T] { return Optional[T]{Given: true, Null: true} }

// UnmarshalJSON implements json.Unmarshaler. It is only called for a field that is present.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.Given = true
	if string(data) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(data, &o.Value)
}

// IsZero lets encoding/json omit the field (omitzero).
func (o Optional[T]) IsZero() bool { return !o.Given }

// MarshalJSON writes the value or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if o.Null || !o.Given {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// Or returns the value, or the fallback if the field is omitted or null.
func (o Optional[T]) Or(fallback T) T {
	if o.Given && !o.Null {
		return o.Value
	}
	return fallback
}

// Pointer returns the value; nil if the field is omitted or null.
func (o Optional[T]) Pointer() *T {
	if !o.Given || o.Null {
		return nil
	}
	return &o.Value
}

// set stores a given field in properties. Null stores empty, or removes the field if empty is nil.
func (o Optional[T]) set(p Properties, name string, empty any) {
	switch {
	case !o.Given:
	case !o.Null:
		p[name] = o.stored()
	case empty == nil:
		delete(p, name)
	default:
		p[name] = empty
	}
}

func (o Optional[T]) given() (given, null bool) { return o.Given, o.Null }

// stored returns the value in its stored form: times in UTC to the millisecond, JSON as compact text.
func (o Optional[T]) stored() any {
	switch v := any(o.Value).(type) {
	case time.Time:
		return v.UTC().Truncate(precision)
	case json.RawMessage:
		return compact(v)
	default:
		return v
	}
}

// put sets the field from a stored value.
func (o *Optional[T]) put(v any) {
	o.Given = true
	switch slot := any(&o.Value).(type) {
	case *[]string:
		*slot, _ = v.([]string)
	case *json.RawMessage:
		*slot = json.RawMessage(neo.Text(v))
	case *time.Time:
		*slot = neo.Time(v)
	case *float64:
		*slot = neo.Number(v)
	default:
		o.Value, _ = v.(T)
	}
}
