package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// maxLine is how many bytes a line on standard input has at most.
const maxLine = 16 << 20

// lineReader reads messages that are separated by line breaks.
type lineReader struct {
	in      *bufio.Reader
	begun   bool
	longest int // bytes of a line
}

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10), longest: maxLine}
}

// next returns the next message, without blank lines, and without the byte order mark that some programs begin with. For a line that is no
// message it returns a refusal; after it, the next line can be read. Any other error is the input's.
func (l *lineReader) next() (envelope, error) {
	for {
		text, long, err := l.line()
		if !l.begun {
			text, l.begun = bytes.TrimPrefix(text, []byte("\ufeff")), true
		}
		if long != nil {
			return envelope{}, &refusal{id: long.id(), code: invalidRequest, text: "a message must have at most 16 MiB"}
		}
		if text = bytes.Trim(text, " \t\r\n"); len(text) > 0 {
			return readEnvelope(text)
		}
		if err != nil {
			return envelope{}, err
		}
	}
}

// line returns a line, or what finds the id of one that is too long.
func (l *lineReader) line() (text []byte, long *idFinder, err error) {
	for {
		piece, err := l.in.ReadSlice('\n')
		switch {
		case long != nil:
			long.read(piece)
		case len(text)+len(piece) > l.longest:
			long = &idFinder{}
			long.read(text)
			long.read(piece)
			text = nil
		default:
			text = append(text, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, long, err
		}
	}
}

// idFinder finds the id of a message while the message passes.
type idFinder struct {
	depth    int
	quoted   bool
	escaped  bool
	inValue  bool   // of a member of the message
	name     []byte // of that member
	value    []byte // of the member id
	overlong bool
}

// read passes a piece of the message.
func (f *idFinder) read(piece []byte) {
	for _, b := range piece {
		f.step(b)
	}
}

func (f *idFinder) step(b byte) {
	top := f.depth == 1
	switch {
	case f.quoted:
		f.quoted = f.escaped || b != '"'
		f.escaped = !f.escaped && b == '\\'
	case b == '"':
		f.quoted = true
	case b == '{' || b == '[':
		f.depth++
	case b == '}' || b == ']':
		f.depth--
	case b == ':' && top:
		f.inValue = true
		return
	case b == ',' && top:
		f.inValue, f.name = false, nil
		return
	}
	switch {
	case !top || f.depth != 1:
	case !f.inValue:
		f.name = appendShort(f.name, b)
	case string(bytes.TrimSpace(f.name)) == `"id"`:
		f.value = appendShort(f.value, b)
	}
}

// appendShort appends to a text that is not yet longer than any id.
func appendShort(text []byte, b byte) []byte {
	if len(text) > maxName {
		return text
	}
	return append(text, b)
}

// id returns the id; nil if there is none, or none that can be answered.
func (f *idFinder) id() json.RawMessage {
	if id := bytes.TrimSpace(f.value); len(id) <= maxName && json.Valid(id) && isID(id) {
		return id
	}
	return nil
}

// lineWriter writes messages, each in a line of its own. It is safe for concurrent use.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer
}

// write writes a message, which has no line breaks.
func (w *lineWriter) write(message []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.out.Write(append(message, '\n'))
	return err
}

// refuse answers a message that is not taken.
func (w *lineWriter) refuse(r *refusal) error { return w.write(r.answer()) }
