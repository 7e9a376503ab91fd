package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"kith/cmd/kith/internal/terminal"
	"kith/text/markup"
)

// recallAt lists the values of k for which recall is reported.
var recallAt = []int{1, 5, 10, 20}

// recall returns the share of the distinct gold ids that are among the first k distinct ids.
func recall(gold, ids []string, k int) float64 {
	gold, ids = distinct(gold), distinct(ids)
	found := 0
	for _, id := range ids[:min(k, len(ids))] {
		if slices.Contains(gold, id) {
			found++
		}
	}
	return float64(found) / float64(len(gold))
}

func distinct(ids []string) (all []string) {
	seen := map[string]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			all = append(all, id)
		}
	}
	return all
}

// report holds the questions of a set with their answers, in the same order.
type report struct {
	name      string
	questions []question
	answers   []answer
}

// print writes a table with the recall of the set and of each category, and a line with the latency.
func (r *report) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprint(table, "SET\tN")
	for _, k := range recallAt {
		_, _ = fmt.Fprintf(table, "\tR@%d", k)
	}
	_, _ = fmt.Fprintln(table)
	r.printRow(table, r.name, func(*question) bool { return true })
	for _, category := range categories(r.questions) {
		r.printRow(table, "  "+category, func(q *question) bool { return q.Category == category })
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "latency: p50 %s, p95 %s; semantic: %s\n", r.latency(0.50), r.latency(0.95), r.semanticStates()); err != nil {
		return err
	}
	return r.printConfidence(table)
}

// confidenceBands are the lower bounds of the bands in which confidences are compared with what was found.
var confidenceBands = []float64{0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}

// confidentAt is the number of results that the confidence of the service is about.
const confidentAt = 5

// printConfidence writes for each band of confidences how many answers have one, their mean, and the share that has gold among
// the first results.
func (r *report) printConfidence(table *tabwriter.Writer) error {
	_, _ = fmt.Fprintf(table, "CONFIDENCE\tN\tMEAN\tFOUND IN %d\n", confidentAt)
	for i, least := range confidenceBands {
		n, sum, found := 0, 0.0, 0
		for j, a := range r.answers {
			if a.err != nil || a.sure < least || i+1 < len(confidenceBands) && a.sure >= confidenceBands[i+1] {
				continue
			}
			n, sum = n+1, sum+a.sure
			if recall(r.questions[j].Gold, a.ids, confidentAt) > 0 {
				found++
			}
		}
		if n > 0 {
			_, _ = fmt.Fprintf(table, "from %.1f\t%d\t%.2f\t%.2f\n", least, n, sum/float64(n), float64(found)/float64(n))
		}
	}
	return table.Flush()
}

// printRow writes the mean recall over the selected questions. A question that failed counts as 0.
func (r *report) printRow(out io.Writer, name string, selected func(*question) bool) {
	n, sums := 0, make([]float64, len(recallAt))
	for i := range r.questions {
		if !selected(&r.questions[i]) {
			continue
		}
		n++
		for j, k := range recallAt {
			sums[j] += recall(r.questions[i].Gold, r.answers[i].ids, k)
		}
	}
	_, _ = fmt.Fprintf(out, "%s\t%d", markup.Plain(name), n)
	for _, sum := range sums {
		_, _ = fmt.Fprintf(out, "\t%.1f", 100*sum/float64(n))
	}
	_, _ = fmt.Fprintln(out)
}

// categories returns the distinct categories of questions, sorted.
func categories(questions []question) (all []string) {
	for i := range questions {
		if c := questions[i].Category; c != "" && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	slices.Sort(all)
	return all
}

// latency returns a quantile of the response times.
func (r *report) latency(share float64) string {
	var times []time.Duration
	for _, a := range r.answers {
		if a.err == nil {
			times = append(times, a.took)
		}
	}
	if len(times) == 0 {
		return "-"
	}
	slices.Sort(times)
	took := times[int(math.Ceil(share*float64(len(times))))-1]
	return fmt.Sprintf("%.1f ms", float64(took)/float64(time.Millisecond))
}

// semanticStates returns the states of vector search that the answers reported: one word, or several with counts.
func (r *report) semanticStates() string {
	counts := map[string]int{}
	var words []string
	for _, a := range r.answers {
		if a.err != nil {
			continue
		}
		if counts[a.semantic]++; counts[a.semantic] == 1 {
			words = append(words, a.semantic)
		}
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	for i, word := range words {
		words[i] = fmt.Sprintf("%s %d", word, counts[word])
	}
	return strings.Join(words, ", ")
}

// writeRun writes the ids that were found, one line per question that did not fail.
func (r *report) writeRun(path string) error {
	type runLine struct {
		QID string   `json:"qid"`
		IDs []string `json:"ids"`
	}
	var lines []runLine
	for i, a := range r.answers {
		if a.err == nil {
			lines = append(lines, runLine{r.questions[i].QID, a.ids})
		}
	}
	return writeLines(path, lines)
}

// writeLines writes a file of JSON lines.
func writeLines[T any](path string, lines []T) error {
	var file bytes.Buffer
	encoder := json.NewEncoder(&file)
	encoder.SetEscapeHTML(false)
	for _, line := range lines {
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return os.WriteFile(path, file.Bytes(), 0o600)
}

// printErrors prints the questions that failed with their errors, and returns their number.
func (r *report) printErrors(progress *terminal.Progress) (failed int) {
	for i, a := range r.answers {
		if a.err != nil {
			failed++
			progress.FaultAt("question "+r.questions[i].QID, a.err.Error())
		}
	}
	return failed
}
