package explore

import (
	_ "embed"
	"slices"
	"strings"
	"time"

	"kith/graph"
	"kith/graph/searchscope"
	"kith/internal/fault"
	"kith/internal/vector"
	"kith/text/times"
	"kith/text/words"
)

// Bounds of times in queries.
const (
	longestTimed  = 2_000               // bytes of a query: longer ones are texts, not questions about a time
	timesUsed     = 3                   // of a query
	sureTime      = 0.8                 // confidence from which a time can be a filter
	likelyTime    = 0.5                 // confidence from which a time counts at all
	mostTimed     = 100                 // sources of an ask within its times
	timedMessages = 40                  // of each of these sources
	timedHits     = 100                 // messages of an ask that are found by their time alone
	sessionLimit  = 1_000               // how far sessions are counted
	longestSource = 31 * 24 * time.Hour // a longer one is found by its words only, where it began before the time
)

// TimeUse is how a time in a query counts.
type TimeUse string

// A filter leaves out what was said at other times. A weight only ranks what was said then higher.
const (
	TimeFilter TimeUse = "filter"
	TimeWeight TimeUse = "weight"
)

// UnderstoodTime is a time that a query names.
type UnderstoodTime struct {
	Text       string     `json:"text" doc:"the words of the query"`
	From       *time.Time `json:"from" doc:"null: open, or only sessions are named"`
	Until      *time.Time `json:"until" doc:"not part of it; null: open, or only sessions are named"`
	Sessions   *Sessions  `json:"sessions,omitempty" doc:"conversations by their order, within the time if there is one"`
	Confidence float64    `json:"confidence" doc:"0 to 1: how sure it is that the words name a time"`
	Use        TimeUse    `json:"use" enum:"filter,weight" doc:"filter: only what was said then is found; weight: it ranks higher"`
}

// Sessions are conversations by their order.
type Sessions struct {
	First   int  `json:"first" doc:"from 1"`
	Last    int  `json:"last"`
	FromEnd bool `json:"from_end" doc:"counted back from the newest: 1 is the last one"`
	Ends    bool `json:"ends,omitempty" doc:"only the first and the last of them, not those between"`
}

//go:embed saying.txt
var sayingList string

// saying has the stems of words that say that something was said: with a time they ask for what was said then. empty has
// those and others that say nothing of what a query about a time is about.
var saying, empty = readSaying(sayingList)

func readSaying(list string) (said, empty map[string]bool) {
	said, empty = map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(list) {
		name, some, _ := strings.Cut(line, ":")
		for _, word := range strings.Fields(some) {
			empty[words.Stem(word)] = true
			if name == "said" {
				said[words.Stem(word)] = true
			}
		}
	}
	return said, empty
}

// timing is when the answer to a query was said.
type timing struct {
	understood []UnderstoodTime
	use        TimeUse // empty: no time counts
	confidence float64
}

// readTimes finds the times of a query. It returns the query without the words of times that filter.
func readTimes(query string, asked time.Time) (timing, string) {
	var t timing
	if len(query) > longestTimed {
		return t, query
	}
	var rest strings.Builder
	end := 0
	for _, e := range times.Read(query, asked) {
		if e.Confidence >= likelyTime && len(t.understood) < timesUsed {
			t.understood = append(t.understood, understood(query, e))
			t.confidence = max(t.confidence, e.Confidence)
			rest.WriteString(query[end:e.Start] + " ")
			end = e.End
		}
	}
	if len(t.understood) == 0 {
		return t, query
	}
	rest.WriteString(query[end:])
	t.use = TimeWeight
	if t.confidence >= sureTime && asksForSaid(rest.String(), t.understood) {
		t.use = TimeFilter
	}
	for i := range t.understood {
		t.understood[i].Use = t.use
	}
	if t.use == TimeFilter {
		return t, rest.String()
	}
	return t, query
}

func understood(query string, e times.Expression) UnderstoodTime {
	u := UnderstoodTime{Text: strings.TrimSpace(query[e.Start:e.End]), Confidence: rounded(e.Confidence)}
	if !e.From.IsZero() {
		u.From = &e.From
	}
	if !e.Until.IsZero() {
		u.Until = &e.Until
	}
	if e.Sessions.First > 0 {
		u.Sessions = &Sessions{e.Sessions.First, e.Sessions.Last, e.Sessions.FromEnd, e.Sessions.Ends}
	}
	return u
}

// asksForSaid reports whether a query asks for what was said at its time: it names sessions, has a word of saying, or
// no word with content at all.
func asksForSaid(rest string, named []UnderstoodTime) bool {
	if slices.ContainsFunc(named, func(u UnderstoodTime) bool { return u.Sessions != nil }) {
		return true
	}
	all := words.Of(rest)
	return len(topicWords(all)) == 0 || slices.ContainsFunc(all, func(w string) bool { return saying[words.Stem(w)] })
}

// topicWords returns the words that say what a query about a time is about; none: it asks for all that was said.
func topicWords(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(w string) bool {
		return slices.Contains(questionWords, w) || words.IsStopWord(w) || empty[words.Stem(w)]
	})
}

