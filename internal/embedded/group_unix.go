//go:build unix

package embedded

import "syscall"

// ownGroup puts a child into its own process group: Ctrl-C on the terminal reaches only Kith, which then stops the
// child in order.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
