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

// pointer is the value; nil where the field was left out or null.
func (o Optional[T]) pointer() *T {
	if !o.Given || o.Null {
		return nil
	}
	return &o.Value
}

// set puts a given field into properties; null becomes empty, and an empty of nil removes the field.
func (o Optional[T]) set(p properties, name string, empty any) {
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

// stored is the value as the database keeps it: times in UTC, to the millisecond, JSON as compact text.
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

// put takes a stored value.
func (o *Optional[T]) put(v any) {
	o.Given = true
	switch slot := any(&o.Value).(type) {
	case *[]string:
		*slot, _ = v.([]string)
	case *json.RawMessage:
		*slot = json.RawMessage(text(v))
	case *time.Time:
		*slot = moment(v)
	case *float64:
		*slot = number(v)
	default:
		o.Value, _ = v.(T)
	}
}
