// Package privatefile writes files that contain memories.
package privatefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write replaces a file atomically: it writes a temporary file in the same folder and renames it. Readers see the old
// or the new file, and a failure leaves the old one. Only the owner may read the file, as it contains a memory.
func Write(path string, write func(io.Writer) error) error {
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
