package eval

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"kith/text/tokens"
)

// cutToTokens returns texts as lines, in order, as many as fit into a number of tokens. The last is cut after a word.
func cutToTokens(texts []string, budget int) (string, error) {
	var lines []string
	for _, text := range texts {
		words := strings.Fields(text)
		line := strings.Join(words, " ")
		n, err := tokens.Count(line)
		if err != nil {
			return "", err
		}
		if n > budget {
			lines = append(lines, strings.Join(words[:len(words)*budget/n], " "))
			break
		}
		lines, budget = append(lines, line), budget-n
	}
	return strings.Join(lines, "\n"), nil
}

// The parameters of BM25 (Robertson and Zaragoza, 2009), as Lucene has them.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// bm25Index finds messages by their content words.
type bm25Index struct {
	size     int
	postings map[string]map[int]float64 // stem → message → weight of the stem in it
}

func newBM25(messages []string) *bm25Index {
	index := &bm25Index{size: len(messages), postings: map[string]map[int]float64{}}
	words, total := make([][]string, len(messages)), 0
	for i, message := range messages {
		words[i] = contentWords(message)
		total += len(words[i])
	}
	mean := float64(total) / float64(len(messages))
	for i, message := range words {
		for _, word := range message {
			if index.postings[word] == nil {
				index.postings[word] = map[int]float64{}
			}
			index.postings[word][i]++
		}
		norm := bm25K1 * (1 - bm25B + bm25B*float64(len(message))/mean)
		for _, word := range distinct(message) {
			n := index.postings[word][i]
			index.postings[word][i] = n / (n + norm)
		}
	}
	return index
}

// find returns at most limit messages, the best first.
func (b *bm25Index) find(query string, limit int) (messages []int) {
	scores := map[int]float64{}
	for _, word := range distinct(contentWords(query)) {
		n := float64(len(b.postings[word]))
		rarity := math.Log(1 + (float64(b.size)-n+0.5)/(n+0.5))
		for i, weight := range b.postings[word] {
			scores[i] += rarity * weight
		}
	}
	for i := range scores {
		messages = append(messages, i)
	}
	slices.SortFunc(messages, func(i, j int) int { return cmp.Or(cmp.Compare(scores[j], scores[i]), cmp.Compare(i, j)) })
	return messages[:min(limit, len(messages))]
}
