package fence

import (
	"encoding/json"
	"reflect"
	"strings"

	"kith/internal/fault"
)

// gather collects the texts among values that may be ids, also those in notes, which are stored as JSON.
func gather(v any, named map[string]bool) {
	switch typed := v.(type) {
	case string:
		gatherText(typed, named)
	case []string:
		for _, item := range typed {
			gatherText(item, named)
		}
	case []any:
		for _, item := range typed {
			gather(item, named)
		}
	case map[string]any:
		for _, item := range typed {
			gather(item, named)
		}
	default:
		gatherOther(reflect.ValueOf(v), named)
	}
}

// gatherOther does the same as gather for lists and maps of any other type.
func gatherOther(v reflect.Value, named map[string]bool) {
	switch v.Kind() { // the others hold no texts
	case reflect.String:
		gatherText(v.String(), named)
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			gatherOther(v.Elem(), named)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			gatherOther(v.Index(i), named)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			gatherOther(key, named)
			gatherOther(v.MapIndex(key), named)
		}
	}
}

func gatherText(text string, named map[string]bool) {
	if fault.ValidKey(text) {
		named[text] = true
	}
	if strings.HasPrefix(text, "{") && strings.Contains(text, `"added_by"`) {
		var note struct {
			AddedBy string `json:"added_by"`
		}
		if json.Unmarshal([]byte(text), &note) == nil && note.AddedBy != "" {
			named[note.AddedBy] = true
		}
	}
}
