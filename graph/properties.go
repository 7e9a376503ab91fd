package graph

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"kith/graph/neo"
)

// Properties holds the properties of a node or relationship as stored. Absent names are not stored.
type Properties map[string]any

// DecodeNeo reads the list [[name, value], …] in which statements return all properties. It replaces p.
func (p *Properties) DecodeNeo(v any) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("%T where a list of properties is expected: %w", v, neo.ErrStatement)
	}
	*p = make(Properties, len(list))
	for _, item := range list {
		pair, _ := item.([]any)
		if len(pair) != 2 {
			return fmt.Errorf("a property of %d values, want name and value: %w", len(pair), neo.ErrStatement)
		}
		name, ok := pair[0].(string)
		if !ok {
			return fmt.Errorf("%T where the name of a property is expected: %w", pair[0], neo.ErrStatement)
		}
		(*p)[name] = AsKept(pair[1])
	}
	return nil
}

// NamedProperties returns the properties of some names from their values as statements return them, without those that are null.
func NamedProperties(names []string, values []any) Properties {
	p := make(Properties, len(names))
	for i, value := range values[:min(len(values), len(names))] {
		if value != nil {
			p[names[i]] = AsKept(value)
		}
	}
	return p
}

// AsKept converts a value of the driver to its stored form.
func AsKept(value any) any {
	switch typed := value.(type) {
	case []any:
		return neo.Texts(typed)
	case time.Time:
		return typed.UTC()
	}
	return value
}

// Text returns a text; empty if there is none.
func (p Properties) Text(name string) string { return neo.Text(p[name]) }

func (p Properties) number(name string) float64 { return neo.Number(p[name]) }
func (p Properties) integer(name string) int64  { return neo.Integer(p[name]) }

// Texts returns a list of texts; nil if there is none.
func (p Properties) Texts(name string) []string {
	list, _ := p[name].([]string)
	return list
}

// Moment returns a time; nil if there is none.
func (p Properties) Moment(name string) *time.Time { return neo.OptionalTime(p[name]) }

func (p Properties) millis(name string) time.Time { return neo.Millis(p[name]) }

// putUnless stores a value, or removes the property if absent is true.
func (p Properties) putUnless(absent bool, name string, value any) {
	if absent {
		delete(p, name)
		return
	}
	p[name] = value
}

// changesTo returns the changes from p to next; nil values remove a property.
func (p Properties) changesTo(next Properties) Properties {
	changed := Properties{}
	for name, value := range next {
		if old, ok := p[name]; !ok || !Same(old, value) {
			changed[name] = value
		}
	}
	for name := range p {
		if _, ok := next[name]; !ok {
			changed[name] = nil
		}
	}
	return changed
}

func (p Properties) clone() Properties { return maps.Clone(p) }

// Same reports whether two stored values are equal. Times are equal if they are the same instant.
func Same(a, b any) bool {
	switch x := a.(type) {
	case time.Time:
		y, ok := b.(time.Time)
		return ok && x.Equal(y)
	case []string:
		y, ok := b.([]string)
		return ok && slices.Equal(x, y)
	case int64:
		return x == neo.Integer(b)
	}
	return a == b
}
