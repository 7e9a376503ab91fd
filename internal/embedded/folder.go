package embedded

import (
	"fmt"
	"os"
	"path/filepath"
)

// folder is a data folder, as an absolute path without symbolic links, so that the command line of a Java process names
// it in a single form.
type folder string

// openFolder creates the data folder with its contents.
func openFolder(dir string) (folder, error) {
	f, err := makeFolder(dir)
	if err == nil {
		err = f.fill()
	}
	return f, err
}

// makeFolder creates the data folder.
func makeFolder(dir string) (folder, error) {
	if dir == "" {
		return "", fmt.Errorf("open data folder: no folder is given")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("open data folder: %w", err)
	}
	return existingFolder(dir)
}

// fill creates the contents of the data folder.
func (f folder) fill() error {
	if err := os.MkdirAll(f.logs(), 0o700); err != nil {
		return fmt.Errorf("open data folder: %w", err)
	}
	return nil
}

func existingFolder(dir string) (folder, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("open data folder: %w", err)
	}
	return folder(dir), nil
}

func (f folder) lock() string     { return filepath.Join(string(f), "lock") }
func (f folder) users() string    { return filepath.Join(string(f), "users") }
func (f folder) state() string    { return filepath.Join(string(f), "neo4j.json") }
func (f folder) home() string     { return filepath.Join(string(f), "neo4j") }
func (f folder) conf() string     { return filepath.Join(f.home(), "neo4j.conf") }
func (f folder) data() string     { return filepath.Join(f.home(), "data") }
func (f folder) serverID() string { return filepath.Join(f.data(), "server_id") }
func (f folder) auth() string     { return filepath.Join(f.home(), "auth") }
func (f folder) logs() string     { return filepath.Join(f.home(), "logs") }
func (f folder) console() string  { return filepath.Join(f.logs(), "console.log") }

// dropEmptyServerID removes the file with Neo4j's id of the server if it is empty. Neo4j writes it without a sync, so that it may be
// empty after a loss of power, and does not start then; without the file it makes a new one.
func (f folder) dropEmptyServerID() error {
	info, err := os.Stat(f.serverID())
	switch {
	case os.IsNotExist(err), err == nil && info.Size() > 0:
		return nil
	case err == nil:
		err = os.Remove(f.serverID())
	}
	return err
}

// isNew reports whether the folder has no database yet.
func (f folder) isNew() bool {
	_, err := os.Stat(filepath.Join(f.data(), "databases"))
	return os.IsNotExist(err)
}

// writeFile replaces the file at path atomically; only the user may read it.
func writeFile(path string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // does nothing after a successful rename
	_, err = tmp.Write(content)
	if err == nil {
		err = tmp.Sync()
	}
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
