package exchange

import (
	"errors"

	"kith/internal/jsonline"
)

// nextElement returns the next element of a document. raw is nil if it has a flaw, for which a fault was added.
func (r *Reader) nextElement(d *document) (section string, line int64, raw []byte, err error) {
	section, raw, err = d.next()
	line = d.begin
	switch {
	case errors.Is(err, ErrElementTooLong):
		r.addFault(line, section, "an element has more than %d bytes", MaxLine)
		return section, line, nil, nil
	case err != nil:
		return "", 0, nil, err
	case !r.checkElement(line, section, raw):
		raw = nil
	}
	return section, line, raw, nil
}

// nextLine returns the next line, which is an object. raw is nil for a blank line, and for one with a flaw, for which a
// fault was added.
func (r *Reader) nextLine(lines lineReader) (raw []byte, err error) {
	raw, err = lines.Read()
	line := lines.line()
	switch {
	case errors.Is(err, jsonline.ErrTooLong):
		r.addFault(line, "", "has more than %d bytes", MaxLine)
		return nil, nil
	case err != nil || len(raw) == 0:
		return nil, err
	}
	switch flaw := r.checker.check(raw); {
	case flaw != "" && r.checker.cut && !lines.Ended:
		r.addFault(line, "", "is cut: the file ends in the middle of it, at byte %d", lines.Offset)
	case flaw != "":
		r.addFault(line, "", "%s", flaw)
	case raw[0] != '{':
		r.addFault(line, "", "must be an object")
	default:
		return raw, nil
	}
	return nil, nil
}

// checkElement reports whether an element of a document is an object without a flaw.
func (r *Reader) checkElement(line int64, section string, raw []byte) bool {
	flaw := r.checker.check(raw)
	if flaw == "" && raw[0] != '{' {
		flaw = "must be an object"
	}
	if flaw != "" {
		r.addFault(line, section, "an element %s", flaw)
	}
	return flaw == ""
}
