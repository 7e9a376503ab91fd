package neo

import "time"

// Statements return lists instead of maps, so that field names are not sent and allocated with every row. The order
// of each list is defined in its .cypher file.

// Text returns a text; empty for any other value.
func Text(v any) string {
	s, _ := v.(string)
	return s
}

// OptionalText returns a text; nil for any other value.
func OptionalText(v any) *string {
	if s, ok := v.(string); ok {
		return &s
	}
	return nil
}

// Number returns a number; 0 for any other value.
func Number(v any) float64 {
	switch n := v.(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	}
	return 0
}

// Integer returns an integer; 0 for any other value.
func Integer(v any) int64 {
	n, _ := v.(int64)
	return n
}

// OptionalInteger returns an integer; nil for any other value.
func OptionalInteger(v any) *int64 {
	if n, ok := v.(int64); ok {
		return &n
	}
	return nil
}

// Bool returns a boolean; false for any other value.
func Bool(v any) bool {
	b, _ := v.(bool)
	return b
}

// Time returns a time in UTC; the zero time for any other value.
func Time(v any) time.Time {
	t, _ := v.(time.Time)
	return t.UTC()
}

// OptionalTime returns a time in UTC; nil for any other value.
func OptionalTime(v any) *time.Time {
	if t, ok := v.(time.Time); ok {
		t = t.UTC()
		return &t
	}
	return nil
}

// List returns a list; nil for any other value.
func List(v any) []any {
	l, _ := v.([]any)
	return l
}

// Texts returns a list of texts; empty for any other value.
func Texts(v any) []string {
	l := List(v)
	out := make([]string, len(l))
	for i := range l {
		out[i] = Text(l[i])
	}
	return out
}

// Millis converts milliseconds since 1970 to a time. They cost a third of the driver's date values.
func Millis(v any) time.Time { return time.UnixMilli(Integer(v)).UTC() }

// OptionalMillis returns the time of milliseconds since 1970; nil for any other value.
func OptionalMillis(v any) *time.Time {
	if ms, ok := v.(int64); ok {
		t := time.UnixMilli(ms).UTC()
		return &t
	}
	return nil
}
