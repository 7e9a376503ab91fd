package times

// class is a kind of words that patterns name.
type class uint8

const (
	classNone class = iota
	// Words with their values in the forms.
	classNumber
	classOrdinal
	classMonth
	classWeekday
	classUnit
	classVague // how many: a few
	classPart  // of a day
	classToday // a part of this day, in one word
	classYesterday
	classWeekdayPart // Tuesday evening, in one word
	classSeason
	classHoliday
	classDecade
	classSession // a conversation, in any text
	classMeeting // a word that may also mean others
	classSuffix  // of an ordinal in digits
	listedClasses
	// Numbers that count only within some bounds.
	classDay         // a day of a month in digits
	classNth         // digits with the suffix of an ordinal
	classDayWord     // a day of a month in words
	classDayNumber   // either
	classMonthNumber // a month by its number
	classYear        // four digits
	classShortYear   // two digits
	classTime
	classLead
)

var classes = map[string]class{ //nolint:gochecknoglobals // a constant
	"number": classNumber, "ordinal": classOrdinal, "month": classMonth, "weekday": classWeekday, "unit": classUnit, "vague": classVague,
	"part": classPart, "today": classToday, "yesterday": classYesterday, "weekdaypart": classWeekdayPart, "season": classSeason, "holiday": classHoliday, "decade": classDecade, "session": classSession,
	"meeting": classMeeting, "suffix": classSuffix, "day": classDay, "nth": classNth, "dayword": classDayWord, "daynumber": classDayNumber,
	"monthnumber": classMonthNumber, "year": classYear, "shortyear": classShortYear, "time": classTime, "lead": classLead,
}

// captured returns the class that operations know a capture by.
func (c class) captured() class {
	switch c {
	case classDayWord, classDayNumber, classNth:
		return classDay
	case classMonthNumber:
		return classMonth
	case classShortYear:
		return classYear
	case classToday, classYesterday:
		return classPart
	}
	return c
}

// value is the meaning of a word of a class.
type value struct {
	number int32
	weak   bool // the word is more often another one
}

// trie finds the longest name of a class.
type trie struct {
	next  map[int32]*trie
	value value
	ends  bool
}

func (t *trie) add(words []int32, v value) {
	for _, w := range words {
		if t.next == nil {
			t.next = map[int32]*trie{}
		}
		if t.next[w] == nil {
			t.next[w] = &trie{}
		}
		t = t.next[w]
	}
	if !t.ends {
		t.value, t.ends = v, true
	}
}

// find returns the value of the longest name at a token and its end; at if there is none.
func (t *trie) find(tokens []token, at int) (v value, end int) {
	end = at
	for i := at; i < len(tokens) && t.next != nil && tokens[i].word != unknownWord; i++ {
		if t = t.next[tokens[i].word]; t == nil {
			break
		}
		if t.ends {
			v, end = t.value, i+1
		}
	}
	return v, end
}

// limits are the least and greatest numbers of classes.
var limits = [classLead + 1][2]int32{ //nolint:gochecknoglobals // a constant
	classNumber: {0, 99_999}, classOrdinal: {1, 9_999}, classDay: {1, 31}, classNth: {1, 31}, classDayWord: {1, 31}, classDayNumber: {1, 31}, classMonthNumber: {1, 12},
	classYear: {1_000, 2_999}, classShortYear: {1_970, 2_069},
}

// classAt returns the value of a class at a token and its end; at if there is none.
func (c *chart) classAt(k class, at int) (v value, end int) {
	if at >= len(c.tokens) {
		return v, at
	}
	if v, end = c.anyValue(k, at); end > at && limits[k][1] > 0 && (v.number < limits[k][0] || v.number > limits[k][1]) {
		return v, at
	}
	return v, end
}

// anyValue is classAt without bounds.
func (c *chart) anyValue(k class, at int) (v value, end int) {
	t := c.tokens[at]
	l := c.language
	digits := value{number: t.number}
	_, suffixed := l.classes[classSuffix].find(c.tokens, at+1)
	if suffixed > at+1 && !c.tokens[at+1].glued {
		suffixed = at + 1
	}
	switch {
	case k == classDayWord:
		if v, end = l.classes[classOrdinal].find(c.tokens, at); end == at {
			v, end = l.classes[classNumber].find(c.tokens, at)
		}
		return v, end
	case t.number < 0:
		if k == classDayNumber || k == classMonthNumber {
			k = classNumber
		}
		if k < listedClasses {
			return l.classes[k].find(c.tokens, at)
		}
		return v, at
	case k == classNumber || k == classMonthNumber || k == classDayNumber:
		return digits, at + 1
	case k == classDay && t.digits <= 2:
		return digits, suffixed
	case (k == classOrdinal || k == classNth) && suffixed > at+1:
		return digits, suffixed
	case k == classYear && t.digits == 4:
		return digits, at + 1
	case k == classShortYear && t.digits == 2:
		if digits.number += 1900; digits.number < 1970 {
			digits.number += 100
		}
		return digits, at + 1
	}
	return l.classes[min(k, listedClasses)].find(c.tokens, at)
}
