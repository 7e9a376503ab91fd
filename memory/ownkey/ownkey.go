// Package ownkey repeats an operation with the stored forms of the keys that its caller named, where what they name is
// stored under another one: see graph.OwnKey. It does not know where keys are stored.
package ownkey

import (
	"context"
	"errors"
	"reflect"
	"strings"

	"kith/graph"
	"kith/internal/fault"
)

// Store finds the stored forms of keys.
type Store interface {
	OwnKeys(ctx context.Context, scope graph.Scope, keys []string) (map[string]string, error)
}

// Do runs an operation. If the operation does not find what its input names, or if a key that it is to create belongs to
// somebody else, Do replaces the keys in the input and runs it again. The input is a pointer to a struct. Its user_id goes
// before the user of the scope. An operation that returns an error has stored nothing.
func Do[O any](ctx context.Context, store Store, scope graph.Scope, input any, run func() (O, error)) (O, error) {
	out, err := run()
	if err == nil || store == nil {
		return out, err
	}
	if user := userOf(reflect.ValueOf(input)); user != "" {
		scope.UserID = user
	}
	stored, other := map[string]string{}, error(nil)
	var taken *graph.TakenError
	switch {
	case errors.As(err, &taken):
		stored[taken.Key] = graph.OwnKey(scope.UserID, taken.Key)
	case isMissing(err):
		var keys []string
		eachKey(reflect.ValueOf(input), "", func(key string) string { keys = append(keys, key); return key })
		stored, other = store.OwnKeys(ctx, scope, keys)
	}
	if other != nil || len(stored) == 0 {
		return out, err
	}
	changed := false
	eachKey(reflect.ValueOf(input), "", func(key string) string {
		if own := stored[key]; own != "" {
			changed = true
			return own
		}
		return key
	})
	if !changed {
		return out, err
	}
	return run()
}

func isMissing(err error) bool {
	if errors.Is(err, fault.ErrNotFound) {
		return true
	}
	for _, f := range fault.Fields(err) {
		if f.Code == fault.Missing {
			return true
		}
	}
	return false
}

// userOf returns the user_id of an input; empty if it has none.
func userOf(input reflect.Value) string {
	user := ""
	eachField(input, func(name string, v reflect.Value) {
		switch {
		case user != "":
		case name == "user_id" && v.Kind() == reflect.String:
			user = v.String()
		case name == "": // the body of a request
			user = userOf(v)
		}
	})
	return user
}

// eachKey replaces every key in a value by what change returns for it.
func eachKey(v reflect.Value, name string, change func(string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachKey(v.Elem(), name, change)
		}
	case reflect.Struct:
		if t := v.Type(); t.NumField() == 3 && t.Field(0).Name == "Given" && t.Field(2).Name == "Value" { // graph.Optional
			eachKey(v.Field(2), name, change)
			return
		}
		eachField(v, func(name string, v reflect.Value) { eachKey(v, name, change) })
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				eachKey(v.Index(i), name, change)
			}
		}
	case reflect.String:
		if isKeyName(name) && v.CanSet() && v.String() != "" {
			if own := change(v.String()); own != v.String() {
				v.SetString(own)
			}
		}
	}
}

// eachField calls visit with the fields of a struct, or of the struct of a pointer, by their names on the wire.
func eachField(v reflect.Value, visit func(name string, v reflect.Value)) {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch {
		case !field.IsExported():
		case field.Anonymous:
			eachField(v.Field(i), visit)
		default:
			visit(wireName(field), v.Field(i))
		}
	}
}

func wireName(f reflect.StructField) string {
	for _, tag := range []string{"path", "query", "json"} {
		if name, _, _ := strings.Cut(f.Tag.Get(tag), ","); name != "" {
			return name
		}
	}
	return ""
}

// isKeyName reports whether a field with a name on the wire has keys of nodes, trees or turns.
func isKeyName(name string) bool {
	switch name {
	case "user_id", "team_id", "key_id":
		return false
	case "key", "id", "from", "to", "other", "mentions", "derived_from", "seed_nodes", "entity_keys":
		return true
	}
	return strings.HasSuffix(name, "_key") || strings.HasSuffix(name, "_id")
}
