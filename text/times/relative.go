package times

import "time"

// relativeDay makes the day that is as many days from today as the argument says.
func (r *reading) relativeDay() (span, bool) { return dayspan(addDays(r.asked, r.argument)), true }

// period makes the period of a unit that is as many from this one as the argument says: last week, this month.
func (r *reading) period() (span, bool) {
	u := r.unit()
	n := r.argument
	if u == weekends && n < 0 && r.asked.Weekday() == time.Sunday || u == minutes {
		return span{}, u != minutes
	}
	s := u.period(r.asked, n)
	s.toNow = n == 0 && u != weekends
	return s, true
}

// past makes some units up to now: the last 3 days. The argument is their number if none is named.
func (r *reading) past() (span, bool) {
	u := r.unit()
	_, n := r.count()
	if _, found := r.numbered(classNumber, 0); !found && r.argument > 1 {
		n = r.argument
	}
	if u == weekends {
		return u.period(r.asked, -n), true
	}
	from := u.add(r.asked, -n)
	if u > hour {
		from = dayOf(from)
	}
	return span{from: from, until: r.asked, grain: some}, n > 0
}

// yearsNotCounted is the first year that is never a number of years.
const yearsNotCounted = 1_000

// ago makes the time around the moment that was some units ago. Of many days nobody counts each: what was as many times 24 hours ago is
// meant too.
func (r *reading) ago() (span, bool) {
	const many = 7
	least, most := r.count()
	if r.unit() == years && most >= yearsNotCounted {
		return span{}, false
	}
	s, last := r.near(-most), r.near(-least)
	s.until = last.until
	if r.unit() == days && most > many {
		s.from = addDays(r.asked, -most-1)
	}
	return s, most > 0
}

// weeksAgo is ago for as many weeks as the argument says.
func (r *reading) weeksAgo() (span, bool) { return r.agoIn(weeks) }

// monthsAgo is ago for as many months as the argument says.
func (r *reading) monthsAgo() (span, bool) { return r.agoIn(months) }

func (r *reading) agoIn(u unit) (span, bool) {
	n := int32(r.argument) //nolint:gosec // from a file
	named := reading{captures: []capture{{class: classNumber, value: n}, {class: classUnit, value: int32(u)}}, asked: r.asked}
	return named.ago()
}

// exactly makes the day that was some units ago.
func (r *reading) exactly() (span, bool) {
	_, n := r.count()
	return dayspan(r.unit().add(r.asked, -n)), r.unit() > hour && n > 0
}

// weekend makes the latest weekend that has begun.
func (r *reading) weekend() (span, bool) {
	if s := weekends.period(r.asked, 0); !s.from.After(r.asked) {
		return s, true
	}
	return weekends.period(r.asked, -1), true
}

// ahead is ago in the future.
func (r *reading) ahead() (span, bool) {
	least, most := r.count()
	s, last := r.near(least), r.near(most)
	s.until = last.until
	return s, least > 0
}

// near returns the time around the moment that is n units from now: a day, month or year of the calendar, but seven days, an hour or
// some minutes around the moment itself.
func (r *reading) near(n int) span {
	u := r.unit()
	switch at := u.add(r.asked, n); u {
	case minutes:
		margin := time.Duration(max(n, -n)/4+2) * time.Minute
		return span{from: at.Add(-margin), until: at.Add(margin), grain: hours}
	case hour:
		return span{from: at.Add(-time.Hour / 2), until: at.Add(time.Hour / 2), grain: hours}
	case weeks:
		return span{from: addDays(dayOf(at), -3), until: addDays(dayOf(at), 4), grain: week}
	}
	return u.period(r.asked, n)
}

// older makes the time before the moment that was some units ago.
func (r *reading) older() (span, bool) {
	_, n := r.count()
	return span{until: dayOf(r.unit().add(r.asked, -n)), grain: open}, n > 0
}

// newer makes the time since the moment that was some units ago.
func (r *reading) newer() (span, bool) { return r.past() }

// offset makes the period that is some units before or, with the argument 1, after a time.
func (r *reading) offset() (span, bool) {
	s, ok := r.interval()
	u := r.unit()
	least, n := r.count()
	if !ok || n < 1 || s.grain == open {
		return span{}, false
	}
	if r.argument > 0 {
		return span{from: u.add(s.until, least-1), until: u.add(s.until, n), grain: u.grain()}, true
	}
	return span{from: u.add(s.from, -n), until: u.add(s.from, 1-least), grain: u.grain()}, true
}

// part makes the part of a day that is not named.
func (r *reading) part() (span, bool) {
	return span{grain: dayPart, value: int32(r.value(classPart, 0))}, true //nolint:gosec // from a table
}

// partOf makes the part of the day that is as many days from today as the argument says; its night if no part is named.
func (r *reading) partOf() (span, bool) {
	const night = 18*pairBase + 29
	return part(addDays(r.asked, r.argument), int32(r.value(classPart, night))), true //nolint:gosec // from a table
}

// earlier makes what of a time is before now.
func (r *reading) earlier() (span, bool) {
	s, ok := r.interval()
	if !ok || s.from.IsZero() || !s.from.Before(r.asked) {
		return s, false
	}
	if s.until.IsZero() || s.until.After(r.asked) {
		s.until = r.asked
	}
	s.grain = some
	return s, true
}

