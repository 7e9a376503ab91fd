package hook

import (
	"os"
	"path/filepath"
)

// offFile switches hooks off in its folder and all below it.
const offFile = ".kith/off"

// IsOff reports whether a folder, or one above it, has the file .kith/off.
func IsOff(folder string) bool {
	if folder == "" {
		return false
	}
	for folder = filepath.Clean(folder); ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(offFile))); err == nil {
			return true
		}
		if folder == filepath.Dir(folder) {
			return false
		}
	}
}
