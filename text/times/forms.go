package times

import (
	"embed"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed forms
var files embed.FS

// forms returns the forms of all languages.
var forms = sync.OnceValue(load) //nolint:gochecknoglobals // read once, never changed

// table has the words and patterns of all languages.
type table struct {
	vocabulary map[string]int32 // the numbers of words
	knownIn    []uint16         // by word, the languages that list it, as bits by their order
	languages  []*language
	joining    []int32 // signs within numbers
	counting   []int32 // signs of amounts
}

// language has the words and patterns of one language.
type language struct {
	classes  [listedClasses + 1]trie // the last one is empty
	names    [listedClasses][]name   // of the classes
	patterns map[int32][]*pattern    // by their first word
	onTimes  []*pattern              // that begin with a time
	roles    []role                  // by word
}

// name is a word of a class.
type name struct {
	text  string
	value value
}

// role has the roles that a word can have beside times, as bits.
type role uint8

const (
	preposition role = 1 << iota // before a time
	opener                       // before prepositions: back in May
	article                      // after prepositions
	linking                      // between two parts of one time
	never                        // what follows is no time: every
	counted                      // what stands before is no year: 2000 words
	title                        // what follows is part of a name: Mrs. May
)

const maxLead = 3 // words

var roles = map[string]role{ //nolint:gochecknoglobals // a constant
	"prepositions": preposition, "openers": opener, "articles": article, "links": linking, "never": never, "counted": counted, "titles": title,
}

// common is the file of what all languages have.
const common = "common"

func load() *table {
	t := &table{vocabulary: map[string]int32{"": unknownWord, "0": numberWord}, knownIn: make([]uint16, 2)}
	shared, err := files.ReadFile("forms/" + common + ".txt")
	if err != nil {
		panic(err)
	}
	t.joining, t.counting = t.signs(".,:/-"), t.signs("$€£¥₹%#°@")
	// English first: it wins if nothing tells the language.
	for _, name := range []string{"en", "de", "es", "fr", "it", "ja", "nl", "pt", "zh"} {
		text, err := files.ReadFile("forms/" + name + ".txt")
		if err != nil {
			panic(err)
		}
		if err := t.addLanguage(string(shared), string(text)); err != nil {
			panic(fmt.Sprintf("%s: %v", name, err))
		}
	}
	for _, l := range t.languages {
		l.roles = append(l.roles, make([]role, len(t.knownIn)-len(l.roles))...)
	}
	return t
}

// addLanguage adds a language whose forms are in some files: lines like "month: 1 january|jan; 2 february", "prepositions: in on" and
// "ago 0.9: @number @unit ago".
func (t *table) addLanguage(texts ...string) error {
	l := &language{patterns: map[int32][]*pattern{}}
	t.languages = append(t.languages, l)
	var macros []string
	replacer := strings.NewReplacer()
	for _, text := range texts {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			head, rest, found := strings.Cut(line, ":")
			if !found {
				return fmt.Errorf("%q has no colon", line)
			}
			if macro, found := strings.CutPrefix(head, "define "); found {
				macros = append(macros, "$"+macro, replacer.Replace(strings.TrimSpace(rest)))
				replacer = strings.NewReplacer(macros...)
				continue
			}
			if err := t.addLine(l, head, replacer.Replace(rest)); err != nil {
				return fmt.Errorf("%q: %w", line, err)
			}
		}
	}
	return nil
}

// addLine adds a list of words, a class or a pattern.
func (t *table) addLine(l *language, head, rest string) error {
	switch head {
	case "stop":
		t.wordsOf(l, rest)
		return nil
	case "compounds":
		t.compound(l)
		return nil
	}
	if r := roles[head]; r != 0 {
		for _, w := range t.wordsOf(l, rest) {
			l.roles = append(l.roles, make([]role, max(0, int(w)+1-len(l.roles)))...)
			l.roles[w] |= r
		}
		return nil
	}
	if c := classes[head]; c != classNone && c < listedClasses {
		return t.addClass(l, c, rest)
	}
	return t.addPattern(l, head, rest)
}

// signs returns the numbers of some signs.
func (t *table) signs(all string) (numbers []int32) {
	for _, sign := range all {
		numbers = append(numbers, int32(len(t.knownIn))) //nolint:gosec // a few
		t.vocabulary[string(sign)] = numbers[len(numbers)-1]
		t.knownIn = append(t.knownIn, 0)
	}
	return numbers
}

// wordsOf returns the numbers of the tokens of a text, and gives new ones their number.
func (t *table) wordsOf(l *language, text string) (all []int32) {
	number := slices.Index(t.languages, l)
	for _, token := range split(text, nil) {
		var folded [maxWord]byte
		key := string(fold(text[token.start:token.end], folded[:0]))
		if token.number >= 0 {
			all = append(all, numberWord)
			continue
		}
		w, known := t.vocabulary[key]
		if !known {
			w = int32(len(t.knownIn)) //nolint:gosec // a few thousand
			t.vocabulary[key] = w
			t.knownIn = append(t.knownIn, 0)
		}
		if token.kind != mark {
			t.knownIn[w] |= 1 << number
		}
		all = append(all, w)
	}
	return all
}

