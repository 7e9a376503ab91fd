package recognise

import (
	"embed"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"kith/text/steps"
	"kith/text/words"
)

//go:embed forms
var files embed.FS

// forms returns the forms of all languages. The first call takes some 60 ms, which not every command should pay.
var forms = sync.OnceValue(load) //nolint:gochecknoglobals // read once, never changed

// table has the patterns of all languages by their first word.
type table struct {
	byWord    map[string][]*pattern
	byPrefix  map[string][]*pattern // by the first bytes of a word that may go on
	languages []*language
	commonIn  map[string]uint32 // the languages in which a word is common, as bits by their numbers
}

// language has what the forms of one language share.
type language struct {
	number   int
	gap      int             // words that ~ may stand for
	joins    map[string]bool // words after which a clause begins
	asks     map[string]bool // words that begin a question; "?" if the order of words does not tell one from a statement
	said     map[string]bool // verbs after which others speak
	own      map[string]bool // subjects of such verbs that are the user
	stop     map[string]bool // words without content
	unless   [][]element     // of suppositions
	reported [][]element     // what is before the words or the doings of others
	dates    [][]element
	once     [][]element // of what holds this one time
	limits   [][]element // of what holds in some cases alone
	slots    []slot
	not      map[string]bool // words that turn an instruction into its opposite
	halt     map[string]bool // verbs that do, but not after always
	always   map[string]bool
	light    map[string]bool // stems that many statements share
	points   map[string]bool // words that point at something said before
	mine     map[string]bool // before who or what is the user's
	theirs   map[string]bool // before who or what is of others
}

// slot is a form of statements of a kind about something of which a user has one, such as a diet or the language of answers.
type slot struct {
	kind     Kind
	name     string
	elements []element
}

const prefixLength = 2 // bytes by which byPrefix finds words

func load() *table {
	t := &table{byWord: map[string][]*pattern{}, byPrefix: map[string][]*pattern{}, commonIn: map[string]uint32{}}
	entries, err := files.ReadDir("forms")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		text, err := files.ReadFile("forms/" + e.Name())
		if err != nil {
			panic(err)
		}
		if err := t.add(string(text)); err != nil {
			panic(fmt.Sprintf("%s: %v", e.Name(), err))
		}
	}
	for _, l := range t.languages {
		for word := range l.stop {
			t.commonIn[word] |= 1 << l.number
		}
	}
	return t
}

// add adds the forms of a language: lines like "joins: and but" and "preference - 0.9: i hate".
func (t *table) add(text string) error {
	l := &language{number: len(t.languages), gap: gap}
	t.languages = append(t.languages, l)
	lists := map[string]*map[string]bool{
		"joins": &l.joins, "asks": &l.asks, "said": &l.said, "own": &l.own, "stop": &l.stop, "light": &l.light,
		"not": &l.not, "halt": &l.halt, "always": &l.always, "points": &l.points, "mine": &l.mine, "theirs": &l.theirs,
	}
	for _, list := range lists {
		*list = map[string]bool{}
	}
	var macros []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		head, rest, found := strings.Cut(line, ":")
		if !found {
			return fmt.Errorf("%q has no colon", line)
		}
		if list := lists[head]; list != nil {
			for word := range strings.FieldsSeq(rest) {
				if head == "light" {
					word = words.Stem(word)
				}
				(*list)[word] = true
			}
			continue
		}
		if head == "gap" {
			var err error
			if l.gap, err = strconv.Atoi(strings.TrimSpace(rest)); err != nil {
				return err
			}
			continue
		}
		if macro, found := strings.CutPrefix(head, "define "); found {
			macros = append(macros, "$"+macro, strings.TrimSpace(rest))
			continue
		}
		elements, err := parsePattern(strings.NewReplacer(macros...).Replace(rest))
		if err != nil {
			return err
		}
		if fields := strings.Fields(head); fields[0] == "slot" && len(fields) == 3 {
			l.slots = append(l.slots, slot{Kind(fields[1]), fields[2], elements})
			continue
		}
		switch head {
		case "unless":
			l.unless = append(l.unless, elements)
		case "reported":
			l.reported = append(l.reported, elements)
		case "date":
			l.dates = append(l.dates, elements)
		case "once":
			l.once = append(l.once, elements)
		case "limits":
			l.limits = append(l.limits, elements)
		default:
			p, err := parseHead(head)
			if err != nil {
				return err
			}
			p.elements, p.language = elements, l
			if err := t.index(&p); err != nil {
				return fmt.Errorf("%q: %w", line, err)
			}
		}
	}
	return nil
}

// parseHead parses "kind(about) - confidence".
func parseHead(head string) (p pattern, err error) {
	fields := strings.Fields(head)
	kind, about, _ := strings.Cut(strings.TrimSuffix(fields[0], ")"), "(")
	if Kind(kind) == End && len(fields) == 1 {
		return pattern{kind: End, about: about}, nil
	}
	p.kind, p.about = Kind(kind), about
	p.negative = len(fields) == 3 && fields[1] == "-"
	if p.confidence, err = strconv.ParseFloat(fields[len(fields)-1], 64); err != nil {
		return p, err
	}
	switch p.kind {
	case Instruction, Preference, Fact, Plan, Forget:
		return p, nil
	}
	return p, fmt.Errorf("%q is no kind", kind)
}

