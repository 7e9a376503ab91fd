package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"kith/internal/terminal"
)

// evalSet is a set of passages to store and of questions about them.
type evalSet struct {
	passages  []evalPassage
	questions []evalQuestion
	triples   []evalTriples
	dialogue  bool              // passages are turns of conversations
	known     map[string]string // passage id → its conversation
}

// evalLine is a line of one of a set's files.
type evalLine interface {
	id() (field, value string)
	check(set *evalSet) error // the set holds the lines read before
}

// readEvalSet reads the files of a set; the file of triples is optional. It prints all faults and fails if there are any.
func readEvalSet(passages, questions, triples string, progress *terminal.Progress) (*evalSet, error) {
	set := &evalSet{known: map[string]string{}}
	var err error
	if set.passages, err = readEvalLines[evalPassage](passages, set, progress); err != nil {
		return nil, err
	}
	if triples != "" {
		if set.triples, err = readEvalLines[evalTriples](triples, set, progress); err != nil {
			return nil, err
		}
	}
	if set.questions, err = readEvalLines[evalQuestion](questions, set, progress); err != nil {
		return nil, err
	}
	return set, nil
}

// readEvalLines reads one file and prints its faults with their lines.
func readEvalLines[T evalLine](path string, set *evalSet, progress *terminal.Progress) ([]T, error) {
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
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		number++
		raw := bytes.TrimSpace(lines.Bytes())
		if len(raw) == 0 {
			continue
		}
		item, err := parseEvalLine[T](raw, set, seen, number)
		if err != nil {
			progress.FaultAt(fmt.Sprintf("%s:%d", path, number), err.Error())
			continue
		}
		items = append(items, item)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s:%d: line exceeds %d bytes", path, number+1, maxLine)
	case err != nil:
		return nil, err
	case progress.Faults > before:
		return nil, fmt.Errorf("faults in %s: %d", path, progress.Faults-before)
	case len(items) == 0:
		return nil, fmt.Errorf("%s is empty", path)
	}
	return items, nil
}

func parseEvalLine[T evalLine](raw []byte, set *evalSet, seen map[string]int, number int) (item T, err error) {
	wrong, fault := decodeLine(raw, &item)
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
func (s *evalSet) excludeCategories(categories []string) error {
	s.questions = slices.DeleteFunc(s.questions, func(q evalQuestion) bool { return slices.Contains(categories, q.Category) })
	if len(s.questions) == 0 {
		return errors.New("no questions left")
	}
	return nil
}
