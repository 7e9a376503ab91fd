package system

import (
	"bytes"
	"encoding/json"
	"strings"
)

// jsonObject is a JSON object whose members keep their order.
type jsonObject []jsonMember

// jsonMember has its value as it is stored: compact, without needless escapes.
type jsonMember struct{ key, value string }

// over returns base with the members of o: those of the same name replace the value in place, the others are
// appended.
func (o jsonObject) over(base jsonObject) jsonObject {
	place := make(map[string]int, len(base)+len(o))
	all := make(jsonObject, 0, len(base)+len(o))
	for _, list := range []jsonObject{base, o} {
		for _, m := range list {
			if i, ok := place[m.key]; ok {
				all[i].value = m.value
				continue
			}
			place[m.key] = len(all)
			all = append(all, m)
		}
	}
	return all
}

// without returns the object without some members.
func (o jsonObject) without(keys []string) jsonObject {
	gone := make(map[string]bool, len(keys))
	for _, k := range keys {
		gone[k] = true
	}
	kept := make(jsonObject, 0, len(o))
	for _, m := range o {
		if !gone[m.key] {
			kept = append(kept, m)
		}
	}
	return kept
}

// text returns the object as compact JSON.
func (o jsonObject) text() string {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		quote(m.key, &out)
		out.WriteByte(':')
		out.WriteString(m.value)
	}
	out.WriteByte('}')
	return out.String()
}

// jsonObjectOf reads a validated JSON object; empty input is an empty object. Numbers keep their text, and the last
// of several members with the same name wins.
func jsonObjectOf(raw json.RawMessage) jsonObject {
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	jsonToken(d) // {
	return jsonMembers(d)
}

// jsonToken returns the decoder's next token. It panics on invalid JSON, because the input was validated.
func jsonToken(d *json.Decoder) json.Token {
	t, err := d.Token()
	if err != nil {
		panic("graph: properties are not JSON: " + err.Error())
	}
	return t
}

// jsonMembers reads an object after its opening brace.
func jsonMembers(d *json.Decoder) jsonObject {
	var o jsonObject
	for d.More() {
		key, _ := jsonToken(d).(string)
		o = append(o, jsonMember{key, jsonValue(d)})
	}
	jsonToken(d) // }
	return o.over(nil)
}

// jsonValue reads any value in its stored form.
func jsonValue(d *json.Decoder) string {
	switch t := jsonToken(d).(type) {
	case json.Delim:
		if t == '{' {
			return jsonMembers(d).text()
		}
		return jsonElements(d)
	case string:
		var out bytes.Buffer
		quote(t, &out)
		return out.String()
	case json.Number:
		return t.String()
	case bool:
		if t {
			return "true"
		}
		return "false"
	}
	return "null"
}

// jsonElements reads a list after its opening bracket.
func jsonElements(d *json.Decoder) string {
	var all []string
	for d.More() {
		all = append(all, jsonValue(d))
	}
	jsonToken(d) // ]
	return "[" + strings.Join(all, ",") + "]"
}
