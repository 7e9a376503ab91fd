package graph

import (
	"encoding/json"
	"fmt"
	"time"

	"kith/graph/neo"
	"kith/internal/optional"
)

// Optional is a field of a write that may be omitted (keep the stored value), null (clear it) or given.
type Optional[T any] = optional.Value[T]

// Some returns a given value.
func Some[T any](v T) Optional[T] { return optional.Some(v) }

// Null returns a field given as null.
func Null[T any]() Optional[T] { return optional.Null[T]() }

// optionalField is an Optional of any type.
type optionalField interface {
	IsZero() bool
	IsNull() bool
	Any() any
}

// set stores a field if it is given. Null stores empty, or removes the field if empty is nil.
func (p Properties) set(name string, o optionalField, empty any) {
	switch {
	case o.IsZero():
	case !o.IsNull():
		p[name] = storedForm(o.Any())
	case empty == nil:
		delete(p, name)
	default:
		p[name] = empty
	}
}

// storedForm returns a value as it is stored: times in UTC to the millisecond, JSON as compact text.
func storedForm(value any) any {
	switch v := value.(type) {
	case time.Time:
		return v.UTC().Truncate(precision)
	case json.RawMessage:
		return compact(v)
	default:
		return v
	}
}

// giveStored sets an Optional, to which slot points, to a stored value.
func giveStored(slot, v any) {
	switch o := slot.(type) {
	case *Optional[[]string]:
		list, _ := v.([]string)
		*o = Some(list)
	case *Optional[json.RawMessage]:
		*o = Some(json.RawMessage(neo.Text(v)))
	case *Optional[time.Time]:
		*o = Some(neo.Time(v))
	case *Optional[float64]:
		*o = Some(neo.Number(v))
	case *Optional[string]:
		*o = Some(neo.Text(v))
	case *Optional[int64]:
		*o = Some(neo.Integer(v))
	case *Optional[bool]:
		*o = Some(v == true)
	default:
		panic(fmt.Sprintf("graph: optional field of type %T", slot))
	}
}
