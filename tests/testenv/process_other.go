//go:build !linux

package testenv

import "syscall"

// childAttributes returns nil: the kernel cannot tie the life of a child to its parent.
func childAttributes(syscall.Signal) *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
