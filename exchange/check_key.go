package exchange

import (
	"bytes"
	"encoding/json"
)

// plainKey is a key without its quotes and escapes.
func plainKey(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var key string
	_ = json.Unmarshal(quoted, &key) // it has been checked
	return []byte(key)
}

// keySet are the keys of one object: those of the checker from first on, and from the seventeenth on a map, so that a
// hostile object of a million keys takes no quadratic time.
type keySet struct {
	first int
	many  map[string]struct{}
}

const fewKeys = 16

func (s *keySet) add(c *checker, key []byte) bool {
	if s.many == nil {
		for _, other := range c.keys[s.first:] {
			if bytes.Equal(other, key) {
				return false
			}
		}
		if c.keys = append(c.keys, key); len(c.keys)-s.first > fewKeys {
			s.spread(c.keys[s.first:])
		}
		return true
	}
	if _, again := s.many[string(key)]; again {
		return false
	}
	s.many[string(key)] = struct{}{}
	return true
}

func (s *keySet) spread(keys [][]byte) {
	s.many = make(map[string]struct{}, 2*len(keys))
	for _, key := range keys {
		s.many[string(key)] = struct{}{}
	}
}
