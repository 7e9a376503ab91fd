package embedded

import "syscall"

// ownGroup puts a child into its own process group: Ctrl-C on the terminal reaches only Kith.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
