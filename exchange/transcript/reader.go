package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"kith/internal/jsonline"
)

// MaxLine is the longest line that is read, in bytes. Longer ones, such as those with pictures, are skipped.
const MaxLine = 8 << 20

// ErrEncoding is the error of a file that is not UTF-8 from its first bytes on.
var ErrEncoding = errors.New("the transcript is UTF-16: it must be UTF-8")

// Reader reads messages one at a time. It holds one line in memory.
type Reader struct {
	Follows func(id, parent string) // called with each line that follows another one, also without a message; may be nil

	lines   *jsonline.Reader
	report  func(Fault)
	offset  int64  // of the end of the last complete line
	session string // of the last line that named it
}

// NewReader returns a reader of a file from offset on, which is 0 or an earlier result of Offset. Report receives a fault
// for each line that is skipped because something is wrong with it, and for a time that is ignored.
func NewReader(in io.Reader, offset int64, report func(Fault)) *Reader {
	lines := jsonline.NewReader(in, MaxLine)
	lines.Offset = offset
	return &Reader{lines: lines, offset: offset, report: report}
}

// Offset returns how far complete lines have been read, in bytes from the beginning of the file.
func (r *Reader) Offset() int64 { return r.offset }

// Read returns the next message, or io.EOF after the last. A last line that is cut short is reported, and Offset stays before it.
func (r *Reader) Read() (Message, error) {
	for {
		raw, err := r.readLine()
		if err != nil {
			return Message{}, err
		}
		line, known, fault := r.parse(raw, r.offset)
		if fault != "" && !r.lines.Ended {
			r.reportFault("is cut short: it is read when the agent has finished it")
			return Message{}, io.EOF
		}
		r.offset = r.lines.Offset
		switch {
		case fault != "":
			r.reportFault(fault)
		case known:
			return line, nil
		}
	}
}

// readLine returns the next line that is not too long.
func (r *Reader) readLine() ([]byte, error) {
	for {
		raw, err := r.lines.Read()
		switch {
		case errors.Is(err, jsonline.ErrTooLong):
			r.reportFault(fmt.Sprintf("exceeds %d bytes", MaxLine))
		case err == nil && r.offset == 0 && r.lines.Number == 1 && isUTF16(raw):
			return nil, ErrEncoding
		default:
			return raw, err
		}
	}
}

func (r *Reader) reportFault(message string) { r.report(Fault{Line: r.lines.Number, Message: message}) }

func isUTF16(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte{0xff, 0xfe}) || bytes.HasPrefix(raw, []byte{0xfe, 0xff})
}
