//go:build unix

package machine

import "syscall"

// detached gives a child its own session, so that neither Ctrl-C nor the end of a terminal reaches it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
