package eval

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// The rule by which a context covers a question. Its evidence is a sentence of each gold message: the one that shares most content words
// with the question and its answer. A question with Says, the words of an instruction or a preference, has one sentence: the one that
// shares most with them. The words looked for are those that the sentence shares, or all of its words if it shares fewer than minShared.
// A context has the evidence if one of its lines has 80 % of these words within a stretch not much longer than the sentence.

const (
	minWords     = 3    // a sentence with fewer content words is read together with those after it
	minShared    = 4    // shared words that are enough to look for
	minAgreement = 0.25 // F1 of Says and its sentence, below which the gold messages do not say it
	neededShare  = 0.8  // of the words looked for
	looseWidth   = 6    // words between those looked for
)

// Words that make the form of a sentence, not its content.
var (
	stopWords = setOf(strings.Fields(`a about after again all also am an and any are as at be because been before being but by can could did do does doing don for
		from further had has have having he her here hers him his how i if in into is it its itself just let ll m me more most my myself no nor not now of
		off on once only or other our ours out over own re s same she should so some such t than that the their theirs them then there these they this
		those through to too under until up ve very was we were what when where which while who whom why will with would you your yours`))
	formWords = setOf(strings.Fields(`always never prefer prefers preferred preference like likes want wants need needs please ask asks asked asking whenever
		remember make sure ensure tell get got know think really try trying i'm i'd i've i'll`))
)

func setOf(words []string) map[string]bool {
	set := map[string]bool{}
	for _, word := range words {
		set[word] = true
	}
	return set
}

var (
	wordForm     = regexp.MustCompile(`[\p{L}\p{N}]+(?:['’.][\p{L}\p{N}]+)*`)
	codeBlock    = regexp.MustCompile("(?s)```.*?(?:```|\\z)")
	sentenceEnds = regexp.MustCompile(`([.!?])["')\]]*[\s\p{Z}]+|\n+`)
)

// contentWords returns the stems of a text's content words, in order.
func contentWords(text string) (stems []string) {
	for _, word := range wordForm.FindAllString(strings.ToLower(text), -1) {
		if plain := strings.ReplaceAll(word, "’", "'"); !stopWords[plain] && !formWords[plain] {
			stems = append(stems, stem(word))
		}
	}
	return stems
}

// endings lists the endings that stem removes, with the length that a stem must keep. The first that fits is removed.
var endings = []struct {
	ending string
	keep   int
}{
	{"ments", 5}, {"ment", 5}, {"ations", 4}, {"ation", 4}, {"ings", 4}, {"ing", 4}, {"ies", 3}, {"ied", 3}, {"edly", 4}, {"ed", 3},
	{"ers", 4}, {"er", 4}, {"ly", 4}, {"es", 3}, {"s", 3}, {"e", 3}, {"y", 3},
}

func stem(word string) string {
	for _, e := range endings {
		if s, ok := strings.CutSuffix(word, e.ending); ok && len([]rune(s)) >= e.keep && (e.ending != "s" || !strings.HasSuffix(word, "ss")) {
			return s
		}
	}
	return word
}

// splitSentences returns the sentences and lines of a text, without blocks of code unless there is nothing else.
func splitSentences(text string) (all []string) {
	if plain := codeBlock.ReplaceAllString(text, "\n"); strings.TrimSpace(plain) != "" {
		text = plain
	}
	for _, sentence := range strings.Split(sentenceEnds.ReplaceAllString(text, "$1\n"), "\n") {
		if sentence = strings.TrimSpace(sentence); sentence != "" {
			all = append(all, sentence)
		}
	}
	return all
}

// evidence is a sentence that a context should have.
type evidence struct {
	words     []string // distinct stems to look for
	width     int      // the longest stretch of content words in which they count
	agreement float64  // F1 of the sentence and the labels
}

// questionEvidence returns the evidence of a question; none if no gold message has a sentence with enough words, or none says what the
// question says it does.
func questionEvidence(q *question, texts map[string]string) (all []evidence) {
	labels := q.Says
	if labels == "" {
		labels = q.Answer + " " + q.Question
	}
	target := setOf(contentWords(labels))
	for _, id := range q.Gold {
		if e := bestSentence(splitSentences(texts[id]), target); e.words != nil {
			all = append(all, e)
		}
	}
	if q.Says == "" || len(all) == 0 {
		return all
	}
	best := slices.MaxFunc(all, func(a, b evidence) int { return int(math.Copysign(1, a.agreement-b.agreement)) })
	if best.agreement < minAgreement {
		return nil
	}
	return []evidence{best}
}

// bestSentence returns the evidence of the first sentence that agrees most with the target.
func bestSentence(sentences []string, target map[string]bool) (best evidence) {
	best.agreement = -1
	for i := range sentences {
		words := contentWords(sentences[i])
		for next := i + 1; len(distinct(words)) < minWords && next < len(sentences); next++ {
			words = append(words, contentWords(sentences[next])...)
		}
		all := distinct(words)
		shared := slices.DeleteFunc(slices.Clone(all), func(word string) bool { return !target[word] })
		agreement := 2 * float64(len(shared)) / float64(len(all)+len(target))
		if len(all) < minWords || agreement <= best.agreement {
			continue
		}
		wanted := all
		if len(shared) >= minShared {
			wanted = shared
		}
		best = evidence{words: wanted, width: max(len(words), len(wanted)+looseWidth), agreement: agreement}
	}
	return best
}

// passageWords holds the content words of each line of a text.
type passageWords [][]string

func readWords(text string) (lines passageWords) {
	for line := range strings.Lines(text) {
		if words := contentWords(line); len(words) > 0 {
			lines = append(lines, words)
		}
	}
	return lines
}

// has reports whether a line has the evidence.
func (p passageWords) has(e evidence) bool {
	wanted := setOf(e.words)
	needed := int(math.Ceil(neededShare*float64(len(e.words)) - 1e-9))
	return slices.ContainsFunc(p, func(line []string) bool {
		held := map[string]int{}
		for i, word := range line {
			if wanted[word] {
				held[word]++
			}
			if i >= e.width && wanted[line[i-e.width]] {
				old := line[i-e.width]
				if held[old]--; held[old] == 0 {
					delete(held, old)
				}
			}
			if len(held) >= needed {
				return true
			}
		}
		return false
	})
}

// covered returns the share of a question's evidence that a text has.
func (p passageWords) covered(all []evidence) float64 {
	n := 0
	for _, e := range all {
		if p.has(e) {
			n++
		}
	}
	return float64(n) / float64(len(all))
}
