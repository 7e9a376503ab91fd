package exchange

import (
	"io"

	"kith/internal/jsonline"
)

// lineReader reads lines within MaxLine. A returned line is valid until the next call.
type lineReader struct{ *jsonline.Reader }

func newLineReader(in io.Reader) lineReader { return lineReader{jsonline.NewReader(in, MaxLine)} }

// line returns the number of the last line read.
func (r lineReader) line() int64 { return int64(r.Number) }
