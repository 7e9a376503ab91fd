package graph

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"kith/internal/bounds"
	"kith/internal/decimal"
	"kith/internal/fault"
)

// Filter selects nodes by the fields of their value (items) or properties (other kinds). An object selects those that have its
// fields with its values; an object of operators compares. A field that is not there is compared as null.
type Filter map[string]any

// operators compare a stored value with one of a filter. Only two numbers or two texts have an order.
var operators = map[string]func(stored, wanted any) bool{
	"$eq":  reflect.DeepEqual,
	"$ne":  func(stored, wanted any) bool { return !reflect.DeepEqual(stored, wanted) },
	"$gt":  ordered(func(order int) bool { return order > 0 }),
	"$gte": ordered(func(order int) bool { return order >= 0 }),
	"$lt":  ordered(func(order int) bool { return order < 0 }),
	"$lte": ordered(func(order int) bool { return order <= 0 }),
}

func ordered(holds func(order int) bool) func(stored, wanted any) bool {
	return func(stored, wanted any) bool {
		switch s := stored.(type) {
		case decimal.Decimal:
			w, ok := wanted.(decimal.Decimal)
			return ok && holds(s.Compare(w))
		case string:
			w, ok := wanted.(string)
			return ok && holds(strings.Compare(s, w))
		}
		return false
	}
}

// Filter reads a filter from JSON; nil if there is none, or it is not valid.
func (f *Faults) Filter(at fault.Path, raw json.RawMessage) Filter {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	before := f.Len()
	f.object(at, raw, bounds.FilterSize, bounds.PropertiesDepth)
	if f.Len() > before {
		return nil
	}
	filter := Filter(exactly(raw))
	if filter == nil {
		return nil
	}
	if hasOperator(filter) {
		f.Add(at, fault.Malformed, "must have the name of a field around an operator: {\"n\":{\"$gt\":3}}")
	}
	checkOperators(f, at, filter)
	return filter
}

func checkOperators(f *Faults, at fault.Path, wanted map[string]any) {
	compares := hasOperator(wanted)
	for name, value := range wanted {
		switch {
		case strings.HasPrefix(name, "$") && operators[name] == nil:
			f.NotOneOf(at, "$eq", "$ne", "$gt", "$gte", "$lt", "$lte")
		case compares && operators[name] == nil:
			f.Add(at, fault.Malformed, "must not have operators beside names of fields in one object")
		}
		if nested, ok := value.(map[string]any); ok && !compares {
			checkOperators(f, at, nested)
		}
	}
}

// Matches reports whether a node has what the filter asks for. A nil filter matches all.
func (f Filter) Matches(n *NodeView) bool {
	if f == nil {
		return true
	}
	raw := n.Properties
	if n.Kind == ItemKind.Name && n.OwnFields != nil {
		raw = n.Value.Value
	}
	return hasFields(exactly(raw), f) // checked when it was written; without properties all fields are null
}

// exactly decodes a JSON object with its numbers as decimals; nil if it is none.
func exactly(raw []byte) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var object map[string]any
	if decoder.Decode(&object) != nil {
		return nil
	}
	withDecimals(object)
	return object
}

// withDecimals returns a decoded value with decimals instead of numbers.
func withDecimals(value any) any {
	switch v := value.(type) {
	case json.Number:
		return decimal.Parse(v.String())
	case map[string]any:
		for name := range v {
			v[name] = withDecimals(v[name])
		}
	case []any:
		for i := range v {
			v[i] = withDecimals(v[i])
		}
	}
	return value
}

func hasFields(stored, wanted map[string]any) bool {
	for name, value := range wanted {
		if !matches(stored[name], value) {
			return false
		}
	}
	return true
}

func matches(stored, wanted any) bool {
	switch w := wanted.(type) {
	case map[string]any:
		if hasOperator(w) {
			for name, value := range w {
				if compare := operators[name]; compare == nil || !compare(stored, value) {
					return false
				}
			}
			return true
		}
		s, ok := stored.(map[string]any)
		return ok && hasFields(s, w)
	case []any:
		s, ok := stored.([]any)
		return ok && slices.EqualFunc(s, w, matches)
	}
	return stored == wanted
}

func hasOperator(wanted map[string]any) bool {
	for name := range wanted {
		if strings.HasPrefix(name, "$") {
			return true
		}
	}
	return false
}
