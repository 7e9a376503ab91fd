// Package pack compresses what is stored.
package pack

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"sync"
)

// mostUnpacked bounds what Unpack returns, against damaged data.
const mostUnpacked = 64 << 20

// writers are kept, because a new one allocates far more than it writes.
var writers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	return w
}}

// Pack returns the compressed bytes. It is safe for concurrent use.
func Pack(raw []byte) ([]byte, error) {
	w := writers.Get().(*flate.Writer) //nolint:forcetypeassert // what New returns
	defer writers.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	if _, err := w.Write(raw); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return out.Bytes(), nil
}

// Unpack returns what Pack has compressed. It is safe for concurrent use.
func Unpack(packed []byte) ([]byte, error) {
	r := flate.NewReader(bytes.NewReader(packed))
	defer func() { _ = r.Close() }()
	raw, err := io.ReadAll(io.LimitReader(r, mostUnpacked))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return raw, nil
}
