// Package times reads the times that a question names: days, dates, weeks, months, seasons, years, ranges of them, and sessions by
// their order. It knows English, German, French, Spanish, Portuguese, Dutch, Italian, Japanese and Chinese; forms/*.txt has the words
// and patterns of each.
//
// Libraries for Go (go-dateparser, when, go-naturaldate) return instants instead of periods and know neither ranges, parts of days nor
// sessions. The only one with these languages takes a millisecond for a question and finds times in words like "we" and "may".
//
// It knows nothing of what a text is about: whether a time is when something was said or when it happened is up to the caller.
package times

import (
	"context"
	"time"

	"kith/text/steps"
)

// Expression is a time that a text names.
type Expression struct {
	Start, End  int       // bytes of its words in the text, with the preposition
	From, Until time.Time // the interval [From, Until), open on the side that is zero; both are zero if only sessions are named
	Sessions    Sessions  // zero if none is named
	Confidence  float64   // 0–1: how likely the words name a time
}

// Sessions names sessions by their order, within the interval of the expression: from First to Last, counted from 1, the oldest. If
// FromEnd is set, 1 is the newest earlier session. If Ends is set, only First and Last are meant, not those between.
type Sessions struct {
	First, Last   int
	FromEnd, Ends bool
}

const (
	leastConfidence = 0.3 // of what Read returns
	minYear         = 2   // so that no time is the zero time in any zone
	maxYear         = 9999
)

// Read returns the times that a text names, in their order, if it was written at the moment asked. Days are those of the zone of
// asked. A date without a year is the latest one that is not after asked. Expressions do not overlap.
//
// "N days ago" is a day of the calendar; of more than seven days, what was as many times 24 hours ago is meant too.
// "N weeks ago" is the seven days around that day, "N months ago" and "N years ago" are of the calendar. Weeks begin on Monday.
// Seasons are those of the north: spring begins on March 1; a winter belongs to the year in which it begins. Mornings begin at
// midnight, nights at 18:00 and end at 5:00.
//
// It takes time in proportion to the length of the text, and much for each byte: callers read short ones.
func Read(text string, asked time.Time) []Expression {
	return read(steps.Begin(context.Background()), text, asked)
}

func read(counted *steps.Counter, text string, asked time.Time) []Expression {
	if y := asked.Year(); y < minYear || y > maxYear {
		return nil
	}
	f := forms()
	counted.Take(len(text))
	tokens := split(text, f.vocabulary)
	var best []Expression
	most := 0.0
	for _, l := range f.likely(tokens) {
		c := chart{Counter: counted, tokens: tokens, table: f, language: l, asked: asked}
		found, score := c.read()
		for _, x := range found {
			score += float64(x.End-x.Start) / 1e6 // with the prepositions that this language knows
		}
		if score > most {
			best, most = found, score
		}
	}
	return best
}
