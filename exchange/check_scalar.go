package exchange

// text steps over a string, which begins here.
func (c *checker) text() bool {
	for c.at++; c.at < len(c.raw); c.at++ {
		switch b := c.raw[c.at]; {
		case b >= 0x20 && b != '"' && b != '\\':
		case b == '"':
			c.at++
			return true
		case b != '\\' || !c.escape():
			return c.flaw == "" && c.syntaxError()
		}
	}
	return c.syntaxError()
}

// escape steps over an escape up to its last byte.
func (c *checker) escape() bool {
	c.at++
	switch c.current() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		return c.unicode()
	}
	return c.syntaxError()
}

func (c *checker) unicode() bool {
	switch half, ok := c.hex4(); {
	case !ok:
		return c.syntaxError()
	case half == 0:
		return c.fail("must not contain NUL characters (byte %d)", c.at-4)
	case half >= 0xDC00 && half <= 0xDFFF:
		return c.fail("has half a surrogate pair at byte %d", c.at-4)
	case half >= 0xD800 && half <= 0xDBFF:
		return c.lowHalf()
	}
	return true
}

// lowHalf steps over the second half of a surrogate pair.
func (c *checker) lowHalf() bool {
	begin := c.at - 4
	for _, b := range []byte(`\u`) {
		if c.at++; c.current() != b {
			return c.halfPair(begin)
		}
	}
	if low, ok := c.hex4(); !ok || low < 0xDC00 || low > 0xDFFF {
		return c.halfPair(begin)
	}
	return true
}

// halfPair reports half a surrogate pair, or the end of the text if the other half may be missing.
func (c *checker) halfPair(begin int) bool {
	if c.at >= len(c.raw) {
		return c.syntaxError()
	}
	return c.fail("has half a surrogate pair at byte %d", begin)
}

// hex4 reads four hexadecimal digits after the current byte. It stops at the last of them, or at another byte.
func (c *checker) hex4() (n int, ok bool) {
	for range 4 {
		c.at++
		switch b := c.current(); {
		case b >= '0' && b <= '9':
			n = n<<4 | int(b-'0')
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			n = n<<4 | int(b|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return n, true
}

func (c *checker) literal(word string) bool {
	for i := range len(word) {
		if c.current() != word[i] {
			return c.syntaxError()
		}
		c.at++
	}
	return true
}

func (c *checker) number() bool {
	if c.current() == '-' {
		c.at++
	}
	switch b := c.current(); {
	case b == '0':
		c.at++
	case !c.digits():
		return c.syntaxError()
	}
	if c.current() == '.' {
		if c.at++; !c.digits() {
			return c.syntaxError()
		}
	}
	if c.current()|0x20 != 'e' {
		return true
	}
	if c.at++; c.current() == '+' || c.current() == '-' {
		c.at++
	}
	return c.digits() || c.syntaxError()
}

func (c *checker) digits() bool {
	begin := c.at
	for c.current() >= '0' && c.current() <= '9' {
		c.at++
	}
	return c.at > begin
}
