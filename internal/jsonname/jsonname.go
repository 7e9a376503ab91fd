// Package jsonname records the names of JSON objects during a walk over the raw text, to find duplicates. It decodes
// only names.
package jsonname

import (
	"bytes"
	"encoding/json"
)

// Plain returns a name without its quotes and escapes. The name must be a valid JSON string.
func Plain(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var name string
	_ = json.Unmarshal(quoted, &name) // already validated
	return []byte(name)
}

// Stack holds the names of the open objects, the innermost at its end. Not safe for concurrent use.
type Stack struct{ names [][]byte }

// Reset empties the stack and keeps its memory.
func (s *Stack) Reset() { s.names = s.names[:0] }

// Open begins an object.
func (s *Stack) Open() Set { return Set{stack: s, first: len(s.names)} }

// Set holds the names of one object: on the stack, and from the seventeenth on in a map, so that an object of many
// members takes linear time.
type Set struct {
	stack *Stack
	first int
	many  map[string]struct{}
}

const few = 16

// Close ends the object, which must be the innermost.
func (s *Set) Close() { s.stack.names = s.stack.names[:s.first] }

// Has reports whether the object has a name.
func (s *Set) Has(name []byte) bool {
	if s.many != nil {
		_, ok := s.many[string(name)]
		return ok
	}
	for _, other := range s.stack.names[s.first:] {
		if bytes.Equal(other, name) {
			return true
		}
	}
	return false
}

// Add adds a name, and returns false if the object already has it.
func (s *Set) Add(name []byte) bool {
	if s.Has(name) {
		return false
	}
	if s.many != nil {
		s.many[string(name)] = struct{}{}
		return true
	}
	if s.stack.names = append(s.stack.names, name); len(s.stack.names)-s.first > few {
		s.many = make(map[string]struct{}, 2*few)
		for _, name := range s.stack.names[s.first:] {
			s.many[string(name)] = struct{}{}
		}
	}
	return true
}
