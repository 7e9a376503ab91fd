package contract

import (
	"bytes"
	"strconv"
	"strings"

	"kith/internal/decimal"
)

// patch is a part of an input that is rewritten before it is decoded.
type patch struct {
	begin, end int
	text       string
}

// apply returns an input with its patches, which are in its order.
func apply(raw []byte, patches []patch) []byte {
	if len(patches) == 0 {
		return raw
	}
	var b bytes.Buffer
	at := 0
	for _, p := range patches {
		b.Write(raw[at:p.begin])
		b.WriteString(p.text)
		at = p.end
	}
	b.Write(raw[at:])
	return b.Bytes()
}

const (
	notWhole   = "expected integer"
	notInRange = "must be a whole number of at most 64 bits"
)

// Whole returns the digits of a JSON number that is whole, however it is written: 3, 3.0, 30e-1. Decoders take the first form
// only. The fault is empty if the number is whole and has at most 64 bits.
func Whole(number string) (digits, fault string) {
	d := decimal.Parse(number)
	n, fits := d.Int64()
	switch {
	case !d.IsWhole():
		return "", notWhole
	case !fits:
		return "", notInRange
	case !strings.ContainsAny(number, ".eE"):
		return number, ""
	}
	return strconv.FormatInt(n, 10), ""
}
