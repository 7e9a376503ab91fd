package replay

import "time"

// mostNumbers is the number of instances that can be distinguished, and a microsecond in nanoseconds: the last three digits of a moment
// are the number of the instance that answered.
const mostNumbers = 1000

// next returns the moment of an answer, later than all before. The recorder is locked.
func (r *Recorder) next() int64 {
	now := r.options.Now().UnixNano() / mostNumbers
	r.last = max(now, r.last/mostNumbers+1)*mostNumbers + r.number
	return r.last
}

// numberOf returns the number of the instance that answered at a moment; 0 if none did: a person chose the time.
func numberOf(at int64) int64 { return at % mostNumbers }

// dayOf returns the day of a moment, since 1970.
func dayOf(at int64) int64 { return at / int64(24*time.Hour) }

// nanos returns a time as a moment; 0 for one before 1970.
func nanos(t time.Time) int64 {
	if t.Unix() < 0 {
		return 0
	}
	return t.UnixNano()
}
