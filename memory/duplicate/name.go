package duplicate

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mozillazg/go-unidecode"
	"golang.org/x/text/unicode/norm"
)

const (
	maxNames  = 20 // of a node, its name first
	maxTokens = 8  // of a name
	maxLength = 256
)

// name is a name as it is compared: words of ASCII letters and digits in lower case.
type name struct {
	words []string // all
	core  []string // without titles, forms of companies and articles; all if nothing else is left

	// What profile.prepared adds.
	ids          []int // of the core, in the words of the profile
	whole, sound string
	before       string   // head
	numbers      string   // in the core
	letters      []string // the first ones of all words and of the core
}

// head returns the words before the form of a company, if there is one behind other words.
func (n name) head() string {
	for i, word := range n.words {
		if i > 0 && slices.Contains(companies, word) {
			return strings.Join(without(n.words[:i], isForm), "")
		}
	}
	return ""
}

// plain returns a text in ASCII and lower case; letters of other scripts are transliterated.
func plain(text string) string {
	if len(text) > maxLength {
		text = strings.ToValidUTF8(text[:maxLength], "")
	}
	return strings.ToLower(unidecode.Unidecode(norm.NFKC.String(text)))
}

// splitWords returns the words of a text. Dots and apostrophes are part of no word: U.S.A. is usa, O'Brien obrien.
func splitWords(text string) []string {
	text = simpler.Replace(plain(text))
	found := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return found[:min(len(found), maxTokens)]
}

var simpler = strings.NewReplacer("'", "", "`", "", ".", "", "&", " and ", "+", " plus ")

// personName reads the name of a person. The words after a comma come first.
func personName(text string) name {
	text, _, _ = strings.Cut(text, "(")
	if family, given, found := strings.Cut(text, ","); found && len(splitWords(given)) > 0 && !isTitle(splitWords(given)[0]) {
		text = given + " " + family
	}
	// J.R.R. Tolkien has three initials.
	text = strings.ReplaceAll(text, ".", ". ")
	n := name{words: splitWords(text)}
	n.core = without(n.words, isTitle)
	return n
}

// thingName reads the name of anything else.
func thingName(text string) name {
	n := name{words: splitWords(text)}
	n.core = without(n.words, isForm)
	return n
}

func without(words []string, drop func(string) bool) []string {
	left := slices.DeleteFunc(slices.Clone(words), drop)
	if len(left) == 0 {
		return words
	}
	return left
}

func isTitle(word string) bool { return slices.Contains(titles, word) }

func isForm(word string) bool { return slices.Contains(forms, word) }

// titles are words in names of persons that are part of no name.
var titles = strings.Fields("mr mrs ms miss mx dr prof professor sir madam herr frau mme mlle jr sr junior senior ii iii phd md msc bsc ing dipl")

// companies are the forms of companies.
var companies = strings.Fields(`inc incorporated corp corporation ltd limited llc llp lp plc gmbh mbh ag aktiengesellschaft kg kgaa ohg ug sa sas sarl sarls
	srl spa se nv bv ab oy oyj as asa aps kk pty pte sl slu sro zrt`)

// forms are words in names of companies and things that others omit.
var forms = append(strings.Fields("the a an and of for de la le les der die das und et y e co company companies group groupe gruppe holding holdings"), companies...)

// sound returns how a word sounds, roughly: the same for words that people write in several ways. Vowels count only at the beginning.
func sound(word string) string {
	if word == "" || word[0] >= '0' && word[0] <= '9' {
		return word
	}
	for _, r := range [][2]string{{"kn", "n"}, {"gn", "n"}, {"wr", "r"}, {"ps", "s"}, {"pn", "n"}, {"mc", "mac"}, {"tch", "ch"}} {
		if rest, found := strings.CutPrefix(word, r[0]); found {
			word = r[1] + rest
			break
		}
	}
	word = sounds.Replace(word)
	var b strings.Builder
	last := byte(0)
	for i := range len(word) {
		c := word[i]
		switch {
		case strings.IndexByte("aeiouy", c) >= 0:
			c = 'a'
			if i > 0 {
				last = 0 // the same consonant may follow
				continue
			}
		case c == 'h' && i > 0:
			continue
		case strings.IndexByte("bp", c) >= 0:
			c = 'p'
		case strings.IndexByte("dt", c) >= 0:
			c = 't'
		case strings.IndexByte("fvw", c) >= 0:
			c = 'f'
		case strings.IndexByte("ckqg", c) >= 0:
			c = 'k'
		case strings.IndexByte("szx", c) >= 0:
			c = 's'
		}
		if c != last {
			b.WriteByte(c)
		}
		last = c
	}
	return b.String()
}

// sounds are letters that sound like others, the longest first.
var sounds = strings.NewReplacer("tsch", "x", "sch", "x", "tch", "x", "ough", "o", "augh", "af", "chr", "kr", "sh", "x", "ch", "x", "ph", "f", "gh", "g",
	"th", "t", "ck", "k", "ce", "se", "ci", "si", "cy", "sy", "dg", "j", "ge", "je", "gi", "ji", "qu", "kw", "tz", "s", "ts", "s", "cz", "x", "cs", "x")

// similar returns how similar two texts of at most textLetters are, 0 to 1 (Jaro and Winkler). It takes as many steps as the product of
// their lengths.
func similar(a, b string) float64 {
	if a == b {
		return 1
	}
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	reach := max(max(len(a), len(b))/2-1, 0)
	var usedA, usedB [textLetters]bool
	if len(a) > len(usedA) || len(b) > len(usedB) {
		return 0
	}
	matches := 0
	for i := range len(a) {
		for j := max(0, i-reach); j < min(len(b), i+reach+1); j++ {
			if !usedB[j] && a[i] == b[j] {
				usedA[i], usedB[j] = true, true
				matches++
				break
			}
		}
	}
	if matches == 0 {
		return 0
	}
	moved, j := 0, 0
	for i := range len(a) {
		if !usedA[i] {
			continue
		}
		for !usedB[j] {
			j++
		}
		if a[i] != b[j] {
			moved++
		}
		j++
	}
	return winkler(a, b, matches, moved)
}

func winkler(a, b string, matches, moved int) float64 {
	m := float64(matches)
	jaro := (m/float64(len(a)) + m/float64(len(b)) + (m-float64(moved)/2)/m) / 3
	same := 0
	for same < min(4, len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return jaro + float64(same)*0.1*(1-jaro)
}

// mostSimilar returns how similar two texts are at most, by how many letters they have in common. It takes as many steps as they have letters.
func mostSimilar(a, b string) float64 {
	var counts [256]int
	for i := range len(a) {
		counts[a[i]]++
	}
	common := 0
	for i := range len(b) {
		if counts[b[i]] > 0 {
			counts[b[i]]--
			common++
		}
	}
	if common == 0 {
		return 0
	}
	return winkler(a, b, common, 0)
}