func (t *table) index(f *pattern) error {
	seen := map[string]bool{}
	if !first(f.elements, func(word string, prefix bool) {
		by := t.byWord
		if prefix {
			by, word = t.byPrefix, word[:min(prefixLength, len(word))]
		}
		if !seen[word] {
			by[word] = append(by[word], f)
		}
		seen[word] = true
	}) {
		return fmt.Errorf("must begin with a word")
	}
	return nil
}

// beginWith returns the forms that may begin with a word.
func (t *table) beginWith(word string) iter.Seq[*pattern] {
	return func(yield func(*pattern) bool) {
		for _, f := range t.byWord[word] {
			if !yield(f) {
				return
			}
		}
		for _, f := range t.byPrefix[word[:min(prefixLength, len(word))]] {
			if !yield(f) {
				return
			}
		}
	}
}

// date returns the end of a date that begins at a token; at if there is none.
func (l *language) date(c *steps.Counter, tokens []token, at int) int {
	end := at
	m := matcher{Counter: c, sentence: &sentence{tokens: tokens}, forms: l, steps: maxSteps}
	for _, d := range l.dates {
		m.match(d, at, func(to int) bool {
			end = max(end, to)
			return false
		})
	}
	return end
}

// hasDate reports whether a sentence has a date.
func (l *language) hasDate(m *matcher) bool {
	for at := range m.tokens {
		if l.date(m.Counter, m.tokens, at) > at {
			return true
		}
	}
	return false
}

// asksAfter reports whether a question begins at a token, after words that join clauses.
func (l *language) asksAfter(tokens []token, at int) bool {
	for at < len(tokens) && l.joins[tokens[at].word] {
		at++
	}
	return at < len(tokens) && l.asks[tokens[at].word]
}

// excludes reports whether a sentence only supposes what it says, or says what others said.
func (l *language) excludes(m *matcher, f find) bool {
	m.Take(f.start)
	for i := range f.start {
		word := m.tokens[i].word
		if l.said[word] && (i == 0 || !l.own[m.tokens[i-1].word]) {
			return true
		}
	}
	other := matcher{Counter: m.Counter, sentence: m.sentence, text: m.text, forms: l, starts: m.starts, steps: maxSteps}
	return other.anyOf(l.unless, len(m.tokens)) || other.anyOf(l.reported, f.start) || l.asked(f)
}

// anyOf reports whether a pattern matches at one of the first tokens.
func (m *matcher) anyOf(patterns [][]element, tokens int) bool {
	for i := range tokens {
		for _, p := range patterns {
			if m.match(p, i, func(int) bool { return true }) {
				return true
			}
		}
	}
	return false
}

// characters reports whether the language is written without blanks.
func (l *language) characters() bool { return l.gap > gap }

// asked reports whether a match is in a question that has the form of a statement.
func (l *language) asked(f find) bool {
	tokens := f.sentence.tokens
	if !l.asks["?"] || f.kind == Instruction && l.asks[tokens[f.start].word] && !l.characters() { // "can you always …?"
		return false
	}
	last := len(tokens)
	for last > f.end && tokens[last-1].mark {
		last--
	}
	if !f.sentence.question && (!l.characters() || !l.asks[tokens[last-1].word]) {
		return false
	}
	for _, t := range tokens[f.end:last] {
		if t.mark && t.word != "-" {
			return false // the question is another clause
		}
	}
	for i, t := range tokens[:f.start] {
		if t.word == "¿" {
			return true
		}
		if t.mark && i > 0 && t.word != "-" && !l.characters() {
			return false
		}
	}
	return true
}

// likely reports for each language whether no other one has more of its common words in the sentence.
func (t *table) likely(s *sentence) []bool {
	counts := make([]int, len(t.languages))
	for _, token := range s.tokens {
		for in := t.commonIn[token.word]; in != 0; in &= in - 1 {
			counts[bits.TrailingZeros32(in)]++
		}
	}
	most := slices.Max(counts)
	likely := make([]bool, len(counts))
	for i, n := range counts {
		likely[i] = n == most
	}
	return likely
}

// language returns the language of the sentence that is most likely, the first one of several.
func (m *matcher) language() *language {
	known := forms()
	return known.languages[slices.Index(known.likely(m.sentence), true)]
}

const (
	subjectWords = 12
	maxWord      = 48 // bytes of a word of a subject
)

// subject returns the stems of the words with content.
func (f *find) subject() string {
	stems := f.language.stems(f.sentence.tokens, func(i int, t *token) bool {
		return t.from >= f.from && t.to <= f.to && (i < f.start || i >= f.end)
	})
	return strings.Join(stems[:min(len(stems), subjectWords)], " ")
}

// stems returns the stems of the words with content among some tokens, each once; of a language without blanks, of each two characters
// that follow each other.
func (l *language) stems(tokens []token, among func(i int, t *token) bool) (stems []string) {
	seen := map[string]bool{}
	add := func(stem string) {
		if !seen[stem] {
			seen[stem] = true
			stems = append(stems, stem)
		}
	}
	previous := ""
	for i := range tokens {
		t := &tokens[i]
		if t.mark || !among(i, t) {
			previous = ""
			continue
		}
		if r, _ := utf8.DecodeRuneInString(t.word); isCharacter(r) {
			if l.stop[t.word] {
				previous = ""
				continue
			}
			if previous != "" {
				add(previous + t.word)
			}
			previous = t.word
			continue
		}
		previous = ""
		if len(t.word) > 2 && len(t.word) <= maxWord && !l.stop[t.word] && !l.joins[t.word] {
			add(words.Stem(t.word))
		}
	}
	return stems
}
