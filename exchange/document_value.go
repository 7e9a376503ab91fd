package exchange

import "bytes"

// value reads one value up to its end; if it is not wanted, without keeping it.
func (d *document) value(wanted bool) ([]byte, error) {
	b, err := d.peek()
	if err != nil {
		return nil, err
	}
	d.begin = d.line
	keep := &keeper{buf: d.buf[:0], wanted: wanted}
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
		err = errElementTooLong
	}
	return keep.buf, err
}

// keeper holds the bytes of a value, as far as they are wanted and not too many.
type keeper struct {
	buf             []byte
	wanted, tooLong bool
}

func (k *keeper) add(b byte) {
	switch {
	case !k.wanted || k.tooLong:
	case len(k.buf) == MaxLine:
		k.tooLong = true
	default:
		k.buf = append(k.buf, b)
	}
}

func (d *document) step(keep *keeper) (byte, error) {
	b, err := d.read()
	if err == nil {
		keep.add(b)
	}
	return b, err
}

func (d *document) text(keep *keeper) error {
	_, err := d.step(keep) // the quote
	for err == nil {
		var b byte
		switch b, err = d.step(keep); {
		case err != nil:
		case b == '\\':
			_, err = d.step(keep)
		case b == '"':
			return nil
		}
	}
	return err
}

// brackets reads an object or list. That the brackets match in kind is for Flaw to see.
func (d *document) brackets(keep *keeper) error {
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
			_, err = d.step(keep)
		default:
			depth--
			_, err = d.step(keep)
		}
		if err != nil || depth == 0 {
			return err
		}
	}
}

// skipTo reads up to a quote or bracket, which is left to be read.
func (d *document) skipTo(keep *keeper) (byte, error) {
	for {
		next, err := d.in.Peek(1)
		if err != nil {
			return 0, d.ended(err)
		}
		switch next[0] {
		case '"', '{', '}', '[', ']':
			return next[0], nil
		}
		if _, err := d.step(keep); err != nil {
			return 0, err
		}
	}
}

// scalar reads a number or word. Something else, such as a comma, cannot begin a value.
func (d *document) scalar(keep *keeper) error {
	for n := 0; ; n++ {
		next, err := d.in.Peek(1)
		if err != nil {
			return d.ended(err)
		}
		if b := next[0]; isBlank(b) || bytes.IndexByte([]byte(`,]}:"`), b) >= 0 {
			if n == 0 {
				return d.fail("a value is expected here")
			}
			return nil
		}
		if _, err := d.step(keep); err != nil {
			return err
		}
	}
}
