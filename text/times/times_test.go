package times

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLanguages checks the lines of testdata: a text with its times in brackets, a bar, and the intervals and sessions, separated by a
// semicolon; none if the text names none. The moment of asking is in a line before, and is at most one line's if it is behind another bar.
func TestLanguages(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) != len(forms().languages) {
		t.Fatal(names, err)
	}
	for _, name := range names {
		lines, err := os.ReadFile(name) //nolint:gosec // of the test
		if err != nil {
			t.Fatal(err)
		}
		var asked time.Time
		for line := range strings.Lines(string(lines)) {
			line = strings.TrimSpace(line)
			if at, found := strings.CutPrefix(line, "asked "); found {
				asked = moment(t, at)
			} else if line != "" && line[0] != '#' {
				checkLine(t, filepath.Base(name), line, asked)
			}
		}
	}
}

func checkLine(t *testing.T, file, line string, asked time.Time) {
	t.Helper()
	fields := strings.Split(line, " | ")
	if len(fields) == 3 {
		asked = moment(t, fields[1])
	}
	marked, want := fields[0], strings.Split(fields[len(fields)-1], "; ")
	if want[0] == "none" {
		want = nil
	}
	text := strings.NewReplacer("[", "", "]", "").Replace(marked)
	var got []string
	remarked, last := "", 0
	for _, x := range Read(text, asked) {
		if x.Confidence < 0.5 {
			continue
		}
		got = append(got, described(x))
		remarked += text[last:x.Start] + "[" + text[x.Start:x.End] + "]"
		last = x.End
	}
	remarked += text[last:]
	if !slices.Equal(got, want) {
		t.Errorf("%s: %s: want %q, got %q", file, remarked, want, got)
	} else if remarked != marked {
		t.Errorf("%s: want %s, got %s", file, marked, remarked)
	}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// described returns an interval like 2024-05-01..2024-05-03T12:00 and sessions like 3-5, 3,5 without those between, or -1-3 from the end.
func described(x Expression) string {
	short := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return strings.TrimSuffix(at.Format("2006-01-02T15:04"), "T00:00")
	}
	var parts []string
	if s := x.Sessions; s != (Sessions{}) {
		sign := ""
		if s.FromEnd {
			sign = "-"
		}
		dash := "-"
		if s.Ends {
			dash = ","
		}
		parts = append(parts, fmt.Sprintf("#%s%d%s%d", sign, s.First, dash, s.Last))
	}
	if !x.From.IsZero() || !x.Until.IsZero() {
		parts = append(parts, short(x.From)+".."+short(x.Until))
	}
	return strings.Join(parts, " ")
}

func TestDaysAreOfTheZone(t *testing.T) {
	t.Parallel()
	tokyo := time.FixedZone("Tokyo", 9*60*60)
	asked := time.Date(2024, 5, 15, 3, 0, 0, 0, tokyo) // still the 14th in London
	got := Read("what did I say yesterday?", asked)
	if len(got) != 1 || !got[0].From.Equal(time.Date(2024, 5, 14, 0, 0, 0, 0, tokyo)) {
		t.Errorf("got %+v", got)
	}
}

// TestNumbersInWords checks that each language has the words of 1 to 100, and the ordinals if they have words of their own.
func TestNumbersInWords(t *testing.T) {
	t.Parallel()
	for i, l := range forms().languages {
		for _, c := range []class{classNumber, classOrdinal} {
			known := map[int32]bool{}
			for _, n := range l.names[c] {
				known[n.value.number] = true
			}
			for n := int32(1); n <= 100; n++ {
				if !known[n] && (c == classNumber || len(known) > 0) {
					t.Errorf("language %d has no word for %d of class %d", i, n, c)
				}
			}
		}
	}
}
