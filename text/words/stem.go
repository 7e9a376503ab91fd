package words

import "slices"

// stopWords are omitted by the full-text indexes (Lucene's EnglishAnalyzer).
var stopWords = []string{
	"a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of", "on", "or", "such",
	"that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
}

// IsStopWord reports whether the indexes omit a word.
func IsStopWord(word string) bool { return slices.Contains(stopWords, word) }

// stemmer reduces an English word to its stem with Porter's algorithm (1980) as Lucene implements it, including
// Porter's two later changes ("bli", "logi"). https://tartarus.org/martin/PorterStemmer/
type stemmer struct {
	word []rune
	end  int // length of the part before the suffix that ends found
}

// Stem returns the stem by which the full-text indexes know a word in lower case.
func Stem(word string) string { return string(stemOf(nil, word)) }

// stemOf appends the letters of the stem to empty letters, which may have room for them.
func stemOf(letters []rune, word string) []rune {
	for _, r := range word {
		letters = append(letters, r)
	}
	if len(letters) <= 2 {
		return letters
	}
	s := stemmer{word: letters}
	s.dropPlural()
	s.dropPast()
	s.turnY()
	s.replace(doubleSuffixes, 0)
	s.replace(simpleSuffixes, 0)
	s.dropSuffix()
	s.dropLastE()
	return s.word
}

// isConsonant reports whether a letter is a consonant; y is one at the beginning and after a vowel.
func (s *stemmer) isConsonant(i int) bool {
	from := i
	for from > 0 && s.word[from] == 'y' {
		from--
	}
	consonant := false // before the beginning
	for ; from <= i; from++ {
		consonant = follows(consonant, s.word[from])
	}
	return consonant
}

// follows reports whether a letter is a consonant after one that is a consonant or not.
func follows(consonant bool, letter rune) bool {
	switch letter {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return !consonant
	}
	return true
}

// measure returns how often vowels are followed by consonants before the suffix.
func (s *stemmer) measure() int {
	n, vowel, consonant := 0, false, false
	for _, letter := range s.word[:s.end] {
		if consonant = follows(consonant, letter); consonant && vowel {
			n++
		}
		vowel = !consonant
	}
	return n
}

// hasVowel reports whether there is a vowel before the suffix.
func (s *stemmer) hasVowel() bool {
	consonant := false
	for _, letter := range s.word[:s.end] {
		if consonant = follows(consonant, letter); !consonant {
			return true
		}
	}
	return false
}

// hasDouble reports whether the word ends with the same consonant twice.
func (s *stemmer) hasDouble() bool {
	n := len(s.word)
	return n >= 2 && s.word[n-1] == s.word[n-2] && s.isConsonant(n-1)
}

// isShort reports whether the first n letters end with a consonant, a vowel and a consonant other than w, x or y.
func (s *stemmer) isShort(n int) bool {
	if n < 3 || !s.isConsonant(n-1) || s.isConsonant(n-2) || !s.isConsonant(n-3) {
		return false
	}
	last := s.word[n-1]
	return last != 'w' && last != 'x' && last != 'y'
}

// ends reports whether the word ends with a suffix, and stores where it begins.
func (s *stemmer) ends(suffix string) bool {
	letters := []rune(suffix)
	at := len(s.word) - len(letters)
	if at < 0 || !slices.Equal(s.word[at:], letters) {
		return false
	}
	s.end = at
	return true
}

// put replaces the suffix that ends found.
func (s *stemmer) put(suffix string) { s.word = append(s.word[:s.end], []rune(suffix)...) }

// dropPlural is step 1a.
func (s *stemmer) dropPlural() {
	switch {
	case s.ends("sses"):
		s.put("ss")
	case s.ends("ies"):
		s.put("i")
	case !s.ends("ss") && s.ends("s"):
		s.put("")
	}
}

// dropPast is step 1b.
func (s *stemmer) dropPast() {
	if s.ends("eed") {
		if s.measure() > 0 {
			s.put("ee")
		}
		return
	}
	if past := s.ends("ed") && s.hasVowel() || s.ends("ing") && s.hasVowel(); !past {
		return
	}
	s.put("")
	switch last := len(s.word) - 1; {
	case s.ends("at"), s.ends("bl"), s.ends("iz"):
		s.word = append(s.word, 'e')
	case s.hasDouble():
		if !slices.Contains([]rune("lsz"), s.word[last]) {
			s.word = s.word[:last]
		}
	default:
		s.end = len(s.word)
		if s.measure() == 1 && s.isShort(len(s.word)) {
			s.word = append(s.word, 'e')
		}
	}
}

// turnY is step 1c.
func (s *stemmer) turnY() {
	if s.ends("y") && s.hasVowel() {
		s.put("i")
	}
}

// Suffixes and their replacements (steps 2 and 3); the first match is used.
var (
	doubleSuffixes = [][2]string{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"bli", "ble"}, {"alli", "al"},
		{"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"}, {"alism", "al"},
		{"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"}, {"logi", "log"},
	}
	simpleSuffixes = [][2]string{{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}}
	lastSuffixes   = []string{
		"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
	}
)

// replace replaces the first matching suffix if the part before it is long enough.
func (s *stemmer) replace(suffixes [][2]string, least int) {
	for _, pair := range suffixes {
		if s.ends(pair[0]) {
			if s.measure() > least {
				s.put(pair[1])
			}
			return
		}
	}
}

// dropSuffix is step 4.
func (s *stemmer) dropSuffix() {
	for _, suffix := range lastSuffixes {
		if !s.ends(suffix) {
			continue
		}
		if suffix == "ion" && (s.end == 0 || s.word[s.end-1] != 's' && s.word[s.end-1] != 't') {
			continue
		}
		if s.measure() > 1 {
			s.put("")
		}
		return
	}
}

// dropLastE is step 5.
func (s *stemmer) dropLastE() {
	last := len(s.word) - 1
	s.end = last
	if last >= 0 && s.word[last] == 'e' {
		if m := s.measure(); m > 1 || m == 1 && !s.isShort(last) {
			s.word = s.word[:last]
		}
	}
	if s.end = len(s.word); s.hasDouble() && s.word[len(s.word)-1] == 'l' && s.measure() > 1 {
		s.word = s.word[:len(s.word)-1]
	}
}
