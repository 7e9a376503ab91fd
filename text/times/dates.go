package times

import "time"

// day returns a day of a year, or nothing if the month has no such day.
func (r *reading) day(y, m, d int) (span, bool) {
	if s, ok := r.at(y, m, d); ok {
		return s, true
	}
	return r.none()
}

// at returns a day; it reports false if the month has no such day.
func (r *reading) at(y, m, d int) (span, bool) {
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, r.asked.Location())
	if t.Day() != d || m < 1 || m > monthsOfYr {
		return span{}, false
	}
	return dayspan(t), true
}

// date makes the day of a month and, if a year is named, of a year; otherwise the latest that is not after now. With the argument 1 it is
// the next one.
func (r *reading) date() (span, bool) {
	m, d := r.value(classMonth, 0), r.value(classDay, 0)
	if y, found := r.numbered(classYear, 0); found {
		return r.day(y, m, d)
	}
	return r.latest(m, d)
}

// latest returns the latest day of a month and day that is not after now; nothing if there is none.
func (r *reading) latest(m, d int) (s span, ok bool) {
	const leaps = 8 // years between two of them, at most
	for y := r.asked.Year(); y > r.asked.Year()-leaps; y-- {
		if s, ok = r.at(y, m, d); ok && !s.from.After(r.asked) {
			s.floating = true
			return s, true
		}
	}
	return r.none()
}

// numeric makes a date of a year, a month and a day in numbers.
func (r *reading) numeric() (span, bool) {
	m, _ := r.numbered(classNumber, 0)
	d, _ := r.numbered(classNumber, 1)
	return r.day(r.value(classYear, 0), m, d)
}

// monthFirst makes a date of numbers with the month first; of those with the day first if nothing else is possible.
func (r *reading) monthFirst() (span, bool) { return r.ofNumbers(0, 1) }

// dayFirst is monthFirst with the day first.
func (r *reading) dayFirst() (span, bool) { return r.ofNumbers(1, 0) }

func (r *reading) ofNumbers(month, day int) (span, bool) {
	m, _ := r.numbered(classNumber, month)
	d, _ := r.numbered(classNumber, day)
	if m > monthsOfYr {
		m, d = d, m
	}
	if y, found := r.numbered(classYear, 0); found {
		return r.day(y, m, d)
	}
	return r.latest(m, d)
}

// monthday makes a day of a month that is not named: the latest one. With the argument 1 it is only the number of a day.
func (r *reading) monthday() (s span, ok bool) {
	d := r.value(classDay, 0)
	begin := months.begin(r.asked)
	for back := 0; back < 4; back++ {
		m := months.add(begin, -back)
		if s, ok = r.at(m.Year(), int(m.Month()), d); ok && !s.from.After(r.asked) {
			break
		}
	}
	if s.grain, s.value = dayOfMonth, int32(d); r.argument > 0 { //nolint:gosec // 1 to 31
		s.grain = dayNumber
	}
	return s, ok
}

// month makes a month, of a year if one is named; otherwise the latest that has begun. With the argument -1 it is the latest before
// this month, with 1 the next one, with 2 that of this year.
func (r *reading) month() (span, bool) {
	m := time.Month(r.value(classMonth, 0))
	of := func(y int) span { return months.period(time.Date(y, m, 1, 0, 0, 0, 0, r.asked.Location()), 0) }
	if y, found := r.numbered(classYear, 0); found {
		return of(y), true
	}
	return r.floating(of, months.begin(r.asked)), true
}

// What patterns of floating may have as their argument.
const (
	previousOne = -1
	nextOne     = 1
	thisYear    = 2
)

// floating returns the latest period of those of each year that has begun, or the one that the argument says. Those that end after
// current are not previous ones.
func (r *reading) floating(of func(year int) span, current time.Time) span {
	y := r.asked.Year()
	s := of(y)
	switch r.argument {
	case thisYear:
	case nextOne:
		if !s.from.After(r.asked) {
			s = of(y + 1)
		}
	case previousOne:
		for s = of(y); s.until.After(current); y-- {
			s = of(y - 1)
		}
	default:
		if s.from.After(r.asked) {
			s = of(y - 1)
		}
	}
	s.floating = r.argument == 0
	return s
}

// year makes a year.
func (r *reading) year() (span, bool) {
	y := r.value(classYear, 0)
	return years.period(time.Date(y, 1, 1, 0, 0, 0, 0, r.asked.Location()), 0), y > 0
}

