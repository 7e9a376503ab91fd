// Package eval measures the search quality of a running Kith.
package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"kith/internal/terminal"
)

// Options selects the files and the service of a measurement.
type Options struct {
	URL, Key    string   // of a running Kith; the key is an admin key of the team default
	Passages    string   // file of JSON lines with the passages to store
	Questions   string   // file of JSON lines with questions and the ids of the passages that answer them
	Triples     string   // file of JSON lines with the entities in each passage and their relationships. Empty: none
	RunFile     string   // file to which the passages found for each question are written. Empty: none
	Without     []string // categories of questions to skip
	Limit       int      // passages to request per question
	Concurrency int      // questions sent at the same time
	Ablation    bool     // measure with more and more kinds of evidence
	Keep        bool     // keep the team
}

// Recall loads passages into a new team, sends questions about them to POST /v1/explore, and removes the team. It writes
// recall and latency to out, and fails if a question got an error.
func Recall(ctx context.Context, o Options, out io.Writer, progress *terminal.Progress) (err error) {
	set, err := readSet(o.Passages, o.Questions, o.Triples, progress)
	if err != nil {
		return err
	}
	if err := set.excludeCategories(o.Without); err != nil {
		return err
	}
	team, err := newTeam(ctx, o.URL, o.Key, o.Concurrency)
	if err != nil {
		return err
	}
	if o.Keep {
		defer progress.Line("kept: team " + team.id)
	} else {
		defer func() { err = errors.Join(err, team.remove(ctx, progress)) }()
	}
	if err := team.load(ctx, set.writes(time.Now()), progress); err != nil {
		return err
	}
	a := &asker{api: team.api, set: set, limit: o.Limit, progress: progress}
	if err := a.waitForEmbeddings(ctx); err != nil {
		return err
	}
	if !o.Ablation {
		return o.ask(ctx, out, a, o.name())
	}
	for i := range evidence {
		a.evidence = evidence[:i+1]
		if err := o.ask(ctx, out, a, o.name()+" by "+strings.Join(a.evidence, ", ")); err != nil {
			return err
		}
	}
	return nil
}

// evidence lists the kinds of evidence for a hit, in the order in which an ablation adds them.
var evidence = []string{"words", "neighbours", "links", "meaning"}

func (o *Options) name() string {
	return strings.TrimSuffix(filepath.Base(o.Questions), filepath.Ext(o.Questions))
}

// ask sends all questions of a loaded set and prints the report.
func (o *Options) ask(ctx context.Context, out io.Writer, a *asker, name string) error {
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
