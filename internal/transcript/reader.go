package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the longest line that is read, in bytes. Longer ones, such as those with pictures, are skipped.
const MaxLine = 8 << 20

// ErrEncoding is the error of a file that is not UTF-8 from its first bytes on.
var ErrEncoding = errors.New("the transcript is UTF-16: it must be UTF-8")

// Reader reads messages one at a time. It holds one line in memory.
type Reader struct {
	in              *bufio.Reader
	report          func(Fault)
	line            int
	offset          int64 // of the end of the last complete line
	begun           bool
	raw             []byte
	session, folder string // of the last line that named them
}

// NewReader returns a reader of a file from offset on, which is 0 or an earlier result of Offset. Report receives a fault
// for each line that is skipped because something is wrong with it, and for a time that is ignored.
func NewReader(in io.Reader, offset int64, report func(Fault)) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 64<<10), offset: offset, report: report, begun: offset > 0}
}

// Offset returns how far complete lines have been read, in bytes from the beginning of the file.
func (r *Reader) Offset() int64 { return r.offset }

// Read returns the next message, or io.EOF after the last. A last line that is cut short is reported, and Offset stays before it.
func (r *Reader) Read() (Message, error) {
	for {
		start := r.offset
		complete, err := r.readLine()
		if err != nil {
			r.offset = start
			return Message{}, err
		}
		line, known, fault := r.parse(bytes.TrimSpace(r.raw), start)
		switch {
		case fault != "" && !complete:
			r.offset = start
			r.report(Fault{r.line, "is cut short: it is read when the agent has finished it", false})
			return Message{}, io.EOF
		case fault != "":
			r.report(Fault{r.line, fault, false})
		case known:
			return line, nil
		}
	}
}

// readLine reads the next line that is not too long into raw. It returns false for a last line without a line break.
func (r *Reader) readLine() (complete bool, err error) {
	for {
		r.raw = r.raw[:0]
		tooLong := false
		for {
			part, err := r.in.ReadSlice('\n')
			r.offset += int64(len(part))
			if tooLong = tooLong || len(r.raw)+len(part) > MaxLine+1; !tooLong {
				r.raw = append(r.raw, part...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil && (!errors.Is(err, io.EOF) || len(r.raw) == 0 && !tooLong) {
				return false, err
			}
			complete = err == nil
			break
		}
		r.line++
		if err := r.begin(); err != nil {
			return false, err
		}
		if !tooLong {
			return complete, nil
		}
		r.report(Fault{r.line, fmt.Sprintf("exceeds %d bytes", MaxLine), false})
	}
}

// begin checks the first bytes of the file, and removes a byte order mark.
func (r *Reader) begin() error {
	if r.begun {
		return nil
	}
	r.begun = true
	if bytes.HasPrefix(r.raw, []byte{0xff, 0xfe}) || bytes.HasPrefix(r.raw, []byte{0xfe, 0xff}) {
		return ErrEncoding
	}
	r.raw = bytes.TrimPrefix(r.raw, []byte("\ufeff"))
	return nil
}
