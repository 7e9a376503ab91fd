package exchange

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
)

// section is a part of an export, in the order of the file.
type section int

// The sections of an export.
const (
	nodeSection    section = iota
	messageSection         // after their sources
	relationshipSection
	statementSection
	pauseSection
	refusalSection
	reviewSection
	trustRuleSection
	preferenceSection
	chatSection
	versionSection
	sectionCount
)

// record says of a line which record it is, in which round it was read, and which records it needs. A round reads again what has changed
// since the one before.
type record struct {
	round int
	kind  ItemKind
	id    string
	needs []string
}

// spool keeps the lines of an export in a temporary file, compressed, until it is known which of them hold at its end. It must be closed.
type spool struct {
	file   *os.File
	packed *gzip.Writer
	parts  []part
}

// part has the lines of a section that were read in a round, one after the other.
type part struct {
	section    section
	round      int
	begin, end int64
}

// add adds a line, which ends with a line break.
func (s *spool) add(in section, r *record, line []byte) error {
	if n := len(s.parts); n == 0 || s.parts[n-1].section != in || s.parts[n-1].round != r.round {
		if err := s.begin(in, r.round); err != nil {
			return err
		}
	}
	head, err := json.Marshal(append([]string{string(r.kind), r.id}, r.needs...))
	if err != nil {
		return err
	}
	if _, err := s.packed.Write(append(head, '\n')); err != nil {
		return err
	}
	_, err = s.packed.Write(line)
	return err
}

func (s *spool) begin(in section, round int) (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "kith-export-*"); err != nil {
			return err
		}
		_ = os.Remove(s.file.Name()) // if an open file may be removed, a crash leaves nothing
		s.packed, _ = gzip.NewWriterLevel(s.file, gzip.BestSpeed)
	}
	at, err := s.finish()
	if err != nil {
		return err
	}
	s.packed.Reset(s.file)
	s.parts = append(s.parts, part{section: in, round: round, begin: at})
	return nil
}

// finish ends the last part, and returns the end of the file.
func (s *spool) finish() (end int64, err error) {
	n := len(s.parts)
	if n == 0 {
		return 0, nil
	}
	if s.parts[n-1].end > 0 {
		return s.parts[n-1].end, nil
	}
	if err := s.packed.Close(); err != nil {
		return 0, err
	}
	end, err = s.file.Seek(0, io.SeekCurrent)
	s.parts[n-1].end = end
	return end, err
}

// each visits the lines of a section in the order in which they were read. Lines are valid until visit returns. No line may be added after it.
func (s *spool) each(in section, visit func(r *record, line []byte) error) error {
	if _, err := s.finish(); err != nil {
		return err
	}
	for _, p := range s.parts {
		if p.section != in {
			continue
		}
		if err := s.read(p, visit); err != nil {
			return err
		}
	}
	return nil
}

func (s *spool) read(p part, visit func(r *record, line []byte) error) error {
	packed, err := gzip.NewReader(io.NewSectionReader(s.file, p.begin, p.end-p.begin))
	if err != nil {
		return err
	}
	lines := bufio.NewReaderSize(packed, 64<<10)
	for {
		head, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(head) == 0 {
			return nil
		}
		var fields []string
		if err == nil {
			err = json.Unmarshal(head, &fields)
		}
		if err != nil {
			return err
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		if err := visit(&record{p.round, ItemKind(fields[0]), fields[1], fields[2:]}, line); err != nil {
			return err
		}
	}
}

func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close() // the file is removed anyway
		_ = os.Remove(s.file.Name())
	}
}
