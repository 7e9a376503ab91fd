package eval

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"kith/cmd/kith/internal/terminal"
	"kith/internal/jsonline"
)

// dataset is a set of passages to store and of questions about them.
type dataset struct {
	passages  []passage
	questions []question
	triples   []passageTriples
	dialogue  bool              // passages are turns of conversations
	known     map[string]string // passage id → its conversation
}

// line is a line of one of a set's files.
type line interface {
	id() (field, value string)
	check(set *dataset) error // the set holds the lines read before
}

// readSet reads the files of a set; the file of triples is optional. It prints all faults and fails if there are any.
func readSet(passages, questions, triples string, progress *terminal.Progress) (*dataset, error) {
	set := &dataset{known: map[string]string{}}
	var err error
	if set.passages, err = readLines[passage](passages, set, progress); err != nil {
		return nil, err
	}
	if triples != "" {
		if set.triples, err = readLines[passageTriples](triples, set, progress); err != nil {
			return nil, err
		}
	}
	if set.questions, err = readLines[question](questions, set, progress); err != nil {
		return nil, err
	}
	return set, nil
}

// readLines reads one file and prints its faults with their lines.
func readLines[T line](path string, set *dataset, progress *terminal.Progress) ([]T, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var (
		items  []T
		seen   = map[string]int{} // id → line
		number = 0
		before = progress.Faults
		lines  = bufio.NewScanner(file)
	)
	lines.Buffer(nil, jsonline.Max)
	for lines.Scan() {
		number++
		raw := bytes.TrimSpace(lines.Bytes())
		if len(raw) == 0 {
			continue
		}
		item, err := parseLine[T](raw, set, seen, number)
		if err != nil {
			progress.FaultAt(fmt.Sprintf("%s:%d", path, number), err.Error())
			continue
		}
		items = append(items, item)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s:%d: line exceeds %d bytes", path, number+1, jsonline.Max)
	case err != nil:
		return nil, err
	case progress.Faults > before:
		return nil, fmt.Errorf("faults in %s: %d", path, progress.Faults-before)
	case len(items) == 0:
		return nil, fmt.Errorf("%s is empty", path)
	}
	return items, nil
}

func parseLine[T line](raw []byte, set *dataset, seen map[string]int, number int) (item T, err error) {
	wrong, fault := jsonline.Decode(raw, &item)
	if wrong != nil {
		fault = strings.ToLower(wrong.Field) + " must not be a JSON " + wrong.Value
	}
	if fault != "" {
		return item, errors.New(fault)
	}
	field, id := item.id()
	if first, again := seen[id]; again {
		return item, fmt.Errorf("%s repeats that of line %d", field, first)
	}
	seen[id] = number
	return item, item.check(set)
}

// excludeCategories removes the questions of some categories.
func (s *dataset) excludeCategories(categories []string) error {
	s.questions = slices.DeleteFunc(s.questions, func(q question) bool { return slices.Contains(categories, q.Category) })
	if len(s.questions) == 0 {
		return errors.New("no questions left")
	}
	return nil
}
