package llm

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"
)

func TestNumberTypes(t *testing.T) {
	t.Parallel()
	for dtype, bits := range map[string]string{
		"F64":  "\x00\x00\x00\x00\x00\x00\xf8\xbf",
		"F32":  "\x00\x00\xc0\xbf",
		"F16":  "\x00\xbe",
		"BF16": "\xc0\xbf",
	} {
		header := `{"x":{"dtype":"` + dtype + `","shape":[1],"data_offsets":[0,` + string('0'+rune(len(bits))) + `]}}`
		file := string(rune(len(header))) + "\x00\x00\x00\x00\x00\x00\x00" + header + bits
		tensors, err := openTensors(strings.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := tensors.floats("x", 1); err != nil || len(got) != 1 || got[0] != -1.5 {
			t.Errorf("%s: got %v, %v; want -1.5", dtype, got, err)
		}
	}
}

// TestFromHalf compares with the definition: (-1)^sign × 2^(exponent-15) × 1.fraction.
func TestFromHalf(t *testing.T) {
	t.Parallel()
	for i := range 1 << 16 {
		sign, exponent, fraction := 1-2*float64(i>>15), i>>10&0x1f, float64(i&0x3ff)/1024
		want := sign * math.Ldexp(1+fraction, exponent-15)
		switch {
		case exponent == 0:
			want = sign * math.Ldexp(fraction, -14)
		case exponent == 31 && fraction == 0:
			want = math.Inf(int(sign))
		case exponent == 31:
			want = math.NaN()
		}
		if got := float64(halfToFloat(uint16(i))); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%#04x: got %v, want %v", i, got, want)
		}
	}
}

func FuzzTensors(f *testing.F) {
	for _, name := range []string{"plain", "mapped", "half", "whole"} {
		file, err := os.ReadFile("testdata/" + name + "/model.safetensors")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Add([]byte("\x60\x00\x00\x00\x00\x00\x00\x00" + `{"embeddings":{"dtype":"I8","shape":[9223372036854775807,2],"data_offsets":[0,9223372036854775806]}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		tensors, err := openTensors(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		if numbers, shape, err := tensors.floats("embeddings", 2); err == nil && (len(numbers) != shape[0]*shape[1] || len(numbers) > len(file)) {
			t.Errorf("%d numbers of shape %v in %d bytes", len(numbers), shape, len(file))
		}
		if numbers, err := tensors.integers("mapping"); err == nil && len(numbers) > len(file) {
			t.Errorf("%d numbers in %d bytes", len(numbers), len(file))
		}
	})
}
