package system

import (
	"bytes"
	"encoding/json"
	"strings"
)

// File returns the memory as its file: keys in the order of the types, indented by two blanks, texts and numbers
// unchanged, no newline at the end. JSON.stringify(memory, null, 2) returns the same.
func (m Memory) File() []byte {
	var line, out bytes.Buffer
	line.WriteString(`{"entities":`)
	array(&line, m.Entities, Entity.print)
	line.WriteString(`,"relationships":`)
	array(&line, m.Relationships, Relationship.print)
	line.WriteByte('}')
	if err := json.Indent(&out, line.Bytes(), "", "  "); err != nil {
		panic("system: a system's memory is not JSON: " + err.Error()) // it was validated when it was stored
	}
	return out.Bytes()
}

func array[T any](out *bytes.Buffer, list []T, write func(T, *bytes.Buffer)) {
	out.WriteByte('[')
	for i, item := range list {
		if i > 0 {
			out.WriteByte(',')
		}
		write(item, out)
	}
	out.WriteByte(']')
}

func (e Entity) print(out *bytes.Buffer) {
	out.WriteString(`{"name":`)
	quote(e.Name, out)
	out.WriteString(`,"description":`)
	quote(e.Description, out)
	out.WriteString(`,"type":`)
	quote(e.Type, out)
	out.WriteString(`,"tags":`)
	array(out, e.Tags, quote)
	out.WriteString(`,"properties":`)
	out.Write(e.Properties)
	out.WriteByte('}')
}

func (r Relationship) print(out *bytes.Buffer) {
	out.WriteString(`{"from":`)
	quote(r.From, out)
	out.WriteString(`,"to":`)
	quote(r.To, out)
	out.WriteString(`,"type":`)
	quote(r.Type, out)
	out.WriteString(`,"properties":`)
	out.Write(r.Properties)
	out.WriteByte('}')
}

// quote writes a text like JSON.stringify, which escapes only what must be. encoding/json escapes more (U+2028,
// U+2029).
func quote(s string, out *bytes.Buffer) {
	const hex = "0123456789abcdef"
	out.WriteByte('"')
	for _, r := range s {
		if i := strings.IndexRune("\"\\\b\f\n\r\t", r); i >= 0 {
			out.WriteByte('\\')
			out.WriteByte(`"\bfnrt`[i])
		} else if r < ' ' {
			out.WriteString(`\u00`)
			out.WriteByte(hex[r>>4])
			out.WriteByte(hex[r&15])
		} else {
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
}