// isOfSessions reports whether the time is of sessions only: what was since the last one is no session.
func (r *reading) isOfSessions() bool {
	t := r.times()[0]
	return t != nil && t.grain == onlySessions
}

// since makes the time from a time on.
func (r *reading) since() (span, bool) {
	if r.isOfSessions() {
		return r.none()
	}
	s, ok := r.interval()
	return span{from: s.from, grain: open}, ok && !s.from.IsZero()
}

// after makes the time after a time.
func (r *reading) after() (span, bool) {
	if r.isOfSessions() {
		return r.none()
	}
	s, ok := r.interval()
	return span{from: s.until, grain: open}, ok && !s.until.IsZero()
}

// before makes the time before a time.
func (r *reading) before() (span, bool) {
	if r.isOfSessions() {
		return r.none()
	}
	s, ok := r.interval()
	return span{until: s.from, grain: open}, ok && !s.from.IsZero()
}

// until makes the time up to the end of a time.
func (r *reading) until() (span, bool) {
	if r.isOfSessions() {
		return r.none()
	}
	s, ok := r.interval()
	return span{until: s.until, grain: open}, ok && !s.until.IsZero()
}

// around makes a time with something before and after it: three days around a day, half of a month or year.
func (r *reading) around() (span, bool) {
	s, ok := r.interval()
	if !ok || s.from.IsZero() || s.until.IsZero() {
		return s, false
	}
	margin := int(s.until.Sub(s.from).Hours()/hoursOfDay+1) / 2
	if s.grain <= day {
		margin = max(margin, 3)
	}
	return span{from: addDays(s.from, -margin), until: addDays(s.until, margin), grain: some}, true
}

// third makes the beginning, middle or end of a time.
func (r *reading) third() (span, bool) { return r.fraction(3) }

// half makes the first or second half of a time.
func (r *reading) half() (span, bool) { return r.fraction(2) }

// fraction returns the part of a time that the argument says, counted from 1.
func (r *reading) fraction(parts int) (span, bool) {
	s, ok := r.interval()
	if !ok || s.from.IsZero() || s.until.IsZero() || s.grain == hours {
		return s, false
	}
	length := int(s.until.Sub(s.from).Hours()+1) / hoursOfDay
	cut := func(n int) time.Time {
		if n == parts {
			return s.until
		}
		if inMonths := monthsIn(&s); inMonths%parts == 0 && inMonths > 0 {
			return months.add(s.from, inMonths*n/parts)
		}
		return addDays(s.from, length*n/parts)
	}
	if s.grain == day {
		eighth := time.Duration(hoursOfDay/parts) * time.Hour
		begin := s.from.Add(eighth * time.Duration(r.argument-1))
		return span{from: begin, until: begin.Add(eighth), grain: hours}, true
	}
	return span{from: cut(r.argument - 1), until: cut(r.argument), grain: some, floating: s.floating}, true
}

// monthsIn returns the length of a span in months; 0 if it is shorter than two.
func monthsIn(s *span) int {
	n := (s.until.Year()-s.from.Year())*monthsOfYr + int(s.until.Month()-s.from.Month())
	if n < 2 {
		return 0
	}
	return n
}

// nth makes a period within a longer one by its order: the first week of May. The argument -1 counts from the end.
func (r *reading) nth() (span, bool) {
	s, ok := r.interval()
	u := r.unit()
	n := max(r.nthOf(), 1)
	if !ok || s.grain <= day || s.from.IsZero() || s.until.IsZero() || u <= hour {
		return s, false
	}
	var begin time.Time
	switch {
	case u == weekends && r.argument < 0:
		begin = u.begin(addDays(s.until, -2))
	case u == weekends:
		begin = addDays(s.from, (int(time.Saturday)-int(s.from.Weekday()))%daysOfWeek+daysOfWeek*(n-1))
	case r.argument < 0:
		begin = u.add(s.until, -n)
	default:
		begin = u.add(s.from, n-1)
	}
	end := u.add(begin, 1)
	if u == weekends {
		end = addDays(begin, 2)
	}
	return span{from: begin, until: end, grain: u.grain(), floating: s.floating}, !begin.Before(s.from) && begin.Before(s.until)
}

// nthWeekday makes a weekday within a time by its order: the last Friday of May.
func (r *reading) nthWeekday() (span, bool) {
	s, ok := r.interval()
	w := r.value(classWeekday, 0)
	n := max(r.nthOf(), 1)
	if !ok || s.grain <= week || s.from.IsZero() || s.until.IsZero() {
		return s, false
	}
	at := addDays(s.from, (w-int(s.from.Weekday())+daysOfWeek)%daysOfWeek+daysOfWeek*(n-1))
	if r.argument < 0 {
		last := addDays(s.until, -1)
		at = addDays(last, -(int(last.Weekday())-w+daysOfWeek)%daysOfWeek-daysOfWeek*(n-1))
	}
	d := dayspan(at)
	d.floating = s.floating
	return d, !at.Before(s.from) && at.Before(s.until)
}

// nthOf returns the first number or ordinal; 0 if there is none.
func (r *reading) nthOf() int {
	n, _ := r.order(0)
	return n
}

// weekOf makes the week or weekend in which a day is.
func (r *reading) weekOf() (span, bool) {
	s, ok := r.interval()
	if !ok || s.grain < day || s.grain > dayOfMonth {
		return s, false
	}
	return r.unit().period(s.from, 0), r.unit() == weeks || r.unit() == weekends
}
