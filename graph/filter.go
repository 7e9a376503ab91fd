package graph

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"kith/internal/bounds"
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
		case float64:
			w, ok := wanted.(float64)
			return ok && holds(cmp.Compare(s, w))
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
	var filter Filter
	if f.Len() > before || json.Unmarshal(raw, &filter) != nil {
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
	var stored map[string]any
	_ = json.Unmarshal(raw, &stored) // checked when it was written; without properties all fields are null
	return hasFields(stored, f)
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
