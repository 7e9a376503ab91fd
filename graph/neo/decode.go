package neo

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// column is the field of a row that has a column's value: its path, as structs may be embedded. An empty path stands
// for the row itself.
type column struct {
	field []int
	set   setter
}

// setter stores a value of the database, which is not null, in a Go value.
type setter func(to reflect.Value, v any) error

// Decoder is a type that reads values of the database itself.
type Decoder interface {
	DecodeNeo(v any) error
}

var (
	timeType    = reflect.TypeFor[time.Time]() //nolint:gochecknoglobals // constant
	decoderType = reflect.TypeFor[Decoder]()   //nolint:gochecknoglobals // constant
)

// columnsOf returns the fields of a row type in the order of a statement's columns.
func columnsOf(row reflect.Type, returns []string) ([]column, error) {
	if row == reflect.TypeFor[None]() {
		return nil, nil
	}
	if !isRow(row) {
		if len(returns) != 1 {
			return nil, fmt.Errorf("%s is read from one column, and there are %v", row, returns)
		}
		set, err := setterOf(row)
		return []column{{nil, set}}, err
	}
	columns := make([]column, len(returns))
	if err := addFields(row, nil, returns, columns); err != nil {
		return nil, err
	}
	for n, c := range columns {
		if c.set == nil {
			return nil, fmt.Errorf("%s: no field for the column %s", row, returns[n])
		}
	}
	return columns, nil
}

// addFields adds the fields of a struct, and of those embedded in it, at the places of their columns.
func addFields(t reflect.Type, path []int, returns []string, columns []column) error {
	for i := range t.NumField() {
		field, at := t.Field(i), append(slices.Clone(path), i)
		if field.Anonymous && isRow(field.Type) {
			if err := addFields(field.Type, at, returns, columns); err != nil {
				return err
			}
			continue
		}
		set, err := fieldSetter(t, field)
		if err != nil {
			return err
		}
		name := field.Tag.Get("neo")
		if name == "" {
			name = snakeCase(field.Name)
		}
		n := slices.Index(returns, name)
		if n < 0 || columns[n].set != nil {
			return fmt.Errorf("%s.%s: no column %s of its own among %v", t, field.Name, name, returns)
		}
		columns[n] = column{at, set}
	}
	return nil
}

func fieldSetter(t reflect.Type, field reflect.StructField) (setter, error) {
	if !field.IsExported() {
		return nil, fmt.Errorf("%s.%s is not exported", t, field.Name)
	}
	set, err := setterOf(field.Type)
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", t, field.Name, err)
	}
	return set, nil
}

// isRow reports whether a type is a struct whose fields are read one by one.
func isRow(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != timeType && !reflect.PointerTo(t).Implements(decoderType)
}

// snakeCase returns the name of a field as columns are named: EntityKey is entity_key, UserID is user_id.
func snakeCase(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		if unicode.IsUpper(r) && i > 0 && (unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// setterOf returns how values of the database become values of a type.
func setterOf(t reflect.Type) (setter, error) {
	switch {
	case reflect.PointerTo(t).Implements(decoderType):
		return func(to reflect.Value, v any) error { return to.Addr().Interface().(Decoder).DecodeNeo(v) }, nil //nolint:forcetypeassert // checked above
	case t == timeType:
		return setTime, nil
	}
	switch t.Kind() {
	case reflect.String:
		return setDirect("a text", reflect.Value.SetString), nil
	case reflect.Bool:
		return setDirect("a boolean", reflect.Value.SetBool), nil
	case reflect.Int, reflect.Int64:
		return setDirect("an integer", reflect.Value.SetInt), nil
	case reflect.Float64:
		return setFloat, nil
	case reflect.Interface:
		return setAny, nil
	case reflect.Pointer:
		return setPointer(t)
	case reflect.Slice:
		if t == reflect.TypeFor[[]any]() {
			return setAny, nil
		}
		return setSlice(t)
	case reflect.Struct:
		return setStruct(t)
	case reflect.Map:
		if t == reflect.TypeFor[map[string]any]() {
			return setAny, nil
		}
	}
	return nil, fmt.Errorf("no value of the database becomes a %s", t)
}

// mismatch returns the error for a value of another type. It does not repeat the value.
func mismatch(v any, want string) error {
	return fmt.Errorf("%T where %s is expected: %w", v, want, ErrStatement)
}

// setDirect returns the setter of a type that values of the database have already.
func setDirect[T any](name string, set func(reflect.Value, T)) setter {
	return func(to reflect.Value, v any) error {
		value, ok := v.(T)
		if !ok {
			return mismatch(v, name)
		}
		set(to, value)
		return nil
	}
}

func setFloat(to reflect.Value, v any) error {
	switch n := v.(type) {
	case float64:
		to.SetFloat(n)
	case int64:
		to.SetFloat(float64(n))
	default:
		return mismatch(v, "a number")
	}
	return nil
}

func setTime(to reflect.Value, v any) error {
	at := to.Addr().Interface().(*time.Time) //nolint:forcetypeassert // the setter of this type
	switch t := v.(type) {
	case time.Time:
		*at = t.UTC()
	case int64: // costs a third of the driver's date values
		*at = time.UnixMilli(t).UTC()
	default:
		return mismatch(v, "a time")
	}
	return nil
}

func setAny(to reflect.Value, v any) error {
	from := reflect.ValueOf(v)
	if !from.Type().AssignableTo(to.Type()) {
		return mismatch(v, to.Type().String())
	}
	to.Set(from)
	return nil
}

func setPointer(t reflect.Type) (setter, error) {
	set, err := setterOf(t.Elem())
	return func(to reflect.Value, v any) error {
		to.Set(reflect.New(t.Elem()))
		return set(to.Elem(), v)
	}, err
}

func setSlice(t reflect.Type) (setter, error) {
	set, err := setterOf(t.Elem())
	if err != nil {
		return nil, err
	}
	return func(to reflect.Value, v any) error {
		values, ok := v.([]any)
		if !ok {
			return mismatch(v, "a list")
		}
		to.Set(reflect.MakeSlice(t, len(values), len(values)))
		for i, value := range values {
			if value == nil {
				continue
			}
			if err := set(to.Index(i), value); err != nil {
				return fmt.Errorf("item %d: %w", i, err)
			}
		}
		return nil
	}, nil
}

// setStruct returns the setter of a struct whose fields are in the order of a list.
func setStruct(t reflect.Type) (setter, error) {
	fields := make([]setter, t.NumField())
	for i := range fields {
		var err error
		if fields[i], err = fieldSetter(t, t.Field(i)); err != nil {
			return nil, err
		}
	}
	return func(to reflect.Value, v any) error {
		values, ok := v.([]any)
		if !ok || len(values) != len(fields) {
			return fmt.Errorf("a list of %d values, want the %d of %s: %w", len(values), len(fields), t, ErrStatement)
		}
		for i, set := range fields {
			if values[i] == nil {
				continue
			}
			if err := set(to.Field(i), values[i]); err != nil {
				return fmt.Errorf("%s: %w", t.Field(i).Name, err)
			}
		}
		return nil
	}, nil
}
