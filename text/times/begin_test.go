package times

import (
	"testing"
	"time"
)

func TestBegin(t *testing.T) {
	t.Parallel()
	asked := time.Date(2026, 10, 7, 15, 0, 0, 0, time.UTC) // a Wednesday
	for text, want := range map[string]string{
		"2026-10-03T12:00:00+02:00": "2026-10-03T10:00:00Z",
		"2026-10-03":                "2026-10-03T00:00:00Z",
		"last week":                 "2026-09-28T00:00:00Z",
		"since last Monday":         "2026-10-05T00:00:00Z",
		"3 days ago":                "2026-10-04T00:00:00Z",
		"letzte Woche":              "2026-09-28T00:00:00Z",
		"gestern":                   "2026-10-06T00:00:00Z",
		"in October":                "2026-10-01T00:00:00Z",
		"before May":                "",
		"the last session":          "",
		"whenever":                  "",
		"":                          "",
	} {
		got, ok := Begin(text, asked)
		if ok != (want != "") || ok && got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: %s, %t", text, got, ok)
		}
	}
}
