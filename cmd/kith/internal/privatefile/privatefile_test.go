package privatefile

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Only the owner can read a memory file or an export, whatever the mode was before.
func TestMemoryFilesArePrivate(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	older := filepath.Join(folder, "older.json")
	if err := os.WriteFile(older, []byte("old"), 0o644); err != nil { //nolint:gosec // the test's own
		t.Fatal(err)
	}
	for _, path := range []string{older, filepath.Join(folder, "new.json")} {
		if err := write(path, "{}"); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Errorf("%v %v", files, err)
	}
}

// A file is replaced as a whole or not at all, and keeps its mode. A link stays a link.
func TestMemoryIsWrittenAtOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path, link := filepath.Join(folder, "real.json"), filepath.Join(folder, "link.json")
	for _, err := range []error{os.WriteFile(path, []byte("old"), 0o600), os.Symlink("real.json", link), write(link, "new")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(path)
	info, _ := os.Stat(path)
	kind, _ := os.Lstat(link)
	if string(raw) != "new" || err != nil || info.Mode().Perm() != 0o600 || kind.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("%q %v %v %v", raw, err, info.Mode(), kind.Mode())
	}
	if err := write(folder, "x"); err == nil {
		t.Error("a folder was written over")
	}
	if entries, err := os.ReadDir(filepath.Dir(folder)); err != nil || len(entries) != 1 {
		t.Errorf("left beside the folder: %v %v", entries, err)
	}
}

func write(path, content string) error {
	return Write(path, func(file io.Writer) error {
		_, err := io.WriteString(file, content)
		return err
	})
}
