// Package decimal reads and compares the numbers of JSON exactly. A float64 has 53 bits of them.
package decimal

import (
	"cmp"
	"strconv"
	"strings"
)

// Decimal is a number: 0.digits times ten to the power of point. Equal numbers are equal values, however they were written.
type Decimal struct {
	negative bool
	digits   string // without zeros at both ends; empty: 0
	point    int
}

// maxPoint bounds exponents: beyond it two numbers of one sign are told apart by their digits only.
const maxPoint = 1 << 40

// Parse reads a number of valid JSON.
func Parse(number string) Decimal {
	unsigned := strings.TrimPrefix(number, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(unsigned), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	significant := strings.TrimLeft(whole+fraction, "0")
	zeros := len(whole) + len(fraction) - len(significant)
	digits := strings.TrimRight(significant, "0")
	if digits == "" {
		return Decimal{}
	}
	power, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
	if err != nil && exponent != "" { // it has more than 64 bits
		power = maxPoint
		if exponent[0] == '-' {
			power = -maxPoint
		}
	}
	power = min(max(power, -maxPoint), maxPoint)
	return Decimal{len(unsigned) < len(number), digits, len(whole) - zeros + power}
}

// Compare returns -1, 0 or 1.
func (d Decimal) Compare(other Decimal) int {
	if d.sign() != other.sign() || d.digits == "" {
		return cmp.Compare(d.sign(), other.sign())
	}
	return d.sign() * cmp.Or(cmp.Compare(d.point, other.point), strings.Compare(d.digits, other.digits))
}

func (d Decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// IsWhole reports whether the number has no fraction.
func (d Decimal) IsWhole() bool { return d.digits == "" || len(d.digits) <= d.point }

// maxDigits is how many digits a number of 64 bits has at most.
const maxDigits = 19

// Int64 returns a whole number; false for one with a fraction, or of more than 64 bits.
func (d Decimal) Int64() (int64, bool) {
	switch {
	case d.digits == "":
		return 0, true
	case !d.IsWhole(), d.point > maxDigits:
		return 0, false
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	n, err := strconv.ParseInt(sign+d.digits+strings.Repeat("0", d.point-len(d.digits)), 10, 64)
	return n, err == nil
}
