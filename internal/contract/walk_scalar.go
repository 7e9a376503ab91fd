package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"kith/internal/fault"
	"kith/internal/jsonline"

	"github.com/danielgtaylor/huma/v2"
)

// leaf records huma's faults of a scalar.
func (p *pass) leaf(s *huma.Schema, value any) {
	if s == nil || len(p.found) >= MaxFaults {
		return
	}
	var found huma.ValidateResult
	huma.Validate(p.Registry, s, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, value, &found)
	for _, err := range found.Errors {
		var detail *huma.ErrorDetail
		if errors.As(err, &detail) {
			detail.Location = string(p.path)
			p.fault(codeOf(detail), Message(detail))
		}
	}
}

// mostBytes is the maximum length of an escaped character.
const mostBytes = len(`\ud83d\ude00`)

// text walks over a string. A string that is certainly too long is not decoded.
func (p *pass) text(s *huma.Schema) bool {
	begin := p.at
	if !p.quoted() || s == nil {
		return p.ended.Message == ""
	}
	quoted := p.raw[begin:p.at]
	switch {
	case s.Type != "" && s.Type != huma.TypeString:
		p.fault(fault.WrongType, expected(s.Type))
	case s.MaxLength != nil && len(quoted) > mostBytes*(*s.MaxLength)+2:
		p.fault(fault.TooLong, fmt.Sprintf("expected length <= %d", *s.MaxLength))
	case len(p.found) < MaxFaults && isBound(s):
		value := string(jsonline.Unquote(quoted))
		if s.Format == "date-time" {
			value = p.withoutLeap(begin, value)
		}
		p.leaf(s, value)
	}
	return true
}

// withoutLeap returns the time that begins at a byte as decoders take it, and notes that.
func (p *pass) withoutLeap(begin int, given string) string {
	at := fault.WithoutLeap(given)
	if at != given {
		p.patches = append(p.patches, patch{begin, p.at, `"` + at + `"`})
	}
	return at
}

// isBound reports whether a schema restricts a string.
func isBound(s *huma.Schema) bool {
	return s.MaxLength != nil || s.MinLength != nil || s.Pattern != "" || s.Format != "" || s.Enum != nil
}

// quoted steps over a string.
func (p *pass) quoted() bool {
	for p.at++; p.at < len(p.raw); p.at++ {
		switch b := p.raw[p.at]; {
		case b == '"':
			p.at++
			return true
		case b < 0x20, b == '\\' && !p.escape():
			return p.ended.Message == "" && p.broken()
		}
	}
	return p.broken()
}

// escape steps over an escape up to its last byte.
func (p *pass) escape() bool {
	if p.at++; p.at >= len(p.raw) {
		return p.broken()
	}
	switch p.raw[p.at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		return p.unicode()
	}
	return p.broken()
}

func (p *pass) unicode() bool {
	begin := p.at - 1
	switch half, ok := p.hex4(); {
	case !ok:
		return p.broken()
	case half >= 0xDC00 && half <= 0xDFFF:
		return p.end("has half a surrogate pair at byte %d", begin)
	case half >= 0xD800 && half <= 0xDBFF:
		if !bytes.HasPrefix(p.raw[p.at+1:], []byte(`\u`)) {
			return p.end("has half a surrogate pair at byte %d", begin)
		}
		p.at += 2
		if low, ok := p.hex4(); !ok || low < 0xDC00 || low > 0xDFFF {
			return p.end("has half a surrogate pair at byte %d", begin)
		}
	}
	return true
}

// hex4 reads four digits after the current byte, and stops at the last of them.
func (p *pass) hex4() (n uint64, ok bool) {
	if p.at+4 >= len(p.raw) {
		return 0, false
	}
	for _, b := range p.raw[p.at+1 : p.at+5] {
		switch {
		case b >= '0' && b <= '9':
			n = n<<4 | uint64(b-'0')
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			n = n<<4 | uint64(b|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	p.at += 4
	return n, true
}

func (p *pass) word(word string, value any, s *huma.Schema) bool {
	if !bytes.HasPrefix(p.raw[p.at:], []byte(word)) {
		return p.broken()
	}
	p.at += len(word)
	p.leaf(s, value)
	return true
}

const (
	shortNumber = 300   // bytes up to which a number without an exponent fits 64 bits
	maxNumber   = 1_000 // bytes
)

func (p *pass) number(s *huma.Schema) bool {
	begin := p.at
	if !p.digitsAndSigns() || p.at-begin > maxNumber {
		return p.notNumber(begin)
	}
	if !json.Valid(p.raw[begin:p.at]) {
		return p.notNumber(begin)
	}
	digits := p.raw[begin:p.at]
	if s == nil && len(digits) < shortNumber && !bytes.ContainsAny(digits, "eE") {
		return true
	}
	value, err := strconv.ParseFloat(string(digits), 64)
	if err != nil {
		return p.end("has a number that is too large at byte %d", begin+1)
	}
	before := len(p.found)
	p.leaf(s, value)
	if s != nil && s.Type == huma.TypeInteger {
		p.whole(begin, len(p.found) > before)
	}
	return true
}

// whole notes how the whole number that begins at a byte is written for decoders. One that cannot be decoded is a fault, if it has none yet:
// validation has the number as a float64, and does not see all.
func (p *pass) whole(begin int, isFault bool) {
	given := string(p.raw[begin:p.at])
	digits, message := Whole(given)
	switch {
	case message == "" && digits != given:
		p.patches = append(p.patches, patch{begin, p.at, digits})
	case message == notWhole && !isFault:
		p.fault(fault.WrongType, message)
	case message != "" && !isFault:
		p.fault(fault.OutOfRange, message)
	}
	p.unread = p.unread || message != ""
}

// notNumber ends the walk at an invalid or too long number.
func (p *pass) notNumber(begin int) bool {
	if p.at-begin > maxNumber {
		return p.end("has a number of more than %d digits at byte %d", maxNumber, begin+1)
	}
	p.at = begin
	return p.broken()
}

// digitsAndSigns steps over the characters of numbers.
func (p *pass) digitsAndSigns() bool {
	begin := p.at
	for p.at < len(p.raw) && (p.raw[p.at] >= '0' && p.raw[p.at] <= '9' || bytes.IndexByte([]byte("+-.eE"), p.raw[p.at]) >= 0) {
		p.at++
	}
	return p.at > begin
}
