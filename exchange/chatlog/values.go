package chatlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"kith/exchange"
	"kith/internal/jsonline"
)

// values reads the JSON objects of a file, one at a time: the elements of a list, one a line, or one after the other over several lines.
type values struct {
	elements *exchange.Elements // nil: one a line
	lines    *jsonline.Reader
	count    int    // values read
	place    string // before the number of a value
}

var (
	errNotJSON = errors.New("the file is not JSON: expected a list [ or an object {")
	errUTF16   = errors.New("the file is UTF-16: convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8")
	errEmpty   = errors.New("the file is empty")
)

// newValues returns a reader of a file's values. The first byte decides whether it is a list.
func newValues(in io.Reader, place string) (*values, error) {
	buffered := bufio.NewReaderSize(in, 1<<16)
	if err := checkEncoding(buffered); err != nil {
		return nil, err
	}
	first, err := peekPastBlanks(buffered)
	switch {
	case err != nil:
		return nil, err
	case first == '[':
		return &values{elements: exchange.NewElements(buffered, maxConversation), place: place}, nil
	case first == '{' && spansLines(buffered):
		return &values{elements: exchange.NewObjects(buffered, maxConversation), place: place}, nil
	case first == '{':
		return &values{lines: jsonline.NewReader(buffered, maxConversation), place: place}, nil
	}
	return nil, errNotJSON
}

// checkEncoding skips a byte order mark of UTF-8, and returns an error for UTF-16.
func checkEncoding(in *bufio.Reader) error {
	start, _ := in.Peek(len(jsonline.ByteOrderMark))
	switch {
	case len(start) == 0:
		return errEmpty
	case string(start) == jsonline.ByteOrderMark:
		_, _ = in.Discard(len(jsonline.ByteOrderMark))
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")), len(start) > 1 && (start[0] == 0 || start[1] == 0):
		return errUTF16
	}
	return nil
}

// peekPastBlanks returns the first byte that is not blank, without reading it.
func peekPastBlanks(in *bufio.Reader) (byte, error) {
	for size := 512; ; size *= 2 {
		start, err := in.Peek(size)
		if rest := bytes.TrimLeft(start, " \t\r\n"); len(rest) > 0 {
			return rest[0], nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return 0, errEmpty
		case errors.Is(err, bufio.ErrBufferFull):
			return 0, errNotJSON
		case err != nil:
			return 0, err
		}
	}
}

// spansLines reports whether the first object goes on after its first line.
func spansLines(in *bufio.Reader) bool {
	begin, _ := in.Peek(in.Size())
	return exchange.SpansLines(bytes.TrimLeft(begin, " \t\r\n"))
}

// next returns the next object and its place. It returns a *Fault for one that cannot be read.
func (v *values) next() (raw []byte, place string, err error) {
	if v.elements == nil {
		for raw, err = v.lines.Read(); err == nil && len(raw) == 0; {
			raw, err = v.lines.Read()
		}
		return checkValue(raw, fmt.Sprintf("%sline %d", v.place, v.lines.Number), !v.lines.Ended, err)
	}
	raw, err = v.elements.Next()
	v.count++
	return checkValue(raw, fmt.Sprintf("%sconversation %d", v.place, v.count), false, err)
}

// checkValue returns a *Fault for a value that is too long or has a flaw. Cut means that the file ends after it without a line break.
func checkValue(raw []byte, place string, cut bool, err error) ([]byte, string, error) {
	if errors.Is(err, exchange.ErrElementTooLong) || errors.Is(err, jsonline.ErrTooLong) {
		return nil, place, &Fault{place, fmt.Sprintf("exceeds %d bytes", maxConversation)}
	}
	if err != nil {
		return nil, place, err
	}
	flaw := exchange.FlawWithin(raw, maxDepth, maxValues)
	switch {
	case flaw != "" && cut && strings.HasPrefix(flaw, "ends in the middle"):
		return nil, place, &Fault{place, "is cut: the file ends in the middle of it"}
	case flaw != "":
		return nil, place, &Fault{place, flaw}
	case raw[0] != '{':
		return nil, place, &Fault{place, "must be a JSON object"}
	}
	return raw, place, nil
}

// documents reads files in which each object is a conversation.
type documents struct {
	*values
	now   time.Time
	parse func(raw []byte, c *Conversation) error
}

func (d *documents) next() (*Conversation, error) {
	raw, place, err := d.values.next()
	if err != nil {
		return nil, err
	}
	c := &Conversation{Place: place, NotTaken: map[Reason]int64{}}
	if err := d.parse(raw, c); err != nil {
		return nil, &Fault{place, describe(err)}
	}
	if err := c.settle(d.now); err != nil {
		return nil, err
	}
	return c, nil
}

// describe returns what is wrong with a value, without quoting it.
func describe(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Sprintf("%s must not be a JSON %s", wrong.Field, strings.Fields(wrong.Value)[0])
	}
	return err.Error()
}
