package times

import "time"

// Begin returns when a time begins that is written as in RFC 3339, as a date, or in words as Read knows them: "last week", "since May". It
// returns false for any other text, and for words that name no beginning.
func Begin(text string, asked time.Time) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, asked.Location()); err == nil {
			return at, true
		}
	}
	for _, x := range Read(text, asked) {
		if !x.From.IsZero() {
			return x.From, true
		}
	}
	return time.Time{}, false
}