// isFilter reports whether only what was said at the times of the query is found.
func (t *timing) isFilter() bool { return t.use == TimeFilter }

// dayFilter returns a clause of a full-text query for the days of the times; empty if they are open or count sessions.
func (t *timing) dayFilter() string {
	if !t.isFilter() {
		return ""
	}
	var from, until *time.Time
	for _, u := range t.understood {
		if u.From == nil || u.Until == nil {
			return ""
		}
		if from == nil || u.From.Before(*from) {
			from = u.From
		}
		if until == nil || u.Until.After(*until) {
			until = u.Until
		}
	}
	return searchscope.Days(from, until)
}

// lets reports whether a vector's time is within the times of a filter, as far as they name any.
func (t *timing) lets(at int64) bool {
	if !t.isFilter() {
		return true
	}
	for _, u := range t.understood {
		if (u.From == nil || at >= u.From.UnixMilli()) && (u.Until == nil || at < u.Until.UnixMilli()) {
			return true
		}
	}
	return false
}

// timeOf returns how much the time counts for a hit.
func (t *timing) timeOf(timed bool) float64 {
	if !timed {
		return 0
	}
	return t.confidence
}

// timedSources returns the sources at the times of an ask, if times filter it, otherwise nil: the user's, and those of others that are
// found there.
func timedSources(f *Found, i int, a *ask, near nearest) map[string]bool {
	if !a.isFilter() {
		return nil
	}
	keys := map[string]bool{}
	for _, t := range f.Timed {
		if t.Ask == i {
			keys[t.Key] = true
		}
	}
	for h := range f.Messages {
		if m := &f.Messages[h]; m.Ask == i && m.Timed {
			keys[m.Source] = true
		}
	}
	if near.messages != nil && !a.countsSessions() { // the nearest vectors are of these times
		for _, h := range near.messages.Hits {
			keys[h.Parent] = true
		}
		for _, h := range near.sources.Hits {
			keys[h.Key] = true
		}
	}
	return keys
}

// during returns the nearest vectors of some sources; of all if they are nil.
func (n nearest) during(sources map[string]bool) nearest {
	if sources == nil || n.messages == nil {
		return n
	}
	messages, documents := *n.messages, *n.sources
	messages.Hits = slices.DeleteFunc(slices.Clone(messages.Hits), func(h vector.Hit) bool { return !sources[h.Parent] })
	documents.Hits = slices.DeleteFunc(slices.Clone(documents.Hits), func(h vector.Hit) bool { return !sources[h.Key] })
	return nearest{&messages, &documents, n.nodes}
}

// countsSessions reports whether times are sessions, such as the last one.
func (t *timing) countsSessions() bool {
	return slices.ContainsFunc(t.understood, func(u UnderstoodTime) bool { return u.Sessions != nil })
}

// windows returns the times, two for two sessions with others between them.
func (t *timing) windows() []UnderstoodTime {
	var all []UnderstoodTime
	for _, u := range t.understood {
		if s := u.Sessions; s != nil && s.Ends {
			first, last := u, u
			first.Sessions, last.Sessions = &Sessions{First: s.First, Last: s.First}, &Sessions{First: s.Last, Last: s.Last}
			all = append(all, first, last)
		} else {
			all = append(all, u)
		}
	}
	return all
}

// params returns the times as parameters of the statement. The open conversation is not counted among the sessions.
func (t *timing) params(open string) []map[string]any {
	all := []map[string]any{}
	for _, u := range t.windows() {
		from, until := fault.Earliest, fault.Latest
		if u.From != nil {
			from = u.From.UTC()
		}
		if u.Until != nil {
			until = u.Until.UTC()
		}
		window := map[string]any{"from": from, "until": until, "counted": u.Sessions != nil, "filters": t.isFilter(), "open": open}
		if s := u.Sessions; s != nil {
			window["types"] = []string{graph.Conversation}
			window["begin"], window["from_end"] = from, s.FromEnd
			window["first"], window["last"] = min(s.First, sessionLimit+1)-1, min(s.Last, sessionLimit)
		} else {
			window["types"] = graph.ContentTypes
			window["begin"], window["from_end"] = from.Add(-longestSource), true
			window["first"], window["last"] = 0, mostTimed
		}
		all = append(all, window)
	}
	return all
}

// addSaid adds the messages that are found by their time alone.
func (f *Found) addSaid(rows []saidRow) {
	known := map[saidRow]bool{}
	for i := range f.Messages {
		known[saidRow{Ask: int64(f.Messages[i].Ask), Key: f.Messages[i].Key}] = true
	}
	for _, r := range rows {
		if !known[saidRow{Ask: r.Ask, Key: r.Key}] {
			f.Messages = append(f.Messages, FoundMessage{Hit: Hit{Ask: int(r.Ask), Key: r.Key}, Source: r.Source, Name: r.Name, Timed: true})
		}
	}
}
