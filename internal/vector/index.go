package vector

import (
	"encoding/binary"
	"fmt"
	"maps"
	"sync"
	"time"
	"unique"
)

// Row is a vector with its Key. Parent is the key of the row that it is a part of, or empty. Searches may filter by
// Kind and At (milliseconds since 1970). A row without a Vector removes the vector of its key. Seq orders the rows of a
// scope.
type Row struct {
	Seq    int64
	Key    string
	Parent string
	Kind   uint8
	At     int64
	Vector []byte // as returned by Encode
}

// Index keeps vectors in memory, up to a limit. Scopes that were not searched for the longest time are dropped first,
// and all that were not searched for ten minutes. It is safe for concurrent use.
type Index struct {
	limit int64

	mu     sync.Mutex
	scopes map[string]*scope
	bytes  int64
	sweep  *time.Timer // nil when the index is empty
}

const idleTime = 10 * time.Minute

// New returns an index of at most limit bytes.
func New(limit int64) *Index {
	return &Index{limit: limit, scopes: map[string]*scope{}}
}

// scope holds the rows of one scope. Rows lie in blocks, so that growing copies only their sketches.
type scope struct {
	used  time.Time // guarded by Index.mu, as is bytes
	bytes int64

	mu         sync.RWMutex // searches take the read lock, changes the write lock
	seq        int64
	dimensions int
	rows       []row
	blocks     [][]byte
	rotation   *rotation
	sketches   []uint64         // in the order of rows
	places     map[string]int32 // index into rows by key
	keys       int64            // bytes of the keys
}

type row struct {
	key    string
	parent unique.Handle[string]
	at     int64
	sum    int64
	scale  float32
	kind   uint8
}

const (
	blockRows = 32
	rowBytes  = 128 // of a row, without its numbers and key: its entries in rows and places; also of a scope
)

// Since returns the highest Seq of a scope in the index; 0 when the scope is not loaded.
func (x *Index) Since(name string) int64 {
	s := x.scope(name)
	if s == nil {
		return 0
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.seq
}

// Add adds the rows of a scope that follow the Seq after, or the next of them, in the order of their Seq. Rows that the
// scope already has are skipped. A row replaces the row with the same key. Without rows it loads an empty scope. It
// returns ErrNotLoaded when rows up to after are missing: load the scope again from 0. It returns ErrDimensions with
// the key of the row; earlier rows are added. It returns ErrFull when the scope alone exceeds the limit.
func (x *Index) Add(name string, after int64, rows []Row) error {
	s := x.scope(name)
	if s == nil {
		if after > 0 {
			return ErrNotLoaded
		}
		s = x.begin(name)
	}
	s.mu.Lock()
	if s.seq < after {
		s.mu.Unlock()
		return ErrNotLoaded
	}
	err := s.add(rows)
	size := s.size()
	s.mu.Unlock()
	if full := x.account(name, s, size); full != nil {
		return full
	}
	return err
}

func (x *Index) begin(name string) *scope {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.scopes[name]
	if s == nil { // otherwise another goroutine was first
		s = &scope{used: time.Now(), places: map[string]int32{}}
		x.scopes[name] = s
		x.sweepLater()
	}
	return s
}

// account updates the size of a scope, and makes room. A scope dropped meanwhile stays dropped.
func (x *Index) account(name string, s *scope, size int64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.scopes[name] != s {
		return ErrNotLoaded
	}
	x.bytes += size - s.bytes
	s.bytes = size
	if size > x.limit {
		x.drop(name)
		return ErrFull
	}
	for x.bytes > x.limit {
		x.drop(x.oldest(name))
	}
	return nil
}

// oldest returns the least recently used scope other than but.
func (x *Index) oldest(but string) string {
	name := ""
	for n, s := range x.scopes {
		if n != but && (name == "" || s.used.Before(x.scopes[name].used)) {
			name = n
		}
	}
	return name
}

// Remove removes the vectors with some keys, and those of their parts.
func (x *Index) Remove(name string, keys []string) {
	s := x.scope(name)
	if s == nil {
		return
	}
	s.mu.Lock()
	gone := map[unique.Handle[string]]bool{}
	for _, key := range keys {
		s.remove(key)
		gone[unique.Make(key)] = true
	}
	for place := len(s.rows) - 1; place >= 0; place-- { // the last row moves to the place of a removed one
		if gone[s.rows[place].parent] {
			s.remove(s.rows[place].key)
		}
	}
	size := s.size()
	s.mu.Unlock()
	_ = x.account(name, s, size) // it only shrinks, so that it cannot be full
}

// Drop removes a scope.
func (x *Index) Drop(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.drop(name)
}

// Clear removes all scopes.
func (x *Index) Clear() {
	x.mu.Lock()
	defer x.mu.Unlock()
	clear(x.scopes)
	x.bytes = 0
}

func (x *Index) drop(name string) {
	if s := x.scopes[name]; s != nil {
		x.bytes -= s.bytes
		delete(x.scopes, name)
	}
}

// Size returns the size of the index in bytes.
func (x *Index) Size() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bytes
}

