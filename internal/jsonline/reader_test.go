package jsonline

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestReader(t *testing.T) {
	t.Parallel()
	const limit = 100_000 // more than the buffer
	long := strings.Repeat("x", limit)
	for _, test := range []struct {
		name, file string
		want       []string
	}{
		{"nothing", "", nil},
		{"lines", "a\n\n b \r\nc", []string{"1 0-2 a", "2 2-3 ", "3 3-8 b", "4 8-9 c, not ended"}},
		{"a byte order mark", "\ufeffa\n\ufeffb\n", []string{"1 0-5 a", "2 5-10 \ufeffb"}},
		{"just as long", long + "\r\n" + long + "\n", []string{"1 0-100002 100000 bytes", "2 100002-200003 100000 bytes"}},
		{"too long", "a\n" + long + "x\nb\n", []string{"1 0-2 a", "2 2-100004 too long", "3 100004-100006 b"}},
		{"far too long", strings.Repeat(long, 3) + "\n\nb", []string{"1 0-300001 too long", "2 300001-300002 ", "3 300002-300003 b, not ended"}},
		{"too long at the end", "a\n" + long + "xyz", []string{"1 0-2 a", "2 2-100005 too long, not ended"}},
	} {
		for _, in := range []io.Reader{strings.NewReader(test.file), iotest.OneByteReader(strings.NewReader(test.file))} {
			if diff := cmp.Diff(test.want, show(t, NewReader(in, limit))); diff != "" {
				t.Error(test.name, diff)
			}
		}
	}
}

// show returns the lines of a file with their numbers and places.
func show(t *testing.T, r *Reader) (all []string) {
	for {
		begin := r.Offset
		line, err := r.Read()
		text := string(line)
		switch {
		case errors.Is(err, io.EOF):
			return all
		case errors.Is(err, ErrTooLong):
			text = "too long"
		case err != nil:
			t.Fatal(err)
		case len(text) > 100:
			text = fmt.Sprint(len(text), " bytes")
		}
		if !r.Ended {
			text += ", not ended"
		}
		all = append(all, fmt.Sprintf("%d %d-%d %s", r.Number, begin, r.Offset, text))
	}
}

func TestReaderOfABrokenFile(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 100)
	r.Offset = 7
	if line, err := r.Read(); string(line) != "a" || err != nil {
		t.Errorf("%q %v", line, err)
	}
	if line, err := r.Read(); line != nil || !errors.Is(err, broken) || r.Offset != 9 || r.Number != 1 {
		t.Errorf("%q %v, line %d ends at %d", line, err, r.Number, r.Offset)
	}
}
