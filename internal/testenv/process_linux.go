package testenv

import "syscall"

// childAttributes makes the kernel end the child when the test process ends in a way that runs no cleanup, such as the
// panic of a test timeout.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
