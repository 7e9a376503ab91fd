package exchange

import (
	"errors"
	"io"
)

// kithReader reads Kith's own lines.
type kithReader struct {
	*Reader
	lines   *lineReader
	checker checker
	counted End
	faulty  bool
	ended   bool
	any     bool // a line that is not blank has been read
}

func (r *kithReader) read() error {
	raw, err := r.lines.read()
	switch {
	case errors.Is(err, io.EOF):
		return r.finish()
	case errors.Is(err, errLineTooLong):
		r.refuse("", "has more than %d bytes", MaxLine)
		return nil
	case err != nil || len(raw) == 0:
		return err
	}
	defer func() { r.any = true }()
	return r.line(raw)
}

func (r *kithReader) refuse(location, format string, args ...any) {
	r.any, r.faulty = true, true
	r.fault(r.lines.number, location, format, args...)
}

// finish tells whether the end of the file is the end of an export.
func (r *kithReader) finish() error {
	if !r.ended {
		r.warn(max(r.lines.number, 1), "", "the file ends without its last line: it may be cut")
	}
	return io.EOF
}

func (r *kithReader) line(raw []byte) error {
	flaw := r.checker.check(raw)
	kind := ItemKind(r.checker.key)
	switch {
	case flaw != "" && r.checker.cut && !r.lines.ended:
		r.refuse("", "is cut: the file ends in the middle of it, at byte %d", r.lines.offset)
	case flaw != "":
		r.refuse("", "%s", flaw)
	case raw[0] != '{':
		r.refuse("", "must be an object")
	case r.checker.members != 1:
		r.refuse("", "must have exactly one key: kith, node, relationship, preference, chat_tree, chat_turn or end")
	case r.checker.value[0] != '{':
		r.refuse("", "the value of its key must be an object")
	case r.ended:
		r.refuse("", "stands behind the last line of the export")
	case kind == HeaderItem:
		return r.header()
	case kind == EndItem:
		r.end()
	default:
		r.count(kind)
	}
	return nil
}

// header refuses a file whose lines may mean something else than they do here.
func (r *kithReader) header() error {
	var h Header
	switch {
	case r.any:
		r.refuse("kith", "must be the first line")
	case !r.decode(r.lines.number, r.checker.value, &h):
	case h.Version > Version:
		return &DocumentError{Line: r.lines.number, Column: 1, Message: "the file was written by a newer kith"}
	case h.Version < 1:
		r.refuse("kith.version", "must be from 1 to %d", Version)
	default:
		r.item(r.lines.number, HeaderItem, r.checker.value)
	}
	return nil
}

// end compares the counts, unless a line whose kind nobody knows was refused.
func (r *kithReader) end() {
	var end End
	if !r.decode(r.lines.number, r.checker.value, &end) {
		return
	}
	r.ended = true
	if end != r.counted && !r.faulty {
		r.warn(r.lines.number, "end", "the file has not as many lines as this one says: some may be missing")
	}
	r.item(r.lines.number, EndItem, r.checker.value)
}

func (r *kithReader) count(kind ItemKind) {
	switch kind {
	case NodeItem:
		r.counted.Nodes++
	case RelationshipItem:
		r.counted.Relationships++
	case PreferenceItem:
		r.counted.Preferences++
	case ChatTreeItem:
		r.counted.ChatTrees++
	case ChatTurnItem:
		r.counted.ChatTurns++
	default:
		r.refuse("", "has a key that is not kith, node, relationship, preference, chat_tree, chat_turn or end")
		return
	}
	r.item(r.lines.number, kind, r.checker.value)
}
