// Package memoryfile reads and writes files with the memory of a software system.
package memoryfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"

	"kith/cmd/kith/internal/privatefile"
	"kith/memory/system"
)

// File is the content of a memory file.
type File struct {
	Raw     json.RawMessage
	Memory  system.Memory
	Missing bool // the file does not exist: the memory is empty
}

// Read reads a memory file. A missing file is not an error.
func Read(path string) (File, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return File{Raw: system.Memory{}.File(), Missing: true}, nil
	}
	if err != nil {
		return File{}, err
	}
	m, err := Parse(raw)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	return File{Raw: raw, Memory: m}, nil
}

// Parse decodes the JSON of a memory file. Its error has the line and column of the fault. The service validates the
// values.
func Parse(raw []byte) (system.Memory, error) {
	if at := firstInvalidUTF8(raw); at >= 0 {
		return system.Memory{}, fmt.Errorf("%s: not valid UTF-8", position(raw, at))
	}
	var (
		m      system.Memory
		syntax *json.SyntaxError
		wrong  *json.UnmarshalTypeError
	)
	err := json.Unmarshal(raw, &m)
	switch {
	case errors.As(err, &syntax):
		return m, fmt.Errorf("%s: not valid JSON: %w", position(raw, int(syntax.Offset)-1), err)
	case errors.As(err, &wrong):
		field := wrong.Field
		if field == "" {
			field = "the file"
		}
		return m, fmt.Errorf("%s: %s must not be of the JSON type %s", position(raw, int(wrong.Offset)-1), field, wrong.Value)
	}
	return m, err
}

// firstInvalidUTF8 returns the offset of the first byte that is not valid UTF-8, or -1.
func firstInvalidUTF8(raw []byte) int {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// position returns the line and column of a byte, in characters from 1.
func position(raw []byte, at int) string {
	before := raw[:max(0, min(at, len(raw)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}

// Write replaces a memory file atomically. Only its owner may read it.
func Write(path string, content []byte) error {
	return privatefile.Write(path, func(file io.Writer) error {
		_, err := file.Write(content)
		return err
	})
}
