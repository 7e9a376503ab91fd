// Package keytable finds texts by keys within bounded memory.
package keytable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"slices"
)

// Table finds texts by keys within bounded memory, however large an import is. What exceeds some megabytes is in a temporary
// file, in hash tables that each have room for twice as much as the one before. Only the disk bounds it. It is not for concurrent
// use, and must be closed.
//
// A B+ tree fits less, because keys come in any order: with transactions small enough for as little memory, bbolt takes four times
// as long for a million random keys, and it maps the whole file into memory.
type Table struct {
	seed   maphash.Seed
	fresh  map[string]string // not in the file yet
	size   int               // of fresh
	file   *os.File
	end    int64
	levels []keyLevel
}

// keyLevel is one hash table in the file, with open addressing. A slot holds a hash and the place of the record, 0 for none.
type keyLevel struct {
	at, slots, used int64
}

const (
	freshBytes   = 8 << 20
	freshEntry   = 128 // what an entry takes beside its texts
	slotBytes    = 16
	recordHeader = 8 // the lengths of key and text
)

// New returns an empty table.
func New() *Table {
	return &Table{seed: maphash.MakeSeed(), fresh: map[string]string{}}
}

// Put sets the text of a key.
func (t *Table) Put(key, text string) error {
	t.fresh[key] = text
	if t.size += len(key) + len(text) + freshEntry; t.size < freshBytes {
		return nil
	}
	if err := t.spill(); err != nil {
		return fmt.Errorf("remember keys: %w", err)
	}
	clear(t.fresh)
	t.size = 0
	return nil
}

// Get returns the text of a key, if there is one.
func (t *Table) Get(key string) (text string, found bool, err error) {
	if text, found = t.fresh[key]; found {
		return text, true, nil
	}
	for _, l := range slices.Backward(t.levels) { // the newest text of a key counts
		if _, text, found, err = t.seek(l, key); err != nil {
			return "", false, fmt.Errorf("recall keys: %w", err)
		}
		if found {
			return text, true, nil
		}
	}
	return "", false, nil
}

// Close removes the temporary file.
func (t *Table) Close() error {
	if t.file == nil {
		return nil
	}
	_ = t.file.Close() // the file is removed anyway
	if err := os.Remove(t.file.Name()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// spill writes the fresh entries to the file: first the records, then their slots.
func (t *Table) spill() error {
	if err := t.room(int64(len(t.fresh))); err != nil {
		return err
	}
	var records []byte
	places := make(map[string]int64, len(t.fresh))
	for key, text := range t.fresh {
		places[key] = t.end + int64(len(records))
		records = binary.LittleEndian.AppendUint32(records, uint32(len(key)))  //nolint:gosec // of bounded lines
		records = binary.LittleEndian.AppendUint32(records, uint32(len(text))) //nolint:gosec // likewise
		records = append(append(records, key...), text...)
	}
	if _, err := t.file.WriteAt(records, t.end); err != nil {
		return err
	}
	t.end += int64(len(records))
	for key, place := range places {
		if err := t.insert(key, place); err != nil {
			return err
		}
	}
	return nil
}

// room makes sure that the last level stays half empty.
func (t *Table) room(added int64) error {
	slots := 4 * added
	if n := len(t.levels); n > 0 {
		last := t.levels[n-1]
		if 2*(last.used+added) <= last.slots {
			return nil
		}
		slots = max(slots, 2*last.slots)
	}
	if t.file == nil {
		var err error
		if t.file, err = os.CreateTemp("", "kith-import-*"); err != nil {
			return err
		}
		_ = os.Remove(t.file.Name()) // if an open file may be removed, a crash leaves nothing
	}
	t.levels = append(t.levels, keyLevel{at: t.end, slots: slots})
	t.end += slots * slotBytes
	return t.file.Truncate(t.end) // with zeros
}

func (t *Table) insert(key string, place int64) error {
	l := &t.levels[len(t.levels)-1]
	slot, _, found, err := t.seek(*l, key)
	if err != nil {
		return err
	}
	if !found {
		l.used++
	}
	raw := binary.LittleEndian.AppendUint64(nil, t.hash(key))
	raw = binary.LittleEndian.AppendUint64(raw, uint64(place)) //nolint:gosec // not negative
	_, err = t.file.WriteAt(raw, slot)
	return err
}

func (t *Table) hash(key string) uint64 { return maphash.String(t.seed, key) }

// seek returns the slot of a key in a level with its text, or the free slot for it.
func (t *Table) seek(l keyLevel, key string) (slot int64, text string, found bool, err error) {
	var raw [slotBytes]byte
	hash := t.hash(key)
	for i := int64(hash % uint64(l.slots)); ; i = (i + 1) % l.slots { //nolint:gosec // slots are many, but not negative
		slot = l.at + i*slotBytes
		if _, err = t.file.ReadAt(raw[:], slot); err != nil {
			return slot, "", false, err
		}
		place := int64(binary.LittleEndian.Uint64(raw[8:])) //nolint:gosec // as it was written
		if place == 0 {
			return slot, "", false, nil
		}
		if binary.LittleEndian.Uint64(raw[:]) != hash {
			continue
		}
		if text, found, err = t.record(place, key); err != nil || found {
			return slot, text, found, err
		}
	}
}

// record reads the text at a place if it has the given key.
func (t *Table) record(place int64, key string) (text string, found bool, err error) {
	var header [recordHeader]byte
	if _, err := t.file.ReadAt(header[:], place); err != nil {
		return "", false, err
	}
	size := binary.LittleEndian.Uint32(header[:])
	raw := make([]byte, size+binary.LittleEndian.Uint32(header[4:]))
	if _, err := t.file.ReadAt(raw, place+recordHeader); err != nil {
		return "", false, err
	}
	if string(raw[:size]) != key {
		return "", false, nil
	}
	return string(raw[size:]), true, nil
}
