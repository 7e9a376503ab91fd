package testenv

import "syscall"

// childAttributes makes the kernel end the child, with this signal, when the test process ends in a way that runs no
// cleanup, such as the panic of a test timeout.
func childAttributes(end syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: end}
}
