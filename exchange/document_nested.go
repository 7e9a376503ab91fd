package exchange

import "errors"

// listItem reads an element of a list. If it is an object that may have a nested list, it begins to read its members.
func (d *document) listItem() (raw []byte, done bool, err error) {
	b, err := d.peek()
	if err != nil {
		return nil, false, err
	}
	if d.section != d.nestedIn || b != '{' {
		raw, err = d.value(true)
		return raw, true, err
	}
	_, err = d.token()
	d.head, d.headTooLong, d.headBegin, d.listRead = append(d.head[:0], '{'), false, d.line, false
	d.state, d.first = inElement, true
	return nil, false, err
}

// elementMember reads a member of an element. The element is returned when its nested list begins, and again with the
// members after the list, in the section with the suffix .rest.
func (d *document) elementMember() (section string, raw []byte, done bool, err error) {
	more, err := d.separator('}')
	if err != nil {
		return "", nil, false, err
	}
	if !more {
		return d.endElement()
	}
	key, err := d.value(true)
	if err != nil {
		return "", nil, false, d.keyError(err)
	}
	if key[0] != '"' {
		return "", nil, false, d.fail("expected a key")
	}
	isNested := string(key) == `"`+d.nestedList+`"`
	key = append([]byte(nil), key...)
	if b, err := d.token(); err != nil || b != ':' {
		return "", nil, false, d.errorOr(err, "expected a colon")
	}
	if b, err := d.peek(); err != nil || isNested && b == '[' && !d.listRead {
		if err == nil {
			_, err = d.token()
		}
		d.state, d.first, d.listRead, d.nestedIndex = inNested, true, true, -1
		raw, headErr := d.takeHead()
		return d.section, raw, err == nil, errors.Join(err, headErr)
	}
	return "", nil, false, d.addMember(key)
}

// addMember adds a member to the head of the element, if it fits.
func (d *document) addMember(key []byte) error {
	value, err := d.value(true)
	switch {
	case errors.Is(err, ErrElementTooLong) || err == nil && len(d.head)+len(key)+len(value) > MaxLine-len(`,:}`):
		d.headTooLong = true
		return nil
	case err != nil:
		return err
	}
	if len(d.head) > 1 {
		d.head = append(d.head, ',')
	}
	d.head = append(append(append(d.head, key...), ':'), value...)
	return nil
}

// takeHead returns the members read so far as an object, and begins another.
func (d *document) takeHead() ([]byte, error) {
	raw := d.head
	raw = append(raw, '}')
	d.begin, d.head = d.headBegin, []byte{'{'}
	if d.headTooLong {
		d.headTooLong = false
		return nil, ErrElementTooLong
	}
	return raw, nil
}

func (d *document) endElement() (section string, raw []byte, done bool, err error) {
	d.state, d.first = inList, false
	section = d.section
	if d.listRead {
		section += ".rest"
	}
	raw, err = d.takeHead()
	return section, raw, true, err
}

func (d *document) nestedItem() (raw []byte, done bool, err error) {
	more, err := d.separator(']')
	if err != nil {
		return nil, false, err
	}
	if more {
		d.nestedIndex++
		raw, err = d.value(true)
		return raw, true, err
	}
	d.state, d.first = inElement, false
	return nil, false, nil
}
