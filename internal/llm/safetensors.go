package llm

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// tensors reads a file in the safetensors format: a length of 8 bytes, a JSON header of that length with the position
// of each tensor, then their numbers, little-endian. The header is not trusted: no more is allocated than the file
// has numbers.
type tensors struct {
	file   io.ReaderAt
	data   int64 // where the tensors begin
	size   int64 // of all tensors
	header map[string]tensor
}

type tensor struct {
	DType   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

const maxHeader = 1 << 20 // a model has three tensors

var numberSizes = map[string]int64{"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I8": 1, "I32": 4, "I64": 8}

func openTensors(file io.ReaderAt, size int64) (*tensors, error) {
	var prefix [8]byte
	if _, err := file.ReadAt(prefix[:], 0); err != nil {
		return nil, errors.New("it has no header")
	}
	length := binary.LittleEndian.Uint64(prefix[:])
	if length > maxHeader || int64(length) > size-8 {
		return nil, errors.New("its header is longer than allowed")
	}
	text := make([]byte, length)
	if _, err := file.ReadAt(text, 8); err != nil {
		return nil, errors.New("its header cannot be read")
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, errors.New("its header is not JSON")
	}
	t := &tensors{file: file, data: 8 + int64(length), size: size - 8 - int64(length), header: map[string]tensor{}}
	for name, value := range raw {
		var one tensor
		if name == "__metadata__" {
			continue
		}
		if err := json.Unmarshal(value, &one); err != nil {
			return nil, errors.New("its header does not describe tensors")
		}
		t.header[name] = one
	}
	return t, nil
}

// has reports whether there is a tensor with that name.
func (t *tensors) has(name string) bool {
	_, ok := t.header[name]
	return ok
}

// floats returns the tensor's numbers, row by row, and its shape with the given number of dimensions.
func (t *tensors) floats(name string, dimensions int) ([]float32, []int, error) {
	section, one, shape, err := t.section(name, dimensions)
	if err != nil {
		return nil, nil, err
	}
	var convert func(b []byte) float32
	switch one.DType {
	case "F64":
		convert = func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) }
	case "F32":
		convert = func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
	case "F16":
		convert = func(b []byte) float32 { return halfToFloat(binary.LittleEndian.Uint16(b)) }
	case "BF16":
		convert = func(b []byte) float32 { return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16) }
	case "I8":
		convert = func(b []byte) float32 { return float32(int8(b[0])) }
	default:
		return nil, nil, fmt.Errorf("tensor %s has an unknown type of numbers", name)
	}
	numbers, err := decode(section, numberSizes[one.DType], convert)
	if err != nil {
		return nil, nil, fmt.Errorf("tensor %s: %w", name, err)
	}
	for _, x := range numbers {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, nil, fmt.Errorf("tensor %s: not all of its numbers are finite", name)
		}
	}
	return numbers, shape, nil
}

// integers is the numbers of a tensor with one dimension.
func (t *tensors) integers(name string) ([]int64, error) {
	section, one, _, err := t.section(name, 1)
	if err != nil {
		return nil, err
	}
	var convert func(b []byte) int64
	switch one.DType {
	case "I32":
		convert = func(b []byte) int64 { return int64(int32(binary.LittleEndian.Uint32(b))) }
	case "I64":
		convert = func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }
	default:
		return nil, fmt.Errorf("tensor %s: its numbers are not whole", name)
	}
	numbers, err := decode(section, numberSizes[one.DType], convert)
	if err != nil {
		return nil, fmt.Errorf("tensor %s: %w", name, err)
	}
	return numbers, nil
}

// section returns the part of the file with a tensor, after checking that it lies in the file and has the length that
// its shape and type require.
func (t *tensors) section(name string, dimensions int) (*io.SectionReader, tensor, []int, error) {
	one, ok := t.header[name]
	if !ok {
		return nil, one, nil, fmt.Errorf("tensor %s is missing", name)
	}
	begin, end := one.Offsets[0], one.Offsets[1]
	if begin < 0 || end < begin || end > t.size {
		return nil, one, nil, fmt.Errorf("tensor %s is not in the file", name)
	}
	if len(one.Shape) != dimensions {
		return nil, one, nil, fmt.Errorf("tensor %s must have %d dimensions", name, dimensions)
	}
	bytes, known := numberSizes[one.DType]
	shape := make([]int, dimensions)
	for i, n := range one.Shape {
		if n < 1 || !known || n > (end-begin)/bytes { // so that the product cannot overflow
			return nil, one, nil, fmt.Errorf("tensor %s: its shape and its length differ", name)
		}
		bytes *= n
		shape[i] = int(n)
	}
	if bytes != end-begin {
		return nil, one, nil, fmt.Errorf("tensor %s: its shape and its length differ", name)
	}
	return io.NewSectionReader(t.file, t.data+begin, end-begin), one, shape, nil
}

// decode reads in pieces, so that the file's bytes and its numbers are not both in memory.
func decode[T any](section *io.SectionReader, size int64, convert func(b []byte) T) ([]T, error) {
	numbers := make([]T, 0, section.Size()/size)
	piece := make([]byte, min(section.Size(), 1<<16))
	for {
		n, err := io.ReadFull(section, piece)
		for b := piece[:n]; int64(len(b)) >= size; b = b[size:] {
			numbers = append(numbers, convert(b))
		}
		switch {
		case err == nil:
		case len(numbers) == cap(numbers):
			return numbers, nil
		default:
			return nil, errors.New("the file is cut off")
		}
	}
}

// halfToFloat converts a number of 16 bits (IEEE 754: 1 sign, 5 exponent, 10 fraction).
func halfToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent, fraction := uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exponent {
	case 0: // zero and subnormal: fraction × 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 0x1f: // infinite and not a number
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	default:
		return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
	}
}