// addClass adds entries like "1 january|jan; 2 february", in which ~ is before a weak word and - may be omitted.
func (t *table) addClass(l *language, c class, text string) error {
	for entry := range strings.SplitSeq(text, ";") {
		head, names, found := strings.Cut(strings.TrimSpace(entry), " ")
		if !found {
			return fmt.Errorf("%q has no name", entry)
		}
		v, err := parseValue(head)
		if err != nil {
			return err
		}
		for word := range strings.SplitSeq(names, "|") {
			word, weak := strings.CutPrefix(strings.TrimSpace(word), "~")
			v := value{number: v, weak: weak}
			t.addName(l, c, name{word, v})
			if strings.Contains(word, "-") {
				t.addName(l, c, name{strings.ReplaceAll(word, "-", " "), v})
			}
		}
	}
	return nil
}

func (t *table) addName(l *language, c class, n name) {
	l.classes[c].add(t.wordsOf(l, n.text), n.value)
	l.names[c] = append(l.names[c], n)
}

// compound adds the words that weekdays and parts of days are together.
func (t *table) compound(l *language) {
	for _, day := range l.names[classWeekday] {
		for _, part := range l.names[classPart] {
			t.addName(l, classWeekdayPart, name{day.text + part.text, value{number: day.value.number*pairBase*pairBase + part.value.number}})
		}
	}
}

// pairBase separates two values of a word: 12-25 is 1225.
const pairBase = 100

// parseValue parses a number, two of them, or the name of a unit.
func parseValue(text string) (int32, error) {
	if u, known := units[text]; known {
		return int32(u), nil
	}
	first, second, pair := strings.Cut(text, "-")
	a, err1 := strconv.ParseInt(first, 10, 16)
	if !pair {
		return int32(a), err1
	}
	b, err2 := strconv.ParseInt(second, 10, 16)
	return int32(a*pairBase + b), errors.Join(err1, err2) //nolint:gosec // of 16 bits
}

// addPattern adds a pattern with a head like "period -1 0.6/0.9": an operation, its argument and the confidence, alone and after a
// preposition.
func (t *table) addPattern(l *language, head, text string) (err error) {
	fields := strings.Fields(head)
	p := &pattern{make: operations[fields[0]]}
	if p.make == nil || len(fields) < 2 {
		return errors.New("no operation with a confidence")
	}
	if len(fields) == 3 {
		if p.argument, err = strconv.Atoi(fields[1]); err != nil {
			return err
		}
	}
	alone, led, both := strings.Cut(fields[len(fields)-1], "/")
	if !both {
		led = alone
	}
	var err2 error
	p.alone, err = strconv.ParseFloat(alone, 64)
	p.led, err2 = strconv.ParseFloat(led, 64)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	parser := patternParser{text: text, word: func(s string) []int32 { return t.wordsOf(l, s) }}
	if p.elements, err = parser.pattern(); err != nil {
		return err
	}
	return l.index(p)
}

// index adds a pattern under the words that it may begin with.
func (l *language) index(p *pattern) error {
	under := map[int32]bool{}
	timed := false
	if !starts(p.elements, func(e element) {
		for _, w := range e.words {
			under[w] = true
		}
		if e.class == classTime {
			timed = true
		} else if e.words == nil {
			l.startsOf(e.class, under)
		}
	}) {
		return errors.New("must begin with a word")
	}
	if timed {
		if len(under) > 0 || p.elements[0].class != classTime {
			return errors.New("begins with a time or a word")
		}
		l.onTimes = append(l.onTimes, p)
		return nil
	}
	for w := range under {
		l.patterns[w] = append(l.patterns[w], p)
	}
	return nil
}

// startsOf adds the words with which a class may begin.
func (l *language) startsOf(c class, under map[int32]bool) {
	listed := []class{c}
	switch c {
	case classDayWord:
		listed = []class{classNumber, classOrdinal}
	case classDayNumber, classMonthNumber:
		listed = []class{classNumber}
	}
	for _, c := range listed {
		if c < listedClasses {
			for w := range l.classes[c].next {
				under[w] = true
			}
		}
	}
	switch c {
	case classNumber, classOrdinal, classNth, classDay, classDayNumber, classMonthNumber, classYear, classShortYear:
		under[numberWord] = true
	}
}

// is reports whether a word has one of some roles.
func (l *language) is(w int32, r role) bool { return l.roles[w]&r != 0 }

// leads reports whether a word may stand between the parts of a time.
func (l *language) leads(w int32) bool { return l.is(w, preposition|article|linking) }

// likely returns the languages of which most words are known; English if there are none.
func (t *table) likely(tokens []token) (likely []*language) {
	counts := make([]int, len(t.languages))
	for i := range tokens {
		for in := t.knownIn[tokens[i].word]; in != 0; in &= in - 1 {
			counts[bits.TrailingZeros16(in)]++
		}
	}
	most := slices.Max(counts)
	if most == 0 {
		return t.languages[:1]
	}
	for i, l := range t.languages {
		if counts[i] == most {
			likely = append(likely, l)
		}
	}
	return likely
}
