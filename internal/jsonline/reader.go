package jsonline

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrTooLong means that a line exceeds the limit, and was skipped. Reading continues after it.
var ErrTooLong = errors.New("line too long")

// ByteOrderMark precedes the first line of what some programs write.
const ByteOrderMark = "\xef\xbb\xbf"

// Reader reads lines, one at a time. It holds no more than one of them.
type Reader struct {
	Number int   // of the last line that was read, counted from 1
	Offset int64 // its end, in bytes
	Ended  bool  // it has a line break

	in    *bufio.Reader
	limit int
	long  []byte // a line that exceeds the buffer of in
}

// NewReader returns a reader of lines of at most limit bytes. To count offsets from another place than 0, set Offset.
func NewReader(in io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 1<<16), limit: limit}
}

// Read returns the next line without the blanks around it, which is valid until the next call. The line may be empty. A byte
// order mark before the first one is removed. Read returns ErrTooLong, io.EOF after the last line, or an error of the file.
func (r *Reader) Read() ([]byte, error) {
	most := r.limit + len("\r\n")
	line, err := r.in.ReadSlice('\n')
	size := len(line)
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = append(r.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = r.in.ReadSlice('\n')
			if size += len(line); size <= most {
				r.long = append(r.long, line...)
			}
		}
		line = r.long
	}
	if err != nil && (!errors.Is(err, io.EOF) || size == 0) {
		return nil, err
	}
	r.Number++
	r.Offset += int64(size)
	r.Ended = err == nil
	if r.Number == 1 {
		line = bytes.TrimPrefix(line, []byte(ByteOrderMark))
	}
	if line = bytes.TrimSpace(line); size > most || len(line) > r.limit {
		return nil, ErrTooLong
	}
	return line, nil
}
