//go:build unix

package embedded

import "syscall"

// ownGroup puts a child into a process group of its own: Ctrl-C on the terminal reaches Kith only, which then stops
// the child in order.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
