package embedded

import "syscall"

// ownGroup puts a child into a process group of its own: Ctrl-C on the terminal reaches Kith only.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
