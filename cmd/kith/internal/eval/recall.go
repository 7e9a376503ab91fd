// Package eval measures the search quality of a running Kith.
package eval

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"kith/cmd/kith/internal/terminal"
)

// RecallOptions selects the files and the service of a measurement of recall.
type RecallOptions struct {
	Service
	Passages    string   // file of JSON lines with the passages to store
	Questions   string   // file of JSON lines with questions and the ids of the passages that answer them
	Triples     string   // file of JSON lines with the entities in each passage and their relationships. Empty: none
	RunFile     string   // file to which the passages found for each question are written. Empty: none
	Without     []string // categories of questions to skip
	Limit       int      // passages to request per question
	Concurrency int      // questions sent at the same time
	Ablation    bool     // measure with more and more kinds of evidence
}

// Recall loads passages into a new team, sends questions about them to POST /v1/explore, and removes the team. It writes
// recall and latency to out, and fails if a question got an error.
func Recall(ctx context.Context, o RecallOptions, out io.Writer, progress *terminal.Progress) error {
	set, err := readSet(o.Passages, o.Questions, o.Triples, progress)
	if err != nil {
		return err
	}
	if err := set.excludeCategories(o.Without); err != nil {
		return err
	}
	return o.measure(ctx, o.Concurrency, set.writes(time.Now()), progress, func(team *team) error {
		return o.askSet(ctx, out, &asker{api: team.api, set: set, limit: o.Limit, progress: progress})
	})
}

// askSet sends the questions of a loaded set, with ablation several times.
func (o *RecallOptions) askSet(ctx context.Context, out io.Writer, a *asker) error {
	if err := a.waitForEmbeddings(ctx); err != nil {
		return err
	}
	if !o.Ablation {
		return o.ask(ctx, out, a, setName(o.Questions))
	}
	for i := range evidenceKinds {
		a.evidence = evidenceKinds[:i+1]
		if err := o.ask(ctx, out, a, setName(o.Questions)+" by "+strings.Join(a.evidence, ", ")); err != nil {
			return err
		}
	}
	return nil
}

// evidenceKinds lists the kinds of evidence for a hit, in the order in which an ablation adds them.
var evidenceKinds = []string{"words", "neighbours", "links", "meaning"}

// setName returns the name of a set by its file of questions.
func setName(questions string) string {
	return strings.TrimSuffix(filepath.Base(questions), filepath.Ext(questions))
}

// ask sends all questions of a loaded set and prints the report.
func (o *RecallOptions) ask(ctx context.Context, out io.Writer, a *asker, name string) error {
	answers, err := a.askAll(ctx, o.Concurrency)
	if err != nil {
		return err
	}
	a.progress.Clear()
	r := &report{name, a.set.questions, answers}
	if err := r.print(out); err != nil {
		return err
	}
	if o.RunFile != "" {
		if err := r.writeRun(o.RunFile); err != nil {
			return err
		}
	}
	if failed := r.printErrors(a.progress); failed > 0 {
		return fmt.Errorf("questions that failed: %d", failed)
	}
	return nil
}
