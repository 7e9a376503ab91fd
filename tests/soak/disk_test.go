//go:build soak && linux

package soak

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const (
	diskSize = 4 << 30 // a file with holes
	block    = 4096
)

// disk is an ext4 file system of its own, on a loop device, which can be full or read-only.
type disk struct {
	*testing.T
	image, path string
	mounted     bool
}

// mountDisk mounts a disk until the test ends. Where that is not allowed it says so, and the disk is a folder that never fails.
func mountDisk(t *testing.T) *disk {
	d := &disk{T: t, image: filepath.Join(t.TempDir(), "disk"), path: t.TempDir()}
	err := os.WriteFile(d.image, nil, 0o600)
	if err == nil {
		err = os.Truncate(d.image, diskSize)
	}
	if err == nil {
		_, err = d.command("mkfs.ext4", "-q", "-m", "0", d.image) // no room is reserved for root
	}
	if err == nil {
		err = d.mount()
	}
	if err != nil {
		t.Logf("NOT TESTED: a full disk and a read-only one. It takes root, and a loop device: %v", err)
	}
	t.Cleanup(d.unmount)
	return d
}

func (d *disk) command(name string, args ...string) (int, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return 0, err
}

func (d *disk) mount() error {
	_, err := d.command("mount", "-o", "loop", d.image, d.path)
	d.mounted = err == nil
	return err
}

// unmount waits for the processes that use the disk.
func (d *disk) unmount() {
	for deadline := time.Now().Add(time.Minute); d.mounted; <-time.After(100 * time.Millisecond) {
		_, err := d.command("umount", d.path)
		d.mounted = err != nil
		if err != nil && time.Now().After(deadline) {
			d.Fatal(err)
		}
	}
}

// fill takes all room, and returns a function that frees it.
func (d *disk) fill() (free func()) {
	path := filepath.Join(d.path, "ballast")
	file, err := os.Create(path)
	if err != nil {
		d.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	at := int64(0)
	for size := int64(diskSize); size >= block; {
		switch err := syscall.Fallocate(int(file.Fd()), 0, at, size); {
		case err == nil:
			at += size
		case errors.Is(err, syscall.ENOSPC):
			size /= 2
		case !errors.Is(err, syscall.EINTR):
			d.Fatal(err)
		}
	}
	return func() {
		if err := os.Remove(path); err != nil {
			d.Error(err)
		}
	}
}

// fail makes the disk read-only as ext4 does after an error of the hardware: files that are open cannot be written any more.
func (d *disk) fail() {
	if _, err := d.command("mount", "-o", "remount,abort", d.path); err != nil {
		d.Fatal(err)
	}
}

// repair makes a disk writable that has failed. Nothing may use it.
func (d *disk) repair() {
	d.unmount()
	if code, err := d.command("e2fsck", "-f", "-p", d.image); code > 1 { // 1: it has repaired
		d.Fatal(err)
	}
	if err := d.mount(); err != nil {
		d.Fatal(err)
	}
}
