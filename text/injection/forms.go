package injection

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

//go:embed forms
var files embed.FS

// forms returns the forms of all languages. They are read once.
var forms = sync.OnceValue(func() *automaton { //nolint:gochecknoglobals // read once, never changed
	a, err := load()
	if err != nil {
		panic(err)
	}
	return a
})

// load reads the forms. Those of common.txt are repeated for each language that has words for all their names.
func load() (*automaton, error) {
	common, err := files.ReadFile("forms/common.txt")
	if err != nil {
		return nil, err
	}
	entries, err := files.ReadDir("forms")
	if err != nil {
		return nil, err
	}
	a := newAutomaton()
	for _, e := range entries {
		own, err := files.ReadFile("forms/" + e.Name())
		if err != nil {
			return nil, err
		}
		if e.Name() == "common.txt" {
			continue
		}
		f := formReader{a: a, names: map[string]string{}}
		if err := f.read(string(own), false); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		if err := f.read(string(common), true); err != nil {
			return nil, fmt.Errorf("%s with common.txt: %w", e.Name(), err)
		}
	}
	for int32(len(a.begins)) < int32(len(a.classes)) {
		a.begins = append(a.begins, nil)
	}
	return a, nil
}

type formReader struct {
	a     *automaton
	names map[string]string
}

var reference = regexp.MustCompile(`\$[a-z]+`)

// read reads lines such as "define all: (every|each)" and "weak order: send $all". Lines with unknown names are an error, but in
// common forms they do not apply.
func (f *formReader) read(text string, common bool) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		head, rest, found := strings.Cut(line, ":")
		if !found {
			return fmt.Errorf("%q has no colon", line)
		}
		unknown := ""
		rest = reference.ReplaceAllStringFunc(strings.TrimSpace(rest), func(name string) string {
			text, known := f.names[name[1:]]
			if !known {
				unknown = name
			}
			return text
		})
		if unknown != "" {
			if common {
				continue
			}
			return fmt.Errorf("%q: %s is not defined", line, unknown)
		}
		if name, found := strings.CutPrefix(head, "define "); found {
			f.names[name] = rest
			continue
		}
		if err := f.add(head, rest); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	return nil
}

func (f *formReader) add(head, rest string) error {
	if head == "discuss" {
		for word := range strings.FieldsSeq(rest) {
			n, err := wordNodes(word)
			if err != nil || len(n) != 1 {
				return fmt.Errorf("%q is not one word", word)
			}
			f.a.discuss[f.a.class(n[0].words)] = struct{}{}
		}
		return nil
	}
	var r rule
	head, r.weak = strings.CutPrefix(head, "weak ")
	switch r.kind = Kind(head); r.kind {
	case "unless":
		r.kind = ""
	case Override, Turn, Address, Order, Exfiltrate, Remember, Context:
	default:
		return fmt.Errorf("%q is no kind", head)
	}
	return f.a.add(r, rest)
}
