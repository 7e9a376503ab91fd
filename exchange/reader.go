package exchange

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"kith/internal/keytable"
)

// Reader reads one file. Its memory is bounded for any file. It is not safe for concurrent use.
type Reader struct {
	// UserID is the user of the memory from another system's file. It is part of the generated entity keys, so that two
	// users of a team can import the same file. Set it before the first Next. It does not change lines of Kith's format.
	UserID string

	readMore func() error // reads on, and appends to pending
	pending  []result
	taken    int
	seq      int64
	err      error // returned when pending is empty
	warned   map[string]bool
	checker  checker
	place    string          // of the element that is read, within a document; empty: it is a line
	failed   error           // of seen, when a name was remembered
	seen     *keytable.Table // what the elements so far say about later ones; it may be more than fits in memory
}

// result is an item or a fault.
type result struct {
	item  Item
	fault *Fault
}

// NewReader returns a reader for a format, or an error for an unknown format. It must be closed.
func NewReader(r io.Reader, format Format) (*Reader, error) {
	reader := &Reader{warned: map[string]bool{}, seen: keytable.New()}
	switch format {
	case Kith:
		reader.checker.allowsNUL, reader.checker.maxDepth = true, lineDepth
		reader.readMore = (&kithReader{Reader: reader, objects: newObjects(r, isKithLine)}).read
	case MCPMemory:
		reader.readMore = (&mcpReader{Reader: reader, objects: newObjects(r, anyLine, mcpSections...)}).read
	case Graphiti:
		reader.readMore = (&graphitiReader{Reader: reader, document: newDocument(r, graphitiSections)}).read
	case Mem0:
		reader.readMore = (&mem0Reader{Reader: reader, document: newDocument(r, mem0Sections)}).read
	case Zep:
		reader.readMore = (&zepReader{Reader: reader, document: newDocument(r, zepSections)}).read
	case Letta:
		document := newDocument(r, lettaSections)
		document.nestedIn, document.nestedList = "agents", "messages"
		reader.readMore = (&lettaReader{Reader: reader, document: document}).read
	case Cognee:
		reader.readMore = (&cogneeReader{Reader: reader, document: newDocument(r, cogneeSections)}).read
	case LangGraph:
		reader.readMore = (&langGraphReader{Reader: reader, objects: newObjects(r, anyLine, "")}).read
	default:
		return nil, fmt.Errorf("read: the format must be one of %s", formatNames())
	}
	return reader, nil
}

// Close removes the reader's temporary file.
func (r *Reader) Close() error { return r.seen.Close() }

func formatNames() string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

// Next returns the next item, or the fault of the next line, after which reading continues. It returns io.EOF at the
// end. Another error is one of the io.Reader, or a *DocumentError when the rest of a file cannot be read; later calls
// return it again.
func (r *Reader) Next() (Item, *Fault, error) {
	for r.taken == len(r.pending) {
		if r.err != nil {
			return Item{}, nil, r.err
		}
		r.pending, r.taken = r.pending[:0], 0
		r.err = cmp.Or(r.readMore(), r.failed)
	}
	next := r.pending[r.taken]
	r.taken++
	return next.item, next.fault, nil
}

func (r *Reader) addItem(line int64, kind ItemKind, raw json.RawMessage) {
	r.seq++
	r.pending = append(r.pending, result{item: Item{Line: line, Place: r.place, Seq: r.seq, Kind: kind, Raw: raw}})
}

func (r *Reader) addFault(line int64, location, format string, args ...any) {
	r.pending = append(r.pending, result{fault: &Fault{Line: line, Location: within(r.place, location), Message: fmt.Sprintf(format, args...)}})
}

// within returns a location within an element of a document.
func within(place, location string) string {
	if place == "" || location == "" {
		return place + location
	}
	return place + "." + location
}

func (r *Reader) addWarning(line int64, location, format string, args ...any) {
	r.addFault(line, location, format, args...)
	r.pending[len(r.pending)-1].fault.Warning = true
}

// warnOnce adds a warning that may be true of every element only the first time.
func (r *Reader) warnOnce(line int64, location, message string) {
	if !r.warned[message] {
		r.warned[message] = true
		r.addWarning(line, location, "%s", message)
	}
}

// decode decodes a text that has passed Flaw into v. It adds a fault and returns false if the types do not match.
func (r *Reader) decode(line int64, raw []byte, v any) bool {
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(raw, v); {
	case err == nil:
		return true
	case errors.As(err, &wrong):
		r.addFault(line, strings.TrimPrefix(wrong.Field, "fact."), "must be %s", wireType(wrong)) // of an embedded fact
	default:
		r.addFault(line, "", "cannot be read")
	}
	return false
}

// readAs decodes an element, and adds it.
func readAs[T any](r *Reader, line int64, raw []byte, add func(line int64, in *T) error) error {
	var in T
	if !r.decode(line, raw, &in) {
		return nil
	}
	return add(line, &in)
}

func wireType(wrong *json.UnmarshalTypeError) string {
	switch wrong.Type.Kind().String() {
	case "string":
		return "a string"
	case "slice":
		return "a list"
	case "struct", "map":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a number"
}
