package exchange

import (
	"io"

	"kith/internal/jsonline"
)

// lineReader reads lines within MaxLine. A returned line is valid until the next call.
type lineReader struct {
	in     *jsonline.Reader
	number int64 // of the last line read
	offset int64 // its end in the file
	ended  bool  // it had a newline
}

var (
	byteOrderMark  = []byte("\xef\xbb\xbf")
	errLineTooLong = jsonline.ErrTooLong
)

func newLineReader(in io.Reader) *lineReader { return &lineReader{in: jsonline.NewReader(in, MaxLine)} }

// read returns the next line, without blanks around it. It returns errLineTooLong after skipping a line, and io.EOF
// at the end.
func (r *lineReader) read() ([]byte, error) {
	raw, err := r.in.Read()
	r.number, r.offset, r.ended = int64(r.in.Number), r.in.Offset, r.in.Ended
	return raw, err
}
