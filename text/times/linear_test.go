package times

import (
	"context"
	"testing"
	"time"

	"kith/tests/hostile/shapes"
	"kith/text/steps"
)

// signs has what the readers of this package treat in a way of its own.
var signs = []string{ //nolint:gochecknoglobals // a constant table
	"a", "a ", "May ", "may", "3 ", "3", "3rd ", "12", "2023 ", "2023-06-15", "12.5.", "1/2/2023 ", "99999 ", "last ", "last week ", "next ", "this ", "the ", "of ", "in ", "on ", "since the ", "back in ", "back ", "early ", "mid ", "Tuesday ",
	"Tuesday evening ", "between May 3 and ", "between ", "and ", "from ", "to ", "until ", "before ", "the day before ", "days ago ", "two weeks ago ", "a few ", "first ", "first session of ", "session ", "sessions ", "every ", "Mrs. ", "winter ", "Christmas ",
	"spring of ", "half of ", "the last Friday of ", "week of ", "weekend ", "week 12 ", "19th century ", "1990s ", "yesterday ", "vor zwei Wochen ", "am ", "de ", "il y a trois jours ", "先週の", "火曜日", "三月", "上个月", "三号", "年", "前",
	".", ",", ":", "/", "-", "–", "'", "’", "(", "$", "€", "%", "#", "°", "?", "!", "\"", "…", "_", "é", "ß", "\u0301", "\u200b", "\u3000", "３", "ａ", "\xff", "\xf0", "\n", " ",
}

var endings = []string{"", "May 3, 2023"} //nolint:gochecknoglobals // a constant table

func stepsOf(text string) int {
	c := steps.Begin(context.Background())
	read(c, text, time.Date(2024, 5, 15, 10, 30, 0, 0, time.UTC))
	return c.Taken()
}

const enough = 1 << 10 // bytes: more than the longest time has

func TestReadTakesStepsInProportionToTheText(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	for s := range shapes.All(signs, endings, 1, 100) {
		if fault := s.Fault(enough, stepsOf); fault != "" {
			t.Error(fault)
		}
	}
}

func FuzzReadTakesStepsInProportionToTheText(f *testing.F) {
	for s := range shapes.All(signs, endings, 2, 50) {
		f.Add(s.Begin, s.Piece, s.End)
	}
	f.Fuzz(func(t *testing.T, begin, piece, end string) {
		if piece == "" || len(begin)+len(piece)+len(end) > 1<<8 {
			t.Skip()
		}
		if fault := (shapes.Shape{Begin: begin, Piece: piece, End: end}).Fault(8*enough, stepsOf); fault != "" {
			t.Error(fault)
		}
	})
}
