package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"kith/internal/jsonline"
	"kith/internal/jsonname"
)

// document reads the elements of the lists in one JSON document, each within a limit, without holding the rest. It
// finds the ends of values by quotes and brackets alone, so it skips a value that is too large or in an unknown
// section with a few bytes of memory. The decoders of encoding/json and jsontext would hold a whole string of any size.
// The elements have not passed Flaw yet.
type document struct {
	in       *bufio.Reader
	line     int64
	column   int64
	buf      []byte
	limit    int             // bytes of an element
	sections map[string]bool // sections to read; "" is a list at the top
	state    documentState
	first    bool   // nothing of the open list or object has been read
	listed   bool   // the document is a list
	section  string // with the open list
	begin    int64  // line at which the last value begins

	// Elements of the section nestedIn may have a list nestedList whose items are read one by one: all of them may be too much.
	nestedIn, nestedList string
	head                 []byte // the other members of the element
	headBegin            int64
	headTooLong          bool
	listRead             bool // the nested list of the element has been read
}

type documentState int

const (
	atStart documentState = iota
	inObject
	inList
	inElement // an object with a nested list
	inNested  // the nested list
	afterEnd
)

func newDocument(in io.Reader, sections map[string]bool) *document {
	return &document{in: bufio.NewReaderSize(in, 1<<16), line: 1, sections: sections, first: true, limit: MaxLine}
}

// next returns the next element and the section of its list. A section that is an object is one element. It returns
// ErrElementTooLong after skipping an element.
func (d *document) next() (section string, raw []byte, err error) {
	for {
		var done bool
		switch d.state {
		case atStart:
			err = d.start()
		case inObject:
			section, raw, done, err = d.member()
		case inList:
			section = d.section
			raw, done, err = d.element()
		case inElement:
			section, raw, done, err = d.elementMember()
		case inNested:
			section = d.section + "." + d.nestedList
			raw, done, err = d.nestedItem()
		case afterEnd:
			err = d.finish()
		}
		if done || err != nil {
			return section, raw, err
		}
	}
}

func (d *document) start() error {
	switch mark, _ := d.in.Peek(len(jsonline.ByteOrderMark)); {
	case string(mark) == jsonline.ByteOrderMark:
		_, _ = d.in.Discard(len(jsonline.ByteOrderMark))
	case bytes.HasPrefix(mark, []byte("\xff\xfe")) || bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return d.fail("the file is in UTF-16: save it in UTF-8")
	}
	switch b, err := d.token(); {
	case err != nil:
		return err
	case b == '{':
		d.state = inObject
	case b == '[' && d.sections[""]:
		d.state, d.listed = inList, true
	default:
		return d.fail("the document does not begin as one of this format")
	}
	return nil
}

// member reads a key of the document, and opens its list.
func (d *document) member() (section string, raw []byte, done bool, err error) {
	more, err := d.separator('}')
	if err != nil || !more {
		d.state = afterEnd
		return "", nil, false, err
	}
	key, err := d.value(true)
	if err != nil {
		return "", nil, false, d.keyError(err)
	}
	if key[0] != '"' || Flaw(key) != "" {
		return "", nil, false, d.fail("expected a key")
	}
	section = string(jsonname.Plain(key))
	if b, err := d.token(); err != nil || b != ':' {
		return "", nil, false, d.errorOr(err, "expected a colon")
	}
	raw, done, err = d.open(section)
	return section, raw, done, err
}

// open begins the list of a section, or reads the only element of the section.
func (d *document) open(section string) (raw []byte, done bool, err error) {
	b, err := d.peek()
	if err != nil {
		return nil, false, err
	}
	if b == '[' && d.sections[section] {
		_, err = d.token()
		d.state, d.section, d.first = inList, section, true
		return nil, false, err
	}
	wanted := b == '{' && d.sections[section]
	raw, err = d.value(wanted)
	return raw, wanted, err
}

func (d *document) element() (raw []byte, done bool, err error) {
	more, err := d.separator(']')
	if err != nil {
		return nil, false, err
	}
	if more {
		return d.listItem()
	}
	if d.state = inObject; d.listed {
		d.state = afterEnd
	}
	d.first = false
	return nil, false, nil
}

// separator skips what precedes a member or element; more is false at the end of the list or object.
func (d *document) separator(end byte) (more bool, err error) {
	b, err := d.peek()
	if err != nil {
		return false, err
	}
	switch {
	case b == end:
		_, err = d.token()
		return false, err
	case d.first:
		d.first = false
		return true, nil
	case b != ',':
		return false, d.fail("expected a comma or the end of a list or object")
	}
	_, err = d.token()
	return true, err
}

func (d *document) finish() error {
	_, err := d.peek()
	if err == nil {
		return d.fail("unexpected text after the document")
	}
	return err // io.EOF
}

func (d *document) keyError(err error) error {
	if errors.Is(err, ErrElementTooLong) {
		return d.fail("a key is too long")
	}
	return err
}

func (d *document) errorOr(err error, message string) error {
	if err != nil {
		return err
	}
	return d.fail(message)
}

func (d *document) fail(message string) error {
	return &DocumentError{Line: d.line, Column: d.column + 1, Message: message}
}
