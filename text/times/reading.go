package times

import "time"

// reading has what a pattern matched.
type reading struct {
	captures []capture
	argument int // of the pattern
	asked    time.Time
}

// operation makes a span of what a pattern matched; it reports false if that is no time.
type operation func(*reading) (span, bool)

// operations convert the matches of patterns, by the names that the forms have for them.
var operations = map[string]operation{ //nolint:gochecknoglobals // a constant
	"day": (*reading).relativeDay, "period": (*reading).period, "past": (*reading).past, "ago": (*reading).ago, "ahead": (*reading).ahead,
	"weeksago": (*reading).weeksAgo, "monthsago": (*reading).monthsAgo, "exactly": (*reading).exactly, "weekend": (*reading).weekend,
	"older": (*reading).older, "newer": (*reading).newer, "offset": (*reading).offset,
	"date": (*reading).date, "ymd": (*reading).numeric, "mdy": (*reading).monthFirst, "dmy": (*reading).dayFirst, "monthday": (*reading).monthday,
	"month": (*reading).month, "year": (*reading).year, "decade": (*reading).decade, "century": (*reading).century,
	"season": (*reading).season, "quarter": (*reading).quarter, "holiday": (*reading).holiday, "weekday": (*reading).weekday, "weekdayof": (*reading).weekdayOf, "weekdaypart": (*reading).weekdayPart,
	"isoweek": (*reading).isoWeek, "isoday": (*reading).isoDay,
	"part": (*reading).part, "partof": (*reading).partOf, "earlier": (*reading).earlier,
	"since": (*reading).since, "after": (*reading).after, "before": (*reading).before, "until": (*reading).until, "around": (*reading).around,
	"range": (*reading).between, "days": (*reading).days, "join": (*reading).join,
	"third": (*reading).third, "half": (*reading).half, "nth": (*reading).nth, "nthday": (*reading).nthWeekday, "weekof": (*reading).weekOf,
	"session": (*reading).session, "both": (*reading).both, "back": (*reading).back, "firsts": (*reading).firsts, "lasts": (*reading).lasts,
	"none": (*reading).none,
}

// numbered returns the n-th capture of a class, counted from 0, and whether there is one.
func (r *reading) numbered(c class, n int) (int, bool) {
	for i := range r.captures {
		if r.captures[i].class == c {
			if n--; n < 0 {
				return int(r.captures[i].value), true
			}
		}
	}
	return 0, false
}

// value returns the first capture of a class; otherwise a default.
func (r *reading) value(c class, otherwise int) int {
	if v, found := r.numbered(c, 0); found {
		return v
	}
	return otherwise
}

// unit returns the captured unit; days if there is none.
func (r *reading) unit() unit { return unit(r.value(classUnit, int(days))) } //nolint:gosec // from a table

// count returns the least and greatest number that the words stand for: 1 if they name none.
func (r *reading) count() (least, most int) {
	if v, found := r.numbered(classVague, 0); found {
		return v / pairBase, v % pairBase
	}
	n := r.value(classNumber, 1)
	return n, n
}

// times returns the first two captured times.
func (r *reading) times() (all [2]*span) {
	n := 0
	for i := range r.captures {
		if r.captures[i].class == classTime && n < len(all) {
			all[n] = r.captures[i].span
			n++
		}
	}
	return all
}

// interval returns the captured time, if it is a period.
func (r *reading) interval() (s span, ok bool) {
	if t := r.times()[0]; t != nil && t.grain > dayPart {
		return *t, true
	}
	return s, false
}

// order returns the n-th number or ordinal, counted from 0.
func (r *reading) order(n int) (int, bool) {
	for i := range r.captures {
		if c := r.captures[i].class; c == classNumber || c == classOrdinal {
			if n--; n < 0 {
				return int(r.captures[i].value), true
			}
		}
	}
	return 0, false
}

// none makes nothing of words that only look like a time.
func (r *reading) none() (span, bool) { return span{grain: nothing}, true }
