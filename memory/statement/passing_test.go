package statement

import (
	"testing"
	"time"
)

// The times that plans tell of, as of Tuesday, 10 November 2026.
func TestUntil(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 10, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct{ kind, text, want string }{
		{"plan", "My flight to Lima is on 28 November.", "2026-11-29"},
		{"plan", "My exam is on 3 February.", "2027-02-04"},
		{"plan", "My flight is on 28 November 2027.", "2027-11-29"},
		{"plan", "I'm meeting Ana tomorrow.", "2026-11-12"},
		{"plan", "I'm meeting Ana on Friday.", "2026-11-14"},
		{"plan", "I'm flying to Oslo next week.", "2026-11-23"},
		{"plan", "Mein Termin ist am 20. November.", "2026-11-21"},
		{"plan", "Mi vuelo sale el 24 de noviembre.", "2026-11-25"},
		{"plan", "Mon vol est le 24 novembre.", "2026-11-25"},
		{"plan", "Il mio volo è il 24 novembre.", "2026-11-25"},
		{"plan", "Mijn vlucht is op 24 november.", "2026-11-25"},
		{"plan", "O meu voo é no dia 24 de novembro.", "2026-11-25"},
		{"plan", "I have choir every Friday.", ""},
		{"plan", "Jeden Freitag habe ich Chor.", ""},
		{"fact", "I start at the clinic tomorrow.", "2026-11-12"},
		{"fact", "I was born on 3 May.", ""},
		{"fact", "We moved to Porto last year.", ""},
		{"preference", "I'd rather travel tomorrow.", ""},
	} {
		s := Statement{Kind: c.kind, Text: c.text, At: at}
		got := ""
		if until := s.Until(time.UTC); !until.IsZero() {
			got = until.Format(time.DateOnly)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}

// What is over is told for a week, and then no more.
func TestCurrent(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 10, 9, 0, 0, 0, time.UTC)
	for days, want := range map[int]int{0: 2, 2: 2, 8: 2, 9: 1, 300: 1} {
		all := []Statement{{Kind: "plan", Text: "I'm meeting Ana tomorrow.", At: at}, {Kind: "fact", Text: "I live in Porto.", At: at}}
		if got := Current(all, at.AddDate(0, 0, days), time.UTC); len(got) != want {
			t.Errorf("after %d days: %v", days, got)
		}
	}
}
