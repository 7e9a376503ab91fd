package chatlog

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// listName is the name of a file with conversations in an export. Large exports have several, with numbers.
var listName = regexp.MustCompile(`^conversations(-\d+)?\.json$`)

// archive is the zip of an export. Nothing of it is written to a disk.
type archive struct {
	lists  []*zip.File // with conversations
	others int64       // files beside them
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
	a := &archive{}
	for _, file := range all.File {
		name := path.Base(strings.ReplaceAll(file.Name, `\`, "/"))
		switch {
		case file.FileInfo().IsDir():
		case listName.MatchString(name) && !strings.HasPrefix(file.Name, "__MACOSX/"):
			a.lists = append(a.lists, file)
		default:
			a.others++
		}
	}
	slices.SortFunc(a.lists, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	return a, a.check()
}

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

// first opens the first file with conversations.
func (a *archive) first() (io.ReadCloser, error) { return a.lists[0].Open() }

// readArchive returns a reader of all conversations in a zip.
func readArchive(a *archive, format Format, now time.Time) (*Reader, error) {
	if format != ChatGPT && format != Claude {
		return nil, fmt.Errorf("files of %s are not in a zip", format)
	}
	m := &archiveReader{lists: a.lists, format: format, now: now, left: maxUnpacked}
	return &Reader{seen: map[[16]byte]seen{}, read: m.next}, nil
}

// archiveReader reads the files of a zip one after the other.
type archiveReader struct {
	lists  []*zip.File
	format Format
	now    time.Time
	open   io.Closer
	reader *Reader // of the open file
	values *values
	count  int   // conversations of the files before
	left   int64 // bytes that may still be unpacked
}

func (m *archiveReader) next() (*Conversation, error) {
	for {
		if m.open == nil {
			if len(m.lists) == 0 {
				return nil, io.EOF
			}
			if err := m.begin(); err != nil {
				return nil, err
			}
		}
		c, err := m.reader.read()
		if !errors.Is(err, io.EOF) {
			return c, err
		}
		m.count = m.values.count
		_ = m.open.Close() // only read
		m.open = nil
	}
}
