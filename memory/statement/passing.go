package statement

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"kith/text/recognise"
	"kith/text/times"
)

// pastTime is how long contexts tell a plan as past.
const pastTime = 7 * 24 * time.Hour

// longestDated is the length, in bytes, of the longest text whose times are read.
const longestDated = 1_000

// recurring has words of what happens again and again, in all languages.
var recurring = []string{ //nolint:gochecknoglobals // a constant table
	"every", "each", "weekly", "daily", "monthly", "yearly", "jeden", "jede", "jedes", "täglich", "wöchentlich", "monatlich", "jährlich", "cada", "todos", "todas", "semanal",
	"chaque", "tous", "toutes", "hebdomadaire", "ogni", "tutti", "tutte", "settimanale", "elke", "iedere", "wekelijks", "dagelijks", "toda", "semanalmente",
}

// Until returns the end of the time that a plan tells of, or a fact of the future; zero if it tells of none, or of what recurs. Days are
// those of a place.
func (s *Statement) Until(place *time.Location) (until time.Time) {
	plan := s.Kind == string(recognise.Plan)
	if !plan && s.Kind != string(recognise.Fact) || len(s.Text) > longestDated || recurs(s.Text) {
		return time.Time{}
	}
	said := s.At.In(place)
	for _, e := range times.Read(s.Text, said) {
		end := e.Until
		if end.IsZero() || e.From.IsZero() {
			continue
		}
		if plan && !end.After(said) { // a date without a year is read as past
			end = nextAfter(end, s.Text[e.Start:e.End], e.Until.Sub(e.From))
		}
		if end.After(said) && end.After(until) {
			until = end
		}
	}
	return until
}

// nextAfter returns the end of the next time that words name, of which they were read as the one that ended last.
func nextAfter(end time.Time, words string, length time.Duration) time.Time {
	digits := strings.IndexFunc(words, unicode.IsDigit) >= 0
	switch {
	case digits && strings.Contains(words, end.Add(-time.Second).Format("2006")):
		return end
	case digits || length > 25*time.Hour:
		return end.AddDate(1, 0, 0)
	}
	return end.AddDate(0, 0, 7)
}

func recurs(text string) bool {
	if strings.ContainsAny(text, "毎每") {
		return true
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if slices.Contains(recurring, word) {
			return true
		}
	}
	return false
}

// Current returns the statements that a context of some moment tells: not those whose time is over for more than a week.
func Current(all []Statement, now time.Time, place *time.Location) []Statement {
	return slices.DeleteFunc(all, func(s Statement) bool {
		until := s.Until(place)
		return !until.IsZero() && now.Sub(until) > pastTime
	})
}
