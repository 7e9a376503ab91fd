package decimal

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// anyNumber is a JSON number; some are close to each other.
var anyNumber = rapid.OneOf(
	rapid.StringMatching(`-?(0|[1-9][0-9]{0,22})(\.[0-9]{0,5}[0-9])?([eE][+-]?[0-9]{1,3})?`),
	rapid.Custom(func(t *rapid.T) string { // whole, though it does not look so
		return fmt.Sprintf("%d00000e-%d", rapid.Int64().Draw(t, "n"), rapid.IntRange(0, 6).Draw(t, "e"))
	}),
	rapid.Map(rapid.IntRange(-4, 4), func(n int) string { return fmt.Sprint(int64(1)<<53 + int64(n)) }),
	rapid.SampledFrom([]string{"0", "-0", "0.0", "0e9", "1", "1.0", "10e-1", "0.1", "1e-1", "-1", "9223372036854775807", "9223372036854775808", "-9223372036854775808"}),
)

func exact(t *testing.T, number string) *big.Rat {
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		t.Fatal(number)
	}
	return r
}

// Numbers are compared as exactly as fractions are, and equal ones are equal values.
func TestCompare(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		a, b := anyNumber.Draw(r, "a"), anyNumber.Draw(r, "b")
		want := exact(t, a).Cmp(exact(t, b))
		if got := Parse(a).Compare(Parse(b)); got != want || (Parse(a) == Parse(b)) != (want == 0) {
			r.Errorf("%s and %s: %d, want %d", a, b, got, want)
		}
	})
}

// A number is whole, and has 64 bits, as its fraction is.
func TestInt64(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		number := anyNumber.Draw(r, "number")
		want := exact(t, number)
		n, fits := Parse(number).Int64()
		if Parse(number).IsWhole() != want.IsInt() || fits != (want.IsInt() && want.Num().IsInt64()) || fits && n != want.Num().Int64() {
			r.Errorf("%s: %d %t", number, n, fits)
		}
	})
}

// Exponents of any length cost nothing.
func TestLongExponents(t *testing.T) {
	t.Parallel()
	ordered := []string{"-1e99999999999999999999", "-1e999", "-1e-99999999999999999999", "0e99999999999999999999", "1e-99999999999999999999", "1e-999999999", "1", "1e999999999", "1e99999999999999999999"}
	for i := range ordered[1:] {
		if got := Parse(ordered[i]).Compare(Parse(ordered[i+1])); got != -1 {
			t.Errorf("%s and %s: %d", ordered[i], ordered[i+1], got)
		}
	}
}
