package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Reader reads one file. Its memory is bounded, whatever the file. It is not for concurrent use.
type Reader struct {
	// UserID is whose memory another system's file becomes: it is part of the entity keys made here, so that two users
	// of a team can import the same file. It must be set before the first Next. Own lines are not changed by it.
	UserID string

	more    func() error // reads on, and puts what it finds into pending
	pending []found
	taken   int
	seq     int64
	err     error // to return when pending is empty
	told    map[string]bool
}

// found is an item or a fault.
type found struct {
	item  Item
	fault *Fault
}

// NewReader reads r in a format. It is an error if there is no such format.
func NewReader(r io.Reader, format Format) (*Reader, error) {
	reader := &Reader{told: map[string]bool{}}
	switch format {
	case Kith:
		reader.more = (&kithReader{Reader: reader, lines: newLineReader(r)}).read
	case MCPMemory:
		reader.more = (&mcpReader{Reader: reader, lines: newLineReader(r)}).read
	case Graphiti:
		reader.more = (&graphitiReader{Reader: reader, document: newDocument(r, graphitiSections)}).read
	case Mem0:
		reader.more = (&mem0Reader{Reader: reader, document: newDocument(r, mem0Sections)}).read
	default:
		return nil, fmt.Errorf("read: the format must be one of %s", formatNames())
	}
	return reader, nil
}

func formatNames() string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

// Next is the next item, or what is wrong with the next line; then reading goes on after it. io.EOF is the end. Another
// error is one of the io.Reader, or a *DocumentError where a file cannot be read on; it stays.
func (r *Reader) Next() (Item, *Fault, error) {
	for r.taken == len(r.pending) {
		if r.err != nil {
			return Item{}, nil, r.err
		}
		r.pending, r.taken = r.pending[:0], 0
		r.err = r.more()
	}
	next := r.pending[r.taken]
	r.taken++
	return next.item, next.fault, nil
}

func (r *Reader) item(line int64, kind ItemKind, raw json.RawMessage) {
	r.seq++
	r.pending = append(r.pending, found{item: Item{Line: line, Seq: r.seq, Kind: kind, Raw: raw}})
}

func (r *Reader) fault(line int64, location, format string, args ...any) {
	r.pending = append(r.pending, found{fault: &Fault{Line: line, Location: location, Message: fmt.Sprintf(format, args...)}})
}

func (r *Reader) warn(line int64, location, format string, args ...any) {
	r.fault(line, location, format, args...)
	r.pending[len(r.pending)-1].fault.Warning = true
}

// warnOnce tells something that may be true of every element only the first time.
func (r *Reader) warnOnce(line int64, location, message string) {
	if !r.told[message] {
		r.told[message] = true
		r.warn(line, location, "%s", message)
	}
}

// decode reads a text that has passed Flaw into v. What is wrong with it is told.
func (r *Reader) decode(line int64, raw []byte, v any) bool {
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(raw, v); {
	case err == nil:
		return true
	case errors.As(err, &wrong):
		r.fault(line, wrong.Field, "must be %s", wireType(wrong))
	default:
		r.fault(line, "", "cannot be read")
	}
	return false
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
