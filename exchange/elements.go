package exchange

import (
	"errors"
	"io"
)

// Elements reads the elements of a JSON list, or the objects of a file, one at a time, and holds no more than one of them. It does not check them: see
// FlawWithin.
type Elements struct{ document *document }

// NewElements returns a reader of a list. An element has at most limit bytes.
func NewElements(in io.Reader, limit int) *Elements {
	d := newDocument(in, map[string]bool{"": true})
	d.limit = limit
	return &Elements{d}
}

// NewObjects is NewElements for a file of objects that follow each other, over any number of lines.
func NewObjects(in io.Reader, limit int) *Elements {
	e := NewElements(in, limit)
	e.document.values = true
	return e
}

// ErrElementTooLong means that an element was skipped. Reading continues after it.
var ErrElementTooLong = errors.New("element too long")

// Next returns the next element, which is valid until the next call. It returns ErrElementTooLong for one that exceeds the
// limit, io.EOF after the last, and a *DocumentError if the rest cannot be read.
func (e *Elements) Next() ([]byte, error) {
	_, raw, err := e.document.next()
	return raw, err
}
