package graph

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"kith/neo"
)

// properties holds the properties of a node or relationship as stored. Absent names are not stored.
type properties map[string]any

// DecodeNeo reads the list [[name, value], …] in which statements return all properties. It replaces p.
func (p *properties) DecodeNeo(v any) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("%T where a list of properties is expected: %w", v, neo.ErrStatement)
	}
	*p = make(properties, len(list))
	for _, item := range list {
		pair, _ := item.([]any)
		if len(pair) != 2 {
			return fmt.Errorf("a property of %d values, want name and value: %w", len(pair), neo.ErrStatement)
		}
		name, ok := pair[0].(string)
		if !ok {
			return fmt.Errorf("%T where the name of a property is expected: %w", pair[0], neo.ErrStatement)
		}
		(*p)[name] = asKept(pair[1])
	}
	return nil
}

// asKept converts a value of the driver to its stored form.
func asKept(value any) any {
	switch typed := value.(type) {
	case []any:
		return neo.Texts(typed)
	case time.Time:
		return typed.UTC()
	}
	return value
}

func (p properties) text(name string) string    { return neo.Text(p[name]) }
func (p properties) number(name string) float64 { return neo.Number(p[name]) }
func (p properties) integer(name string) int64  { return neo.Integer(p[name]) }
func (p properties) texts(name string) []string {
	list, _ := p[name].([]string)
	return list
}

func (p properties) moment(name string) *time.Time { return neo.OptionalTime(p[name]) }
func (p properties) millis(name string) time.Time  { return neo.Millis(p[name]) }

// putUnless stores a value, or removes the property if absent is true.
func (p properties) putUnless(absent bool, name string, value any) {
	if absent {
		delete(p, name)
		return
	}
	p[name] = value
}

// changesTo returns the changes from p to next; nil values remove a property.
func (p properties) changesTo(next properties) properties {
	changed := properties{}
	for name, value := range next {
		if old, ok := p[name]; !ok || !same(old, value) {
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

func (p properties) clone() properties { return maps.Clone(p) }

func same(a, b any) bool {
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
