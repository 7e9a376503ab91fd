package exchange

import "bytes"

// value reads one value to its end. It keeps the bytes only if the value is wanted.
func (d *document) value(wanted bool) ([]byte, error) {
	b, err := d.peek()
	if err != nil {
		return nil, err
	}
	d.begin = d.line
	keep := &valueBuffer{buf: d.buf[:0], limit: d.limit, wanted: wanted}
	switch b {
	case '"':
		err = d.text(keep)
	case '{', '[':
		err = d.brackets(keep)
	default:
		err = d.scalar(keep)
	}
	d.buf = keep.buf[:0]
	if err == nil && keep.tooLong {
		err = ErrElementTooLong
	}
	return keep.buf, err
}

// valueBuffer holds the bytes of a value if they are wanted and not too many.
type valueBuffer struct {
	buf             []byte
	limit           int
	wanted, tooLong bool
}

func (k *valueBuffer) add(b byte) {
	switch {
	case !k.wanted || k.tooLong:
	case len(k.buf) == k.limit:
		k.tooLong = true
	default:
		k.buf = append(k.buf, b)
	}
}

func (d *document) readInto(keep *valueBuffer) (byte, error) {
	b, err := d.read()
	if err == nil {
		keep.add(b)
	}
	return b, err
}

func (d *document) text(keep *valueBuffer) error {
	_, err := d.readInto(keep) // the quote
	for err == nil {
		var b byte
		switch b, err = d.readInto(keep); {
		case err != nil:
		case b == '\\':
			_, err = d.readInto(keep)
		case b == '"':
			return nil
		}
	}
	return err
}

// brackets reads an object or list. Flaw checks later that the brackets match in kind.
func (d *document) brackets(keep *valueBuffer) error {
	for depth := 0; ; {
		b, err := d.skipTo(keep)
		if err != nil {
			return err
		}
		switch b {
		case '"':
			err = d.text(keep)
		case '{', '[':
			depth++
			_, err = d.readInto(keep)
		default:
			depth--
			_, err = d.readInto(keep)
		}
		if err != nil || depth == 0 {
			return err
		}
	}
}

// skipTo reads up to a quote or bracket, and does not read that.
func (d *document) skipTo(keep *valueBuffer) (byte, error) {
	for {
		next, err := d.in.Peek(1)
		if err != nil {
			return 0, d.endError(err)
		}
		switch next[0] {
		case '"', '{', '}', '[', ']':
			return next[0], nil
		}
		if _, err := d.readInto(keep); err != nil {
			return 0, err
		}
	}
}

// scalar reads a number or word. Other bytes, such as a comma, cannot begin a value.
func (d *document) scalar(keep *valueBuffer) error {
	for n := 0; ; n++ {
		next, err := d.in.Peek(1)
		if err != nil {
			return d.endError(err)
		}
		if b := next[0]; isBlank(b) || bytes.IndexByte([]byte(`,]}:"`), b) >= 0 {
			if n == 0 {
				return d.fail("expected a value")
			}
			return nil
		}
		if _, err := d.readInto(keep); err != nil {
			return err
		}
	}
}
