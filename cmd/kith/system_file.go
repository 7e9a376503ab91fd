package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"kith/graph"
)

// memoryFile is the content of a memory file.
type memoryFile struct {
	raw     json.RawMessage
	memory  graph.SystemMemory
	missing bool // the file does not exist: the memory is empty
}

// readMemoryFile reads a memory file. A missing file is not an error.
func readMemoryFile(path string) (memoryFile, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return memoryFile{raw: graph.SystemMemory{}.File(), missing: true}, nil
	}
	if err != nil {
		return memoryFile{}, err
	}
	m, err := parseMemory(raw)
	if err != nil {
		return memoryFile{}, fmt.Errorf("%s: %w", path, err)
	}
	return memoryFile{raw: raw, memory: m}, nil
}

// parseMemory decodes the JSON of a memory file. Its error has the line and column of the fault. The service validates the
// values.
func parseMemory(raw []byte) (graph.SystemMemory, error) {
	if at := firstInvalidUTF8(raw); at >= 0 {
		return graph.SystemMemory{}, fmt.Errorf("%s: not valid UTF-8", position(raw, at))
	}
	var (
		m      graph.SystemMemory
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

// writeMemoryFile writes a memory file.
func writeMemoryFile(path string, content []byte) error {
	return writePrivate(path, func(file io.Writer) error {
		_, err := file.Write(content)
		return err
	})
}

// writePrivate replaces a file atomically: it writes a temporary file in the same folder and renames it. Readers see the old
// or the new file, and a failure leaves the old one. Only the owner may read the file, as it contains a memory.
func writePrivate(path string, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // 0600
	if err != nil {
		return err
	}
	if err = write(file); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes a rename durable. It ignores that some systems cannot sync a folder.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = folder.Sync()
	return folder.Close()
}
