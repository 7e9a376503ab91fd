package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"kith/internal/jsonline"
)

// objects reads the JSON objects of a file: one a line, or in a list, in the lists of an object, or one after the other over
// several lines. What the file begins with decides.
type objects struct {
	lines    lineReader
	document *document // nil: lines
}

// beginBytes is how much of a file is looked at to know how its objects are written.
const beginBytes = 1 << 16

// newObjects returns a reader of objects, or of the elements of the lists of one object that begins with one of the sections; "" is a
// list of objects. isLine reports whether an object with a first key is a line of the format. If the first line does not say what the
// file is, what follows it does.
func newObjects(in io.Reader, isLine func(key string) bool, sections ...string) *objects {
	buffered := bufio.NewReaderSize(&failing{in: in}, beginBytes)
	all := map[string]bool{}
	for _, section := range sections {
		all[section] = true
	}
	d := newDocument(buffered, all)
	begin, err := peekLine(buffered)
	if !bytes.Contains(begin, []byte("\n")) || !isLine(firstKey(begin)) {
		begin, err = buffered.Peek(beginBytes)
		begin = trimBegin(begin)
	}
	switch isList := bytes.HasPrefix(begin, []byte("[")); {
	case isList && all[""], all[firstKey(begin)]:
		return &objects{document: d}
	case SpansLines(begin) && isLine(firstKey(begin)):
		d.values = true
		return &objects{document: d}
	case len(begin) > 0 && (err == nil || errors.Is(err, io.EOF)) && !hasLine(begin, isLine):
		d.foreign = true
		return &objects{document: d}
	}
	return &objects{lines: newLineReader(buffered)}
}

// peekLine returns what the file begins with, up to a line break or more, so that lines are stored as they come.
func peekLine(in *bufio.Reader) (begin []byte, err error) {
	for seen := 0; err == nil && seen < beginBytes && bytes.IndexByte(begin, '\n') < 0; {
		_, err = in.Peek(seen + 1)
		begin, _ = in.Peek(in.Buffered())
		begin, seen = begin[seen:], len(begin)
	}
	begin, _ = in.Peek(in.Buffered())
	return trimBegin(begin), err
}

func trimBegin(begin []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(begin, []byte(jsonline.ByteOrderMark)), blanks)
}

// failing reads until the first error, which is that of all reads after it.
type failing struct {
	in  io.Reader
	err error
}

func (f *failing) Read(p []byte) (n int, err error) {
	if f.err == nil {
		n, f.err = f.in.Read(p)
	}
	return n, f.err
}

// hasLine reports whether a line of the beginning of a file is one of the format.
func hasLine(begin []byte, isLine func(key string) bool) bool {
	for line := range bytes.Lines(begin) {
		if isLine(firstKey(bytes.TrimLeft(line, blanks))) {
			return true
		}
	}
	return false
}

// firstKey returns the first key of an object as it is written; a blank if there is none.
func firstKey(begin []byte) string {
	rest, isObject := bytes.CutPrefix(begin, []byte("{"))
	rest, isText := bytes.CutPrefix(bytes.TrimLeft(rest, blanks), []byte(`"`))
	end := bytes.IndexByte(rest, '"')
	if !isObject || !isText || end < 0 {
		return " "
	}
	return string(rest[:end])
}

// SpansLines reports whether the object that a file begins with goes on after its first line. That ends after a bracket, a comma or a
// colon, because no text has a line break.
func SpansLines(begin []byte) bool {
	first, _, more := bytes.Cut(begin, []byte("\n"))
	first = bytes.TrimRight(first, blanks)
	return more && bytes.HasPrefix(first, []byte("{")) && len(first) > 0 && strings.IndexByte("{[,:", first[len(first)-1]) >= 0
}

// nextObject returns the next object and the section that it is in. raw is nil for a blank line, and for an object with a flaw, for which a
// fault was added.
func (r *Reader) nextObject(in *objects) (section string, line int64, raw []byte, err error) {
	if in.document != nil {
		return r.nextElement(in.document)
	}
	raw, err = r.nextLine(in.lines)
	return "", in.lines.line(), raw, err
}

// read returns the next object, or an empty line.
func (o *objects) read() (raw []byte, err error) {
	if o.document == nil {
		return o.lines.Read()
	}
	_, raw, err = o.document.next()
	return raw, err
}

// line returns the number of the line at which the last object begins.
func (o *objects) line() int64 {
	if o.document == nil {
		return o.lines.line()
	}
	return o.document.begin
}

// isLast reports whether the file ends after the last line without a line break.
func (o *objects) isLast() bool { return o.document == nil && !o.lines.Ended }

// anyLine is isLine of formats whose objects have no first key of their own.
func anyLine(key string) bool { return key != " " }

// isKithLine reports whether an object with a first key may be one of Kith's own lines.
func isKithLine(key string) bool { return slices.Contains(itemKinds, ItemKind(key)) }
