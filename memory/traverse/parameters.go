package traverse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kith/internal/fault"
)

// Bounds of the parameters of a statement.
const (
	maxParameters      = 100
	maxParameterBytes  = 256 << 10
	maxParameterDepth  = 16
	maxParameterValues = 20_000
)

// parseParameters returns the parameters of the statement for the database: whole numbers as integers.
func (r *Request) parseParameters(f *fault.List) map[string]any {
	bytesOf := 0
	for _, raw := range r.Parameters {
		bytesOf += len(raw)
	}
	if len(r.Parameters) > maxParameters || bytesOf > maxParameterBytes {
		f.Add(fault.At("parameters"), fault.WrongCount, "must be at most %d, of %d bytes", maxParameters, maxParameterBytes)
		return nil
	}
	all, left := map[string]any{}, maxParameterValues
	for _, name := range slices.Sorted(maps.Keys(r.Parameters)) {
		value, err := parameter(r.Parameters[name], &left)
		if err != nil {
			f.Add(fault.At("parameters").Field(name), fault.Malformed, "%s", err)
		}
		all[name] = value
	}
	return all
}

func parameter(raw json.RawMessage, left *int) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || !json.Valid(raw) {
		return nil, fmt.Errorf("must be JSON") //nolint:err113 // reported to the caller
	}
	return converted(v, maxParameterDepth, left)
}

func converted(v any, depth int, left *int) (any, error) {
	if *left--; *left < 0 || depth == 0 {
		return nil, fmt.Errorf("has too many values, or is nested too deeply")
	}
	switch v := v.(type) {
	case json.Number:
		return number(v.String())
	case []any:
		for i := range v {
			item, err := converted(v[i], depth-1, left)
			if err != nil {
				return nil, err
			}
			v[i] = item
		}
	case map[string]any:
		for key := range v {
			item, err := converted(v[key], depth-1, left)
			if err != nil {
				return nil, err
			}
			v[key] = item
		}
	}
	return v, nil
}

func number(text string) (any, error) {
	if !strings.ContainsAny(text, ".eE") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("must fit into 64 bits")
		}
		return n, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("must fit into 64 bits")
	}
	return f, nil
}
