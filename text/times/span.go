package times

import "time"

// span is a period, or what becomes one together with another.
type span struct {
	from, until time.Time
	grain       grain
	value       int32 // of a part of a day, a weekday or a day of a month
	floating    bool  // no year is named
	toNow       bool  // it ends now, if that is within it
	sessions    Sessions
}

// grain is the unit of a span, or how its day was named.
type grain uint8

const (
	onlySessions grain = iota
	nothing            // words that only look like a time
	dayNumber          // a number that may be a day of a month
	dayPart            // no day is named
	some               // any other period
	hours
	day
	weekday    // no week is named
	dayOfMonth // no month is named
	weekend
	week
	month
	season
	quarter
	year
	decade
	century
	open // without a beginning or end
)

// unit is a length of time.
type unit int32

const (
	minutes unit = iota + 1
	hour
	days
	weeks
	weekends
	months
	quarters
	years
	decades
	centuries
)

var units = map[string]unit{ //nolint:gochecknoglobals // a constant
	"minute": minutes, "hour": hour, "day": days, "week": weeks, "weekend": weekends, "month": months, "quarter": quarters, "year": years,
	"decade": decades, "century": centuries,
}

// grain returns the grain of the periods of a unit.
func (u unit) grain() grain {
	return [...]grain{some, hours, hours, day, week, weekend, month, quarter, year, decade, century}[u]
}

// valid reports whether a span ends after it begins, within the years that can be represented.
func (s *span) valid() bool {
	if s.grain <= dayPart {
		return true
	}
	for _, t := range []time.Time{s.from, s.until} {
		if !t.IsZero() && (t.Year() < minYear || t.Year() > maxYear) {
			return false
		}
	}
	return s.from.IsZero() != s.until.IsZero() || s.from.Before(s.until)
}

const (
	hoursOfDay  = 24
	daysOfWeek  = 7
	monthsOfQtr = 3
	monthsOfYr  = 12
	tenYears    = 10
	hundred     = 100
)

// dayOf returns the beginning of the day of a time.
func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// addDays returns a time some days later, at the same time of the day.
func addDays(t time.Time, n int) time.Time { return t.AddDate(0, 0, n) }

// begin returns the beginning of the period of a unit in which a time is.
func (u unit) begin(t time.Time) time.Time {
	date := func(y int, m time.Month) time.Time { return time.Date(y, m, 1, 0, 0, 0, 0, t.Location()) }
	y := t.Year()
	switch u {
	case minutes:
		return t.Truncate(time.Minute)
	case hour:
		return t.Truncate(time.Hour)
	case weeks:
		return addDays(dayOf(t), -(int(t.Weekday())+daysOfWeek-1)%daysOfWeek)
	case weekends:
		return addDays(weeks.begin(t), daysOfWeek-2)
	case months:
		return date(y, t.Month())
	case quarters:
		return date(y, t.Month()-(t.Month()-1)%monthsOfQtr)
	case years:
		return date(y, 1)
	case decades:
		return date(y-y%tenYears, 1)
	case centuries:
		return date(y-y%hundred, 1)
	}
	return dayOf(t)
}

// add returns a time some units later. At the end of shorter months it is their last day.
func (u unit) add(t time.Time, n int) time.Time {
	inMonths := 0
	switch u {
	case minutes:
		return t.Add(time.Duration(n) * time.Minute)
	case hour:
		return t.Add(time.Duration(n) * time.Hour)
	case days:
		return addDays(t, n)
	case weeks, weekends:
		return addDays(t, daysOfWeek*n)
	case months:
		inMonths = n
	case quarters:
		inMonths = monthsOfQtr * n
	case years:
		inMonths = monthsOfYr * n
	case decades:
		inMonths = monthsOfYr * tenYears * n
	case centuries:
		inMonths = monthsOfYr * hundred * n
	}
	later := t.AddDate(0, inMonths, 0)
	if later.Day() != t.Day() {
		later = addDays(later, -later.Day())
	}
	return later
}

// period returns the period of a unit n units after the one in which a time is.
func (u unit) period(t time.Time, n int) span {
	begin := u.add(u.begin(t), n)
	until := u.add(begin, 1)
	if u == weekends {
		until = addDays(begin, 2)
	}
	return span{from: begin, until: until, grain: u.grain()}
}

// dayspan returns a day as a span.
func dayspan(t time.Time) span { return days.period(t, 0) }

// inYear returns a floating span in a year.
func (s *span) inYear(y int) span {
	moved := *s
	n := y - s.from.Year()
	moved.from, moved.until = s.from.AddDate(n, 0, 0), s.until.AddDate(n, 0, 0)
	if s.grain == day {
		moved.until = addDays(moved.from, 1)
	}
	moved.floating = false
	if s.grain == day && moved.from.Day() != s.from.Day() { // February 29
		return span{}
	}
	return moved
}

// part returns hours of a day, a hundred times the first and the last.
func part(of time.Time, value int32) span {
	at := func(h int32) time.Time {
		return time.Date(of.Year(), of.Month(), of.Day()+int(h)/hoursOfDay, int(h)%hoursOfDay, 0, 0, 0, of.Location())
	}
	return span{from: at(value / pairBase), until: at(value % pairBase), grain: hours, toNow: true}
}
