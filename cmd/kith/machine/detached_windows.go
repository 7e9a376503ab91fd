package machine

import "syscall"

const detachedProcess = 0x00000008 // DETACHED_PROCESS: no console

// detached gives a child no console and its own group, so that neither Ctrl-C nor the end of a console reaches it.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}