// decade makes ten years: of four digits or, by its last two, those of the 20th century or, from 2000 to 2020, of the 21st.
func (r *reading) decade() (span, bool) {
	y := r.value(classYear, r.value(classDecade, 1))
	switch {
	case y%tenYears != 0:
		return span{}, false
	case y < 30:
		y += 2000
	case y < hundred:
		y += 1900
	}
	return decades.period(time.Date(y, 1, 1, 0, 0, 0, 0, r.asked.Location()), 0), true
}

// century makes a century by its order; the 19th begins in 1800.
func (r *reading) century() (span, bool) {
	n, ok := r.order(0)
	if !ok || n < 2 || n > 30 {
		return span{}, false
	}
	return centuries.period(time.Date((n-1)*hundred, 1, 1, 0, 0, 0, 0, r.asked.Location()), 0), true
}

// season makes three months, of a year or by the argument, like month.
func (r *reading) season() (span, bool) {
	of := func(y int) span {
		begin := time.Date(y, time.Month(r.value(classSeason, 1)), 1, 0, 0, 0, 0, r.asked.Location())
		return span{from: begin, until: months.add(begin, monthsOfQtr), grain: season}
	}
	if y, found := r.numbered(classYear, 0); found {
		return of(y), true
	}
	return r.floating(of, r.asked), true
}

// quarter makes a quarter by its number, of a year or the latest.
func (r *reading) quarter() (span, bool) {
	n, _ := r.order(0)
	if n < 1 || n > 4 {
		return span{}, false
	}
	of := func(y int) span {
		return quarters.period(time.Date(y, time.Month(monthsOfQtr*n), 1, 0, 0, 0, 0, r.asked.Location()), 0)
	}
	if y, found := r.numbered(classYear, 0); found {
		return of(y), true
	}
	return r.floating(of, r.asked), true
}

// holiday makes a day that is on the same date each year.
func (r *reading) holiday() (span, bool) {
	v := r.value(classHoliday, 0)
	of := func(y int) span {
		s, _ := r.at(y, v/pairBase, v%pairBase)
		return s
	}
	if y, found := r.numbered(classYear, 0); found {
		return of(y), true
	}
	return r.floating(of, r.asked), true
}

// weekday makes a day by its name: the latest before today; with the argument 1 the next one.
func (r *reading) weekday() (span, bool) {
	w := r.value(classWeekday, 0)
	today := dayOf(r.asked)
	back := (int(today.Weekday()) - w + daysOfWeek) % daysOfWeek
	at := addDays(today, -back)
	switch {
	case r.argument > 0:
		at = addDays(at, daysOfWeek)
	case back == 0:
		at = addDays(at, -daysOfWeek)
	}
	s := dayspan(at)
	if r.argument == 0 {
		s.grain, s.value = weekday, int32(w) //nolint:gosec // 0 to 6
	}
	return s, true
}

// weekdayOf makes a day by its name, in the week that is as many from this one as the argument says.
func (r *reading) weekdayOf() (span, bool) {
	w := r.value(classWeekday, 0)
	return dayspan(addDays(weeks.period(r.asked, r.argument).from, (w+daysOfWeek-1)%daysOfWeek)), true
}

// weekdayPart makes the part of a weekday that is one word with it, by the argument like weekday.
func (r *reading) weekdayPart() (span, bool) {
	v := r.value(classWeekdayPart, 0)
	named := reading{captures: []capture{{class: classWeekday, value: int32(v / (pairBase * pairBase))}}, argument: r.argument, asked: r.asked} //nolint:gosec // 0 to 6
	s, ok := named.weekday()
	return part(s.from, int32(v%(pairBase*pairBase))), ok //nolint:gosec // of two pairs
}

// isoWeek makes a week by its number in a year, as ISO 8601 counts them.
func (r *reading) isoWeek() (span, bool) {
	n, _ := r.order(0)
	y := r.value(classYear, r.asked.Year())
	of := func(y int) span {
		return weeks.period(time.Date(y, 1, 4, 0, 0, 0, 0, r.asked.Location()), n-1)
	}
	s := of(y)
	if _, found := r.numbered(classYear, 0); !found && s.from.After(r.asked) {
		s = of(y - 1)
	}
	return s, n > 0 && n <= 53
}

// isoDay makes a day by its number in such a week.
func (r *reading) isoDay() (span, bool) {
	s, ok := r.isoWeek()
	n, _ := r.order(1)
	return dayspan(addDays(s.from, n-1)), ok && n > 0 && n <= daysOfWeek
}
