package exchange

import (
	"errors"
	"io"
	"strings"
)

// read returns the next byte, and counts its position.
func (d *document) read() (byte, error) {
	b, err := d.in.ReadByte()
	if err != nil {
		return 0, d.endError(err)
	}
	d.column++
	if b == '\n' {
		d.line, d.column = d.line+1, 0
	}
	return b, nil
}

// endError returns an error with a position if the file ends too early.
func (d *document) endError(err error) error {
	if errors.Is(err, io.EOF) && d.state == atStart {
		return d.fail("the file is empty")
	}
	if errors.Is(err, io.EOF) && d.state != afterEnd {
		return d.fail("the file ends in the middle of the document: it may be cut")
	}
	return err
}

// peek skips blanks and returns the next byte without reading it.
func (d *document) peek() (byte, error) {
	for {
		next, err := d.in.Peek(1)
		switch {
		case err != nil:
			return 0, d.endError(err)
		case !isBlank(next[0]):
			return next[0], nil
		}
		if _, err := d.read(); err != nil {
			return 0, err
		}
	}
}

// token reads the next byte that is not blank.
func (d *document) token() (byte, error) {
	if _, err := d.peek(); err != nil {
		return 0, err
	}
	return d.read()
}

// isBlank reports whether JSON allows a byte between tokens.
func isBlank(b byte) bool { return strings.IndexByte(blanks, b) >= 0 }
