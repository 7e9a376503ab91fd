package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNoDatabase reports that the data folder holds no database.
var ErrNoDatabase = errors.New("the data folder holds no database")

// ErrSpace reports that the disk has not enough space for a second store.
var ErrSpace = errors.New("the disk has too little space for a second copy of the store")

// spareSpace must be free in addition to the size of the store, for the logs and indexes of the new one.
const spareSpace = 64 << 20 // bytes

// Sizes holds the size of a store before and after a compaction, in bytes.
type Sizes struct{ Before, After int64 }

// Compact rewrites the store of the data folder. fill copies everything from one running Neo4j to an empty one, and
// returns an error unless the copy is complete. Then the new store replaces the old one, which is removed, or kept as
// neo4j.kept. No file of the new store contains deleted data. The old store stays unchanged until the end; the next
// Start or Compact removes the rest of an interrupted one. It returns ErrLocked while a process uses the folder,
// ErrNoDatabase, or ErrSpace.
func Compact(ctx context.Context, o Options, keep bool, fill func(ctx context.Context, from, to Endpoint) error) (sizes Sizes, err error) {
	if !Exists(o.Dir) {
		return Sizes{}, fmt.Errorf("compact %s: %w", o.Dir, ErrNoDatabase)
	}
	old, err := Start(ctx, o)
	if err != nil {
		return Sizes{}, err
	}
	defer func() { err = errors.Join(err, old.Close(context.WithoutCancel(ctx))) }()
	f := old.folder
	if keep && exists(f.kept()) {
		return Sizes{}, fmt.Errorf("compact: %s is there from an earlier compaction: remove it first", f.kept())
	}
	if sizes.Before, err = sizeOf(f.home()); err != nil {
		return Sizes{}, fmt.Errorf("compact: %w", err)
	}
	if free, known := freeSpace(string(f)); known && free < sizes.Before+spareSpace {
		return Sizes{}, fmt.Errorf("compact: %d MB are free, %d are needed: %w", free>>20, (sizes.Before+spareSpace)>>20, ErrSpace)
	}
	if err := old.copyTo(ctx, fill); err != nil {
		return Sizes{}, fmt.Errorf("compact: the store is as it was: %w", err)
	}
	if err := old.halt(context.WithoutCancel(ctx)); err != nil {
		return Sizes{}, fmt.Errorf("compact: the store is as it was: %w", err)
	}
	if err := f.swap(keep); err != nil {
		return Sizes{}, fmt.Errorf("compact: %w", err)
	}
	sizes.After, err = sizeOf(f.home())
	return sizes, err
}

// copyTo fills a new store, and marks it as complete.
func (s *Server) copyTo(ctx context.Context, fill func(ctx context.Context, from, to Endpoint) error) error {
	o := s.options
	o.Dir = s.folder.next()
	next, err := openFolder(o.Dir)
	if err != nil {
		return err
	}
	if err := writeFile(next.auth(), []byte(s.password+"\n")); err != nil { // the new store has the same password
		return err
	}
	server, err := Start(ctx, o)
	if err != nil {
		return err
	}
	err = fill(ctx, s.Endpoint(), server.Endpoint())
	if err := errors.Join(err, server.Close(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	return writeFile(s.folder.complete(), []byte("This copy is whole. The next start of Kith puts it in its place.\n"))
}

// Paths of a compaction: the new store, the mark of its completeness, and the old store during the swap.
func (f folder) next() string     { return filepath.Join(string(f), "compact") }
func (f folder) complete() string { return filepath.Join(f.next(), "complete") }
func (f folder) old() string      { return filepath.Join(string(f), "neo4j.old") }
func (f folder) kept() string     { return filepath.Join(string(f), "neo4j.kept") }

// isSwapping reports whether a process died while replacing the old store.
func (f folder) isSwapping() bool { return !exists(f.home()) && (exists(f.old()) || exists(f.kept())) }

// swap replaces the old store by a complete new one. No Neo4j may run on either.
func (f folder) swap(keep bool) error {
	away := f.old()
	if keep {
		away = f.kept()
	}
	if err := os.Rename(f.home(), away); err != nil {
		return err
	}
	if err := f.putNext(); err != nil {
		return err
	}
	return f.clear()
}

// putNext moves the new store into place.
func (f folder) putNext() error {
	if err := os.Rename(folder(f.next()).home(), f.home()); err != nil {
		return err
	}
	return syncFolder(string(f))
}

// finishCompaction finishes a compaction whose process died: a complete new store moves into place, an incomplete one
// is removed. The caller holds the lock.
func (f folder) finishCompaction(ctx context.Context) error {
	if err := f.stopNext(ctx); err != nil {
		return fmt.Errorf("end the compaction of %s: %w", f, err)
	}
	if f.isSwapping() {
		if err := f.finishSwap(); err != nil {
			return fmt.Errorf("end the compaction of %s: %w", f, err)
		}
	}
	if err := f.clear(); err != nil {
		return fmt.Errorf("end the compaction of %s: %w", f, err)
	}
	return f.fill()
}

// stopNext stops a Neo4j that still runs on the new store.
func (f folder) stopNext(ctx context.Context) error {
	if !exists(f.next()) {
		return nil
	}
	next, err := existingFolder(f.next())
	if err != nil {
		return err
	}
	s, err := readState(next)
	if err != nil {
		return err
	}
	if orphan := findOrphan(ctx, next, s); orphan != nil {
		return end(ctx, orphan)
	}
	return nil
}

func (f folder) finishSwap() error {
	if exists(f.complete()) && exists(folder(f.next()).home()) {
		return f.putNext()
	}
	away := f.old()
	if !exists(away) {
		away = f.kept()
	}
	if err := os.Rename(away, f.home()); err != nil {
		return err
	}
	return syncFolder(string(f))
}

// clear removes the other stores once the current one is in place.
func (f folder) clear() error {
	return errors.Join(os.RemoveAll(f.old()), os.RemoveAll(f.next()))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// sizeOf returns the size of the files in a folder.
func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) { // files come and go while Neo4j runs
			return nil
		}
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
