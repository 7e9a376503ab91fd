package times

import (
	"strings"
	"testing"
	"time"
)

// hostile are texts that cost much or overflow if nothing bounds them.
var hostile = map[string]string{ //nolint:gochecknoglobals // of the tests
	"one word":        strings.Repeat("x", 65_536),
	"months":          strings.Repeat("May ", 16_384),
	"ranges":          strings.Repeat("between May 3 and ", 3_640),
	"prepositions":    strings.Repeat("since the ", 6_553),
	"sessions":        strings.Repeat("first session of ", 3_855),
	"days":            strings.Repeat("the day before ", 4_369),
	"joins":           strings.Repeat("last week on Tuesday, ", 2_978),
	"numbers":         strings.Repeat("12.", 21_845),
	"digits":          strings.Repeat("9", 65_536),
	"dates":           strings.Repeat("2023-06-15", 6_553),
	"marks":           strings.Repeat("\"'“„«(", 9_000),
	"German":          strings.Repeat("vor zwei Wochen am Dienstag ", 2_340),
	"Japanese":        strings.Repeat("先週の火曜日", 10_922),
	"Chinese":         strings.Repeat("三月", 32_768),
	"parts":           strings.Repeat("early mid late ", 4_369),
	"all languages":   strings.Repeat("in am le el il op で 的 ", 2_730),
	"invalid UTF-8":   "last \xff\xfe Tuesday \xf0\x28 on May \xc3" + strings.Repeat("\xf0", 60_000),
	"many days":       "99999999999 days ago, 99999 years ago, in 99999 weeks, 99999 months ago, the last 99999 decades",
	"great numbers":   "session 99999999999999999999, 99999 sessions ago, week 99 of 2023, the 99th century, the 30th century",
	"offsets":         strings.Repeat("99999 years before ", 40) + "May 3",
	"invalid dates":   "February 30, 2023-13-45, 0000-00-00, 31.4.2023, 29 February 2023, June 31st, 99/99/2023",
	"combining marks": "m\u0301a\u0308rch " + strings.Repeat("\u0301", 20_000),
	"empty":           "",
}

// TestHostileTexts checks that no text takes long.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	asked := time.Date(2024, 5, 15, 10, 30, 0, 0, time.UTC)
	for name, text := range hostile {
		began := time.Now()
		check(t, text, asked)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s took %s", name, took)
		} else {
			t.Log(name, took)
		}
	}
}

// TestFarMoments checks moments of asking near and behind the bounds of years.
func TestFarMoments(t *testing.T) {
	t.Parallel()
	text := "yesterday, last week, two centuries ago, next decade, on May 3, since March, the 19th century, in 1890, winter, last December, " +
		"tomorrow, between December 20 and January 4, around Christmas, Monday"
	for _, year := range []int{-5, 0, 1, 2, 3, 150, 9_998, 9_999, 10_000} {
		check(t, text, time.Date(year, 1, 1, 0, 0, 0, 0, time.FixedZone("", 14*60*60)))
		check(t, text, time.Date(year, 12, 31, 23, 59, 59, 0, time.FixedZone("", -12*60*60)))
	}
	check(t, text, time.Time{})
}

// check reads a text and checks what holds for all expressions.
func check(t *testing.T, text string, asked time.Time) {
	t.Helper()
	last := 0
	for _, x := range Read(text, asked) {
		if x.Start < last || x.End <= x.Start || x.End > len(text) {
			t.Fatalf("%d to %d after %d of %d bytes", x.Start, x.End, last, len(text))
		}
		last = x.End
		words := text[x.Start:x.End]
		for _, at := range []time.Time{x.From, x.Until} {
			if !at.IsZero() && (at.Year() < 1 || at.Year() > 9_999) {
				t.Errorf("%q: %s", words, at)
			}
		}
		if !x.From.IsZero() && !x.Until.IsZero() && x.From.After(x.Until) {
			t.Errorf("%q: from %s until %s", words, x.From, x.Until)
		}
		if x.From.IsZero() && x.Until.IsZero() && x.Sessions == (Sessions{}) {
			t.Errorf("%q names nothing", words)
		}
		if s := x.Sessions; s.First > s.Last || s.First < 0 || s.Last > 0 && s.First == 0 {
			t.Errorf("%q: sessions %+v", words, s)
		}
		if x.Confidence < leastConfidence || x.Confidence > 1 {
			t.Errorf("%q: confidence %v", words, x.Confidence)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"What did we discuss last Tuesday, between May 3rd and May 9, in the third session of May or 10 sessions ago?",
		"vor zwei Wochen am 3. Mai", "il y a trois jours", "先週の火曜日", "上个月三号", "2023-06-15", "the last Friday of February 2024", "\xff",
	} {
		f.Add(text, int64(1_715_769_000))
	}
	f.Fuzz(func(t *testing.T, text string, asked int64) {
		check(t, text, time.Unix(asked%(1<<38), 0).UTC())
	})
}

// BenchmarkRead reads an ordinary question.
func BenchmarkRead(b *testing.B) {
	asked := time.Date(2024, 5, 15, 10, 30, 0, 0, time.UTC)
	for name, text := range map[string]string{
		"English":  "What did I tell you about the boat that my sister wanted to buy, between May 3rd and the end of last month?",
		"none":     "Which restaurant did my brother recommend when we talked about the trip to Lisbon with the children?",
		"Japanese": "先週の火曜日に妹の船について何を話しましたか",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Read(text, asked)
			}
		})
	}
}
