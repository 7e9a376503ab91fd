package times

const maxSession = 9_999

// session makes sessions by their numbers: the third one, sessions 5 to 7.
func (r *reading) session() (span, bool) { return r.ordered(false) }

// both makes two sessions by their numbers: the first and the third one.
func (r *reading) both() (span, bool) {
	s, ok := r.ordered(false)
	s.sessions.Ends = s.sessions.Last > s.sessions.First+1
	return s, ok
}

// back makes sessions by their numbers from the end: 10 sessions ago, the last one. The argument is the number if none is named.
func (r *reading) back() (span, bool) { return r.ordered(true) }

func (r *reading) ordered(fromEnd bool) (span, bool) {
	first, found := r.order(0)
	if !found {
		first = max(r.argument, 1)
	}
	last, more := r.order(1)
	if !more {
		last = first
	}
	if v, vague := r.numbered(classVague, 0); vague && !found {
		first, last = v/pairBase, v%pairBase
	}
	return sessions(first, last, fromEnd)
}

// firsts makes the first n sessions.
func (r *reading) firsts() (span, bool) {
	_, n := r.count()
	return sessions(1, n, false)
}

// lasts makes the last n sessions.
func (r *reading) lasts() (span, bool) {
	_, n := r.count()
	return sessions(1, n, true)
}

func sessions(first, last int, fromEnd bool) (span, bool) {
	if first > last {
		first, last = last, first
	}
	return span{sessions: Sessions{First: first, Last: last, FromEnd: fromEnd}}, first > 0 && last <= maxSession
}

// sessionsBetween returns the sessions from some to others.
func sessionsBetween(a, b Sessions) (span, bool) {
	if a.FromEnd != b.FromEnd {
		return span{}, false
	}
	return sessions(min(a.First, b.First), max(a.Last, b.Last), a.FromEnd)
}
