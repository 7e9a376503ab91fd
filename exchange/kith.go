package exchange

import (
	"errors"
	"io"

	"kith/internal/jsonline"
)

// kithReader reads Kith's own lines.
type kithReader struct {
	*Reader
	*objects
	counted End
	faulty  bool
	ended   bool
	started bool // a line that is not blank was read
}

func (r *kithReader) read() error {
	raw, err := r.objects.read()
	switch {
	case errors.Is(err, io.EOF):
		return r.finish()
	case errors.Is(err, jsonline.ErrTooLong) || errors.Is(err, ErrElementTooLong):
		r.refuse("", "has more than %d bytes", MaxLine)
		return nil
	case err != nil || len(raw) == 0:
		return err
	}
	defer func() { r.started = true }()
	return r.readLine(raw)
}

func (r *kithReader) refuse(location, format string, args ...any) {
	r.started, r.faulty = true, true
	r.addFault(r.line(), location, format, args...)
}

// finish warns if the file does not end with the last line of an export.
func (r *kithReader) finish() error {
	if !r.ended {
		r.addWarning(max(r.line(), 1), "", "the file ends without its last line: it may be cut")
	}
	return io.EOF
}

func (r *kithReader) readLine(raw []byte) error {
	flaw := r.checker.check(raw)
	kind := ItemKind(r.checker.key)
	switch {
	case flaw != "" && r.checker.cut && r.isLast():
		r.refuse("", "is cut: the file ends in the middle of it, at byte %d", r.lines.Offset)
	case flaw != "":
		r.refuse("", "%s", flaw)
	case raw[0] != '{':
		r.refuse("", "must be an object")
	case r.checker.members != 1:
		r.refuse("", "must have exactly one key: kith, node, relationship, statement, pause, refusal, review, trust_rule, preference, chat_tree, chat_turn, version or end")
	case r.checker.value[0] != '{':
		r.refuse("", "the value of its key must be an object")
	case r.ended:
		r.refuse("", "follows the last line of the export")
	case kind == IncompleteItem:
		r.refuse("", "says that the export broke off here: what should follow is missing")
	case kind == HeaderItem:
		return r.readHeader()
	case kind == EndItem:
		r.readEnd()
	default:
		r.addCounted(kind)
	}
	return nil
}

// readHeader reads the version, and refuses a newer one, whose lines may have another meaning.
func (r *kithReader) readHeader() error {
	var h Header
	switch {
	case r.started:
		r.refuse("kith", "must be the first line")
	case !r.decode(r.line(), r.checker.value, &h):
	case h.Version > Version:
		return &DocumentError{Line: r.line(), Column: 1, Message: "the file was written by a newer version of kith"}
	case h.Version < 1:
		r.refuse("kith.version", "must be from 1 to %d", Version)
	default:
		r.addItem(r.line(), HeaderItem, r.checker.value)
	}
	return nil
}

// readEnd compares the counts, unless a line was refused.
func (r *kithReader) readEnd() {
	var end End
	if !r.decode(r.line(), r.checker.value, &end) {
		return
	}
	r.ended = true
	if end.IsTorn() {
		r.addWarning(r.line(), "end.consistent", "the export is not of one moment: what was written while it was made may be there in part")
	}
	if end.Consistent = nil; end != r.counted && !r.faulty {
		r.addWarning(r.line(), "end", "the file has another number of lines than this line says: some may be missing")
	}
	r.addItem(r.line(), EndItem, r.checker.value)
}

func (r *kithReader) addCounted(kind ItemKind) {
	if !r.counted.count(kind) {
		r.refuse("", "has a key that is not kith, node, relationship, statement, pause, refusal, review, trust_rule, preference, chat_tree, chat_turn, version or end")
		return
	}
	r.addItem(r.line(), kind, r.checker.value)
}
