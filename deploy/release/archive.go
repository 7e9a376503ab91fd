package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// file is a file in a package.
type file struct {
	name    string // with slashes
	mode    fs.FileMode
	content []byte
}

func sortFiles(files []file) {
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
}

// tarball returns the files, sorted, as a tar that gzip has compressed.
func tarball(files []file, date time.Time) ([]byte, error) {
	sortFiles(files)
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	w := tar.NewWriter(compressed)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.content)), ModTime: date, Format: tar.FormatGNU}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zipped returns the files, in their order, as a zip.
func zipped(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		header.SetMode(f.mode)
		entry, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// writeArchive writes the binary with pages, manifests and completions: a zip for Windows, for others a tar.gz.
func (r *release) writeArchive(t target) error {
	name := "kith-" + r.version.semantic + "-" + t.name()
	program, err := r.program(t, name+"/")
	if err != nil {
		return err
	}
	files, err := r.tree(name+"/", "README.md", "CHANGELOG.md", "SECURITY.md", "docs", "deploy")
	if err != nil {
		return err
	}
	licences, err := r.licences(name + "/")
	if err != nil {
		return err
	}
	files = append(append(files, program), licences...)
	entries, err := os.ReadDir(r.completions)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		content, err := os.ReadFile(r.completions + "/" + entry.Name())
		if err != nil {
			return err
		}
		files = append(files, file{name + "/completions/" + entry.Name(), 0o644, content})
	}
	sortFiles(files)
	pack, end := tarball, ".tar.gz"
	if t.system == "windows" {
		pack, end = zipped, ".zip"
	}
	content, err := pack(files, r.date)
	if err != nil {
		return err
	}
	return r.write(name+end, content)
}

func sumFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
