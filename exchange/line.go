package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lineReader reads lines within MaxLine. A returned line is valid until the next call.
type lineReader struct {
	in     *bufio.Reader
	number int64 // of the last line read
	begin  int64 // its offset in the file
	offset int64 // its end
	ended  bool  // it had a newline
}

var (
	byteOrderMark  = []byte("\xef\xbb\xbf")
	errLineTooLong = errors.New("line too long")
)

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, MaxLine+2)} // with \r\n
}

// read returns the next line, without blanks around it. It returns errLineTooLong after skipping a line, and io.EOF
// at the end.
func (r *lineReader) read() ([]byte, error) {
	raw, err := r.in.ReadSlice('\n')
	if errors.Is(err, io.EOF) && len(raw) == 0 {
		return nil, io.EOF
	}
	r.number++
	r.begin = r.offset
	r.offset += int64(len(raw))
	tooLong := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		var more []byte
		more, err = r.in.ReadSlice('\n')
		r.offset += int64(len(more))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	r.ended = err == nil
	if r.number == 1 {
		raw = bytes.TrimPrefix(raw, byteOrderMark)
	}
	if raw = bytes.TrimSpace(raw); tooLong || len(raw) > MaxLine {
		return nil, errLineTooLong
	}
	return raw, nil
}
