package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kith/internal/jsonline"
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
	index    int    // of the element in it; -1: the section is an element itself
	begin    int64  // line at which the last value begins
	values   bool   // the document is a sequence of objects, each of which is an element
	foreign  bool   // the file is of another format
	members  int    // of the document
	known    bool   // one of them is a section

	// Elements of the section nestedIn may have a list nestedList whose items are read one by one: all of them may be too much.
	nestedIn, nestedList string
	head                 []byte // the other members of the element
	headBegin            int64
	headTooLong          bool
	listRead             bool // the nested list of the element has been read
	nestedIndex          int  // of the item in the nested list
}

type documentState int

const (
	atStart documentState = iota
	inObject
	inList
	inElement // an object with a nested list
	inNested  // the nested list
	inValues  // between the objects of a sequence
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
		case inValues:
			raw, done, err = d.nextValue()
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
	if d.foreign {
		return d.fail(foreignFile())
	}
	if d.values {
		d.state, d.index = inValues, -1
		return nil
	}
	switch b, err := d.token(); {
	case err != nil:
		return err
	case b == '{':
		d.state = inObject
	case b == '[' && d.sections[""]:
		d.state, d.listed, d.index = inList, true, -1
	case b == '"':
		return d.fail("the file is a JSON text with a document in it: take it out first, for example with jq -r .")
	default:
		return d.fail(foreignFile())
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
	section = string(jsonline.Unquote(key))
	d.members, d.known = d.members+1, d.known || d.sections[section]
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
		d.state, d.section, d.first, d.index = inList, section, true, -1
		return nil, false, err
	}
	d.section, d.index = section, -1
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
		d.index++
		return d.listItem()
	}
	if d.state = inObject; d.listed {
		d.state = afterEnd
	}
	d.first = false
	return nil, false, nil
}

// nextValue reads the next object of a sequence.
func (d *document) nextValue() (raw []byte, done bool, err error) {
	d.state = afterEnd // the file may end here
	if _, err := d.peek(); err != nil {
		return nil, false, err
	}
	d.state = inValues
	d.index++
	raw, err = d.value(true)
	return raw, true, err
}

// place returns where the last element is in the document, such as nodes[3].
func (d *document) place() string {
	place := d.section
	if d.index >= 0 {
		place += "[" + strconv.Itoa(d.index) + "]"
	}
	if d.state == inNested && d.nestedIndex >= 0 {
		place += "." + d.nestedList + "[" + strconv.Itoa(d.nestedIndex) + "]"
	}
	return place
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
	switch {
	case err == nil:
		return d.fail("unexpected text after the document")
	case d.members > 0 && !d.known:
		return d.fail("the document has none of the lists of this format: " + strings.Join(slices.Sorted(maps.Keys(d.sections)), ", "))
	}
	return err // io.EOF
}

// foreignFile is the fault of a file that is not of the format it is read as.
func foreignFile() string {
	return "the file does not begin as one of this format; the formats are " + formatNames()
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
