package exchange

import (
	"errors"

	"kith/internal/jsonline"
)

// nextElement returns the next element of a document. raw is nil if it has a flaw, for which a fault was added.
func (r *Reader) nextElement(d *document) (section string, line int64, raw []byte, err error) {
	return r.nextImported(d, nil)
}

// nextImported is nextElement for a document with sections that are not imported, for the reasons in skipped. Of those raw is nil.
func (r *Reader) nextImported(d *document, skipped map[string]string) (section string, line int64, raw []byte, err error) {
	section, raw, err = d.next()
	line, r.place = d.begin, d.place()
	tooLong := errors.Is(err, ErrElementTooLong)
	if err != nil && !tooLong {
		return "", 0, nil, err
	}
	switch reason, skip := skipped[section]; {
	case skip:
		r.warnOnce(line, "", reason)
		return section, line, nil, nil
	case tooLong:
		r.addFault(line, "", "has more than %d bytes", MaxLine)
		return section, line, nil, nil
	case !r.checkElement(line, raw):
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
func (r *Reader) checkElement(line int64, raw []byte) bool {
	flaw := r.checker.check(raw)
	if flaw == "" && raw[0] != '{' {
		flaw = "must be an object"
	}
	if flaw != "" {
		r.addFault(line, "", "%s", flaw)
	}
	return flaw == ""
}
