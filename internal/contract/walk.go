package contract

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"kith/internal/fault"
)

// Limits of every input. Within them the time and memory of reading, checking and decoding are linear in its length.
const (
	MaxDepth  = 32      // levels of JSON
	MaxValues = 200_000 // values of JSON, members and items among them
	maxList   = 10_000  // items of a list whose schema has no limit, and members of an object
)

// Walk is one pass over the JSON of an input, along its schema. It allocates nothing for the values it reads.
type Walk struct {
	Registry huma.Registry // of the references in Schema
	Schema   *huma.Schema  // nil: any value fits
	Root     string        // prefix of locations: body
	Values   int           // maximum number of values; 0: MaxValues
	All      bool          // reports fewer faults than MaxFaults too, as no validation follows the walk
}

// Faults returns the faults that make reading on pointless: the one that ends the walk (malformed JSON, too many values
// or items), those of an input with a number that cannot be decoded, or the first MaxFaults of an input with as many. With
// nil, decoding and validating the input is cheap, and reports its faults, if any. With All it returns those too.
func (w Walk) Faults(raw []byte) []fault.FieldError {
	_, found := w.Read(raw)
	return found
}

// Read is Faults, and returns the input with its whole numbers and leap seconds as decoders take them.
func (w Walk) Read(raw []byte) (readable []byte, found []fault.FieldError) {
	p := &pass{Walk: w, raw: raw, path: []byte(w.Root), most: w.Values}
	if p.most == 0 {
		p.most = MaxValues
	}
	switch {
	case !utf8.Valid(raw):
		p.end("must be valid UTF-8")
	case !p.value(w.Schema, true):
		if p.ended.Message == "" {
			return raw, Bounded(p.found)
		}
	case p.next() != 0 || p.at < len(raw):
		p.broken()
	case p.All || p.unread || len(p.found) >= MaxFaults:
		return apply(raw, p.patches), Bounded(p.found)
	default:
		return apply(raw, p.patches), nil
	}
	return raw, Bounded([]fault.FieldError{p.ended})
}

// pass is a walk in progress. Its methods return false once it has ended.
type pass struct {
	Walk
	raw    []byte
	at     int
	depth  int
	values int
	most   int
	path   []byte    // of the current value
	names  nameStack // of the open objects
	found  []fault.FieldError
	ended  fault.FieldError // the fault that ended it

	patches []patch
	unread  bool // a number cannot be decoded
}

// end ends the walk with a fault of the whole input.
func (p *pass) end(format string, args ...any) bool {
	p.ended = fault.FieldError{Path: fault.Parse(p.Root), Code: fault.Malformed, Message: fmt.Sprintf(format, args...)}
	return false
}

// endHere ends the walk because the current value has too many items.
func (p *pass) endHere(format string, args ...any) bool {
	p.end(format, args...)
	p.ended.Path, p.ended.Code = p.place(), fault.WrongCount
	return false
}

func (p *pass) broken() bool { return p.end("is not valid JSON at byte %d", min(p.at+1, len(p.raw))) }

// place returns the place of the current value.
func (p *pass) place() fault.Path { return fault.Parse(Clip(string(p.path))) }

// fault records a fault of the current value, up to MaxFaults.
func (p *pass) fault(code fault.Code, message string) {
	if len(p.found) < MaxFaults {
		p.found = append(p.found, fault.FieldError{Path: p.place(), Code: code, Message: message})
	}
}

// value walks over a value. Null is a fault where the schema forbids it.
func (p *pass) value(s *huma.Schema, needed bool) bool {
	if p.values++; p.values > p.most {
		return p.end("must have at most %d values, members and items among them", p.most)
	}
	if s = p.plain(s); s != nil && hasAlternatives(s) {
		return p.alternatives(s)
	}
	switch b := p.next(); b {
	case '{':
		return p.enter() && p.object(p.of(s, huma.TypeObject))
	case '[':
		return p.enter() && p.list(p.of(s, huma.TypeArray))
	case '"':
		return p.text(s)
	case 't':
		return p.word("true", true, s)
	case 'f':
		return p.word("false", false, s)
	case 'n':
		if s != nil && (!needed || s.Nullable) {
			s = nil
		}
		return p.word("null", nil, s)
	}
	return p.number(s)
}

// plain returns a schema without references.
func (p *pass) plain(s *huma.Schema) *huma.Schema {
	for s != nil && s.Ref != "" {
		s = p.Registry.SchemaFromRef(s.Ref)
	}
	return s
}

func hasAlternatives(s *huma.Schema) bool {
	return s.OneOf != nil || s.AnyOf != nil || s.AllOf != nil || s.Not != nil
}

// alternatives walks over a value with several schemas. It is validated as a whole.
func (p *pass) alternatives(s *huma.Schema) bool {
	p.next()
	begin := p.at
	if !p.value(nil, true) {
		return false
	}
	var value any
	if json.Unmarshal(p.raw[begin:p.at], &value) == nil { // otherwise the decoder refuses it later
		p.leaf(s, value)
	}
	return true
}

// of returns the schema of the contents of an object or list; nil when the schema requires another type, which is a
// fault.
func (p *pass) of(s *huma.Schema, kind string) *huma.Schema {
	if s == nil || s.Type == "" || s.Type == kind {
		return s
	}
	p.fault(fault.WrongType, expected(s.Type))
	return nil
}

// expected returns huma's message for a value of another type.
func expected(kind string) string { return "expected " + kind }

func (p *pass) enter() bool {
	p.at++
	p.depth++
	return p.depth <= MaxDepth || p.end("must be nested at most %d deep", MaxDepth)
}

func (p *pass) leave() bool {
	p.at++
	p.depth--
	return true
}

// list walks over the items. A list longer than its limit ends the walk.
func (p *pass) list(s *huma.Schema) bool {
	most, items := bound(s)
	if p.next() == ']' {
		return p.leave()
	}
	begin := len(p.path)
	for count := 0; ; count++ {
		if count == most {
			return p.endHere("expected array length <= %d", most)
		}
		p.path = append(strconv.AppendInt(append(p.path, '['), int64(count), 10), ']')
		if !p.value(items, true) {
			return false
		}
		p.path = p.path[:begin]
		if more, ok := p.goesOn(']'); !ok || !more {
			return ok
		}
	}
}

// bound returns the maximum items of a list, and their schema. A list without a schema is limited by the values of the
// input.
func bound(s *huma.Schema) (most int, items *huma.Schema) {
	switch {
	case s == nil || s.Type != huma.TypeArray:
		return -1, nil
	case s.MaxItems != nil:
		return *s.MaxItems, s.Items
	}
	return maxList, s.Items
}

// goesOn steps over a comma, or over the end of a list or object.
func (p *pass) goesOn(end byte) (more, ok bool) {
	switch p.next() {
	case end:
		return false, p.leave()
	case ',':
		p.at++
		return true, true
	}
	return false, p.broken()
}

// next returns the byte after blanks; 0 at the end.
func (p *pass) next() byte {
	for ; p.at < len(p.raw); p.at++ {
		switch b := p.raw[p.at]; b {
		case ' ', '\t', '\r', '\n':
		default:
			return b
		}
	}
	return 0
}
