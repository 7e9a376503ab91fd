package chatlog

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
)

// listName is the name of a file with conversations in an export. Large exports have several, with numbers.
var listName = regexp.MustCompile(`^conversations(-\d+)?\.json$`)

// archive is the zip of an export. Nothing of it is written to a disk.
type archive struct {
	lists  []*zip.File // with conversations, not read yet
	others int64       // files beside them
	left   int64       // bytes that may still be unpacked

	numbered bool // there are several lists
	parser   func(in io.Reader, place string) (parse, error)
	file     io.ReadCloser
	read     parse // of the open file; nil: none is open
}

// openArchive returns the zip in a file; nil if the file is none.
func openArchive(in io.ReaderAt, size int64) (*archive, error) {
	var start [4]byte
	if n, _ := in.ReadAt(start[:], 0); n < len(start) || string(start[:]) != "PK\x03\x04" {
		return nil, nil
	}
	all, err := zip.NewReader(in, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are only compared
		return nil, fmt.Errorf("read the zip: %w", err)
	}
	a := &archive{left: maxUnpacked}
	for _, file := range all.File {
		switch {
		case file.FileInfo().IsDir():
		case listName.MatchString(baseName(file)) && !strings.HasPrefix(file.Name, "__MACOSX/"):
			a.lists = append(a.lists, file)
		default:
			a.others++
		}
	}
	slices.SortFunc(a.lists, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	a.numbered = len(a.lists) > 1
	return a, a.check()
}

func baseName(file *zip.File) string { return path.Base(strings.ReplaceAll(file.Name, `\`, "/")) }

// check returns an error for an archive that cannot be read as one.
func (a *archive) check() error {
	if len(a.lists) == 0 {
		return errors.New("the zip has no conversations.json")
	}
	for _, file := range a.lists {
		if file.Flags&1 != 0 {
			return errors.New("the zip is encrypted: unpack it, and import conversations.json")
		}
	}
	return nil
}

// next returns the next conversation of the files, one file after the other.
func (a *archive) next() (*Conversation, error) {
	for {
		if a.read == nil {
			if len(a.lists) == 0 {
				return nil, io.EOF
			}
			if err := a.open(); err != nil {
				return nil, err
			}
		}
		c, err := a.read()
		var refused *Fault
		switch {
		case errors.Is(err, io.EOF):
			_ = a.file.Close() // only read
			a.read = nil
			continue
		case err != nil && !errors.As(err, &refused):
			return nil, fmt.Errorf("read the zip: %w", err)
		}
		return c, err
	}
}

// open opens the next file with conversations.
func (a *archive) open() (err error) {
	place := ""
	next := a.lists[0]
	a.lists = a.lists[1:]
	if a.file, err = next.Open(); err != nil {
		return fmt.Errorf("read the zip: %w", err)
	}
	if a.numbered {
		place = baseName(next) + ", "
	}
	if a.read, err = a.parser(&unpacked{a.file, &a.left}, place); err != nil {
		err = fmt.Errorf("%s in the zip: %w", baseName(next), err)
	}
	return err
}

// unpacked limits what is unpacked.
type unpacked struct {
	io.Reader
	left *int64
}

// Read reads from the underlying reader.
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if *u.left -= int64(n); *u.left < 0 {
		return 0, fmt.Errorf("the conversations in the zip exceed %d bytes", int64(maxUnpacked))
	}
	return n, err
}

// Content opens what identifies the format of a file: the first list of conversations in a zip, otherwise the file itself. It returns
// an error for a file that is neither UTF-8 nor a zip of an export.
func Content(file io.ReaderAt, size int64) (io.ReadCloser, error) {
	zipped, err := openArchive(file, size)
	if err != nil {
		return nil, err
	}
	in := io.NopCloser(io.NewSectionReader(file, 0, size))
	if zipped != nil {
		if in, err = zipped.lists[0].Open(); err != nil {
			return nil, fmt.Errorf("read the zip: %w", err)
		}
	}
	plain := bufio.NewReader(in)
	if err := checkEncoding(plain); err != nil && !errors.Is(err, errEmpty) {
		_ = in.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{plain, in}, nil
}
