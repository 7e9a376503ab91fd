package migrate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"kith/cmd/kith/internal/terminal"
)

// document writes a JSON document of lists, one element at a time.
type document struct {
	out      *bufio.Writer
	progress *terminal.Progress
	lists    int
	items    int // of the open list
	total    int
	err      error
}

func newDocument(out io.Writer, progress *terminal.Progress) *document {
	return &document{out: bufio.NewWriterSize(out, 1<<16), progress: progress}
}

func (d *document) write(text string) {
	if d.err == nil {
		_, d.err = d.out.WriteString(text)
	}
}

// begin ends the open list, and begins another.
func (d *document) begin(name string) {
	if d.lists++; d.lists == 1 {
		d.write("{")
	} else {
		d.write("\n],")
	}
	d.items = 0
	d.write("\n" + quoted(name) + ": [")
}

// add adds an element to the open list, on a line of its own.
func (d *document) add(element any) error {
	raw, err := json.Marshal(element)
	if err != nil {
		return err
	}
	d.separate()
	d.write(string(raw))
	d.count()
	return d.err
}

func (d *document) separate() {
	if d.items++; d.items > 1 {
		d.write(",")
	}
	d.write("\n")
}

func (d *document) count() {
	d.total++
	d.progress.Update(fmt.Sprintf("read: %d", d.total))
}

// addWithList adds an element with a list whose items the function adds one by one.
func (d *document) addWithList(element map[string]any, list string, read func(add func(item json.RawMessage) error) error) error {
	raw, err := json.Marshal(element)
	if err != nil {
		return err
	}
	d.separate()
	d.write(string(raw[:len(raw)-1]) + "," + quoted(list) + ":[")
	n := 0
	err = read(func(item json.RawMessage) error {
		if n++; n > 1 {
			d.write(",")
		}
		d.write("\n" + string(item))
		d.count()
		return d.err
	})
	d.write("]}")
	return err
}

// end ends the document.
func (d *document) end() error {
	d.write("\n]}\n")
	if d.err == nil {
		d.err = d.out.Flush()
	}
	return d.err
}

func quoted(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}
