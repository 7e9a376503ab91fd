package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
)

// machine is the Kith in the background that the coding agents of a machine share, as it leaves its address in the data folder.
type machine struct {
	URL  string `json:"url"`
	Key  string `json:"key"`
	Team string `json:"team"`
}

var errNotRunning = errors.New("no Kith runs in the background")

func machineLock(folder string) *flock.Flock {
	return flock.New(filepath.Join(folder, "background.lock"), flock.SetPermissions(0o600))
}

// findMachine returns the Kith that runs on a data folder and answers.
func findMachine(folder string) (*machine, error) {
	lock := machineLock(folder)
	if _, err := os.Stat(lock.Path()); err != nil {
		return nil, errNotRunning
	}
	switch free, err := lock.TryRLock(); {
	case err != nil:
		return nil, err
	case free:
		return nil, errors.Join(errNotRunning, lock.Close())
	}
	raw, err := os.ReadFile(filepath.Join(folder, "background.json"))
	if err != nil {
		return nil, err
	}
	m := &machine{}
	return m, json.Unmarshal(raw, m)
}

// claimMachine keeps a Kith from starting on a data folder until release is called.
func claimMachine(t *testing.T, folder string) (release func()) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	lock := machineLock(folder)
	if ok, err := lock.TryLock(); !ok {
		t.Fatalf("another Kith runs in the background: %v", err)
	}
	return func() { _ = lock.Close() }
}

// publish lets hooks find the Kith.
func (m *machine) publish(t *testing.T, folder string) {
	t.Helper()
	raw, err := json.Marshal(m)
	file := filepath.Join(folder, "background.json")
	if err == nil {
		err = os.WriteFile(file+".new", raw, 0o600)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		t.Fatal(err)
	}
}
