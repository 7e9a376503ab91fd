//go:build unix

package embedded

import (
	"os"
	"syscall"
)

// freeSpace returns the free bytes of the disk with dir; false when unknown.
func freeSpace(dir string) (int64, bool) {
	var disk syscall.Statfs_t
	if syscall.Statfs(dir, &disk) != nil {
		return 0, false
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true //nolint:gosec,unconvert // other systems have other types; far below 2^63
}

// syncFolder makes renames in a folder durable.
func syncFolder(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return file.Sync()
}