// scope returns a scope or nil, and records its use.
func (x *Index) scope(name string) *scope {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.scopes[name]
	if s != nil {
		s.used = time.Now()
	}
	return s
}

// sweepLater schedules the removal of idle scopes, as long as there are any.
func (x *Index) sweepLater() {
	if x.sweep != nil {
		return
	}
	x.sweep = time.AfterFunc(idleTime/2, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		maps.DeleteFunc(x.scopes, func(_ string, s *scope) bool {
			idle := time.Since(s.used) >= idleTime
			if idle {
				x.bytes -= s.bytes
			}
			return idle
		})
		x.sweep = nil
		if len(x.scopes) > 0 {
			x.sweepLater()
		}
	})
}

func (s *scope) add(rows []Row) error {
	for i := range rows {
		r := &rows[i]
		if r.Seq <= s.seq {
			continue
		}
		if len(r.Vector) == 0 {
			s.remove(r.Key)
		} else if err := s.put(r); err != nil {
			return fmt.Errorf("%s: %w", r.Key, err)
		}
		s.seq = r.Seq
	}
	return nil
}

func (s *scope) put(r *Row) error {
	unit, err := Decode(r.Vector)
	dimensions := len(unit)
	if err != nil || len(s.rows) > 0 && dimensions != s.dimensions {
		return ErrDimensions
	}
	if len(s.rows) == 0 {
		s.dimensions, s.blocks, s.rotation, s.sketches = dimensions, nil, newRotation(dimensions), nil
	}
	place, ok := s.places[r.Key]
	if !ok {
		place = int32(len(s.rows)) //nolint:gosec // far more rows than fit into memory
		s.places[r.Key] = place
		s.keys += int64(len(r.Key))
		s.rows = append(s.rows, row{})
		s.sketches = append(s.sketches, make([]uint64, s.rotation.words())...)
		if int(place)/blockRows == len(s.blocks) {
			s.blocks = append(s.blocks, make([]byte, blockRows*padded(dimensions)))
		}
	}
	s.rows[place] = row{key: r.Key, parent: unique.Make(r.Parent), at: r.At, kind: r.Kind, scale: scaleOf(r.Vector), sum: sumOf(r.Vector)}
	copy(s.numbers(int(place)), r.Vector[head:])
	s.rotation.sketch(s.sketch(int(place)), unit)
	return nil
}

func sumOf(vector []byte) (sum int64) {
	for i := head; i < len(vector); i += 2 {
		sum += int64(binary.LittleEndian.Uint16(vector[i:]))
	}
	return sum
}

// numbers returns the encoded numbers of a row.
func (s *scope) numbers(place int) []byte {
	width := padded(s.dimensions)
	at := place % blockRows * width
	return s.blocks[place/blockRows][at : at+width : at+width]
}

// sketch returns the sketch of a row.
func (s *scope) sketch(place int) []uint64 {
	width := s.rotation.words()
	return s.sketches[place*width : (place+1)*width : (place+1)*width]
}

// remove moves the last row to the place of the removed one.
func (s *scope) remove(key string) {
	place, ok := s.places[key]
	if !ok {
		return
	}
	last := len(s.rows) - 1
	s.rows[place] = s.rows[last]
	s.places[s.rows[last].key] = place
	copy(s.numbers(int(place)), s.numbers(last))
	copy(s.sketch(int(place)), s.sketch(last))
	delete(s.places, key)
	s.keys -= int64(len(key))
	s.rows[last] = row{}
	s.rows = s.rows[:last]
	s.sketches = s.sketches[:last*s.rotation.words()]
	s.blocks = s.blocks[:(last+blockRows-1)/blockRows]
}

func (s *scope) size() int64 {
	size := rowBytes + int64(len(s.rows))*rowBytes + s.keys + int64(len(s.blocks)*blockRows*padded(s.dimensions)) + 8*int64(cap(s.sketches))
	if s.rotation != nil {
		size += s.rotation.bytes()
	}
	return size
}
