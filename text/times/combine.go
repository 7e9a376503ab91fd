package times

import "time"

// join makes one time of two that belong together: a weekday and its week, a day and its part, a date and its year, sessions and when
// they were.
func (r *reading) join() (span, bool) {
	both := r.times()
	if both[0] == nil || both[1] == nil {
		return span{}, false
	}
	if s, ok := r.within(both[0], both[1]); ok {
		return s, true
	}
	return r.within(both[1], both[0])
}

// within makes a time of a part and the time in which it is.
func (r *reading) within(small, large *span) (s span, ok bool) {
	switch {
	case small.grain == onlySessions:
		s = *large
		s.sessions = small.sessions
		if large.toNow {
			s.toNow = true
		}
		return s, large.grain > dayPart && large.sessions == Sessions{}
	case small.sessions != Sessions{} || large.sessions != Sessions{}:
		return s, false
	case small.grain == dayPart:
		return part(large.from, small.value), large.grain == day || large.grain == weekday
	case small.grain == weekday && large.grain == week:
		at := addDays(large.from, (int(small.value)-int(large.from.Weekday())+daysOfWeek)%daysOfWeek)
		return dayspan(at), true
	case small.grain == weekday && large.grain == day:
		return *large, true
	case small.grain == weekday && large.grain == dayOfMonth:
		s = *large
		s.grain = day
		return s, true
	case (small.grain == dayOfMonth || small.grain == dayNumber) && large.grain == month:
		s, ok = r.at(large.from.Year(), int(large.from.Month()), int(small.value))
		s.floating = large.floating
		return s, ok
	case small.floating && large.grain == year:
		s = small.inYear(large.from.Year())
		return s, s.grain != onlySessions
	}
	return s, false
}

// between makes the time from a time to another.
func (r *reading) between() (span, bool) {
	both := r.times()
	if both[0] == nil || both[1] == nil {
		return span{}, false
	}
	a, b := *both[0], *both[1]
	if a.grain == onlySessions && b.grain == onlySessions {
		return sessionsBetween(a.sessions, b.sessions)
	}
	if a.grain == dayNumber && b.grain == day {
		a.grain = dayOfMonth
	} else if b.grain == dayNumber && a.grain == day {
		b.grain = dayOfMonth
	}
	if a.grain <= dayPart || b.grain <= dayPart || a.grain == open || b.grain == open || (a.sessions != Sessions{}) || (b.sessions != Sessions{}) {
		return span{}, false
	}
	if !r.orderEnds(&a, &b) {
		return span{}, false
	}
	return span{from: a.from, until: b.until, grain: some, toNow: b.toNow}, !a.from.IsZero() && !b.until.IsZero()
}

// orderEnds moves the ends of a range that do not name their week, month or year, so that the second follows the first.
func (r *reading) orderEnds(a, b *span) bool {
	switch {
	case a.grain == dayOfMonth && b.grain == day:
		a.moveBefore(b.from)
	case b.grain == dayOfMonth && a.grain == day:
		at, ok := r.at(a.from.Year(), int(a.from.Month()), int(b.value))
		if !ok {
			return false
		}
		if b.from, b.until = at.from, at.until; b.from.Before(a.from) {
			b.from, b.until = months.add(b.from, 1), months.add(b.until, 1)
		}
	case a.grain == dayOfMonth && b.grain == dayOfMonth:
		a.moveBefore(b.from)
	case a.grain == weekday && b.grain == weekday && a.from.After(b.from):
		a.from = addDays(a.from, -daysOfWeek)
	case a.floating && b.floating:
		r.floatRange(a, b)
	case a.floating:
		if *a = a.inYear(b.from.Year()); a.from.After(b.from) {
			*a = a.inYear(b.from.Year() - 1)
		}
	case b.floating:
		if *b = b.inYear(a.from.Year()); b.from.Before(a.from) {
			*b = b.inYear(a.from.Year() + 1)
		}
	}
	return true
}

// floatRange moves a range without years so that it is the latest that has begun, and more of it is past than to come.
func (r *reading) floatRange(a, b *span) {
	if *b = b.inYear(a.from.Year()); b.from.Before(a.from) {
		*b = b.inYear(a.from.Year() + 1)
	}
	if b.until.Sub(r.asked) > r.asked.Sub(a.from) {
		*a, *b = a.inYear(a.from.Year()-1), b.inYear(b.from.Year()-1)
	}
}

// days makes the time from a day of a month to another day of it.
func (r *reading) days() (span, bool) {
	m := r.value(classMonth, 0)
	first, _ := r.numbered(classDay, 0)
	last, _ := r.numbered(classDay, 1)
	var a, b span
	var ok, ok2 bool
	if y, found := r.numbered(classYear, 0); found {
		a, ok = r.at(y, m, first)
		b, ok2 = r.at(y, m, last)
	} else {
		a, ok = r.latest(m, first)
		b, ok2 = r.at(a.from.Year(), m, last)
	}
	return span{from: a.from, until: b.until, grain: some}, ok && ok2 && a.grain == day
}

// moveBefore moves the beginning of a day of a month to the latest that is not after a time.
func (s *span) moveBefore(limit time.Time) {
	s.from = time.Date(limit.Year(), limit.Month(), int(s.value), 0, 0, 0, 0, limit.Location())
	if s.from.After(limit) {
		s.from = months.add(s.from, -1)
	}
}
