package explore

import (
	"cmp"
	"slices"
)

// Weights of what users say beside what assistants say.
const (
	mostRoleWeight = 2.0
	alikeLength    = 1.5 // up to this ratio of their lengths, they talk like people
)

// weighRoles raises the scores of what users said, where assistants talk much more than users: there an answer repeats
// the words of the question at length, and what is to be remembered stands in what the user says. Between people, whose
// messages are of like length, it changes nothing. The weight is the ratio of the lengths of the hits of an
// ask, less what is usual between people (docs/recall.md).
func (f *Found) weighRoles(asks int) {
	for ask := range asks {
		var bytes, count [2]float64 // of users, of assistants
		for i := range f.Messages {
			m := &f.Messages[i]
			if role := slices.Index([]string{"user", "assistant"}, m.Role); m.Ask == ask && role >= 0 {
				bytes[role] += float64(m.length)
				count[role]++
			}
		}
		longer := ratio(bytes[1], count[1]) / max(1, ratio(bytes[0], count[0]))
		weight := min(mostRoleWeight, longer/alikeLength)
		if weight <= 1 {
			continue
		}
		for i := range f.Messages {
			if m := &f.Messages[i]; m.Ask == ask && m.Role == "user" {
				m.Score *= weight
			}
		}
	}
	slices.SortStableFunc(f.Messages, func(a, b FoundMessage) int {
		return cmp.Or(cmp.Compare(a.Ask, b.Ask), cmp.Compare(b.Score, a.Score))
	})
}
