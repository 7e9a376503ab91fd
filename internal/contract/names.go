package contract

import "bytes"

// nameStack holds the names of the open objects, the innermost at its end.
type nameStack struct{ names [][]byte }

// open begins an object.
func (s *nameStack) open() nameSet { return nameSet{stack: s, first: len(s.names)} }

// nameSet holds the names of one object: on the stack, and from the seventeenth on in a map, so that an object of many
// members takes linear time.
type nameSet struct {
	stack *nameStack
	first int
	many  map[string]struct{}
}

const fewNames = 16

// close ends the object, which must be the innermost.
func (s *nameSet) close() { s.stack.names = s.stack.names[:s.first] }

// has reports whether the object has a name.
func (s *nameSet) has(name []byte) bool {
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

// add adds a name, and returns false if the object already has it.
func (s *nameSet) add(name []byte) bool {
	if s.has(name) {
		return false
	}
	if s.many != nil {
		s.many[string(name)] = struct{}{}
		return true
	}
	if s.stack.names = append(s.stack.names, name); len(s.stack.names)-s.first > fewNames {
		s.many = make(map[string]struct{}, 2*fewNames)
		for _, name := range s.stack.names[s.first:] {
			s.many[string(name)] = struct{}{}
		}
	}
	return true
}
