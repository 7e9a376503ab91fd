package testenv

import "syscall"

// childAttributes makes the kernel end the child with this signal when the test process ends without cleanup, as by the
// panic of a test timeout.
func childAttributes(end syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: end}
}
