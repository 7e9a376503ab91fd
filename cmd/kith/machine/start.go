package machine

import (
	"os"
	"os/exec"
	"path/filepath"
)

// maxLog is the size from which the log of background processes begins anew.
const maxLog = 1 << 20

// LogFile returns the log of background processes.
func LogFile(folder string) string { return filepath.Join(folder, "background.log") }

// Start starts this program with other arguments, as a process that outlives this one and has none of its streams. Settings are
// added to its environment. What it reports goes to background.log in the data folder.
func Start(folder string, settings []string, arguments ...string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	log, err := openLog(LogFile(folder))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	command := exec.Command(program, arguments...) //nolint:gosec // this program
	command.Env = append(append(os.Environ(), settings...), "KITH_DATA="+folder)
	command.Dir = folder // the agent's folder may be deleted meanwhile
	command.Stderr = log
	command.SysProcAttr = detached()
	if err := command.Start(); err != nil {
		return err
	}
	return command.Process.Release()
}

func openLog(path string) (*os.File, error) {
	mode := os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		mode |= os.O_TRUNC
	}
	return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|mode, 0o600) //nolint:gosec // in the data folder
}
