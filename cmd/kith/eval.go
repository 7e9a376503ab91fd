package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"kith/internal/terminal"
)

// evalCmd measures the search quality of a running Kith.
type evalCmd struct {
	Recall evalRecallCmd `cmd:"" help:"Measure the recall and latency of search on a set of questions."`
}

// evalRecallCmd loads passages into a new team, sends questions about them to POST /v1/explore, and removes the team.
type evalRecallCmd struct {
	Passages    string   `required:"" type:"existingfile" help:"JSON lines with the passages to store; docs/recall.md describes all three files."`
	Questions   string   `required:"" type:"existingfile" help:"JSON lines with questions and the ids of the passages that answer them."`
	Triples     string   `type:"existingfile" help:"JSON lines with the entities in each passage and their relationships."`
	RunFile     string   `name:"run" type:"path" help:"Write the passages found for each question to this file."`
	Without     []string `help:"Categories of questions to skip."`
	Limit       int      `default:"20" help:"Number of passages to request per question."`
	Concurrency int      `default:"1" help:"Questions sent at the same time."`
	Ablation    bool     `help:"Measure with more and more evidence: words, neighbours, links, meaning."`
	Keep        bool     `help:"Keep the team."`
	URL         string   `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key         string   `env:"KITH_KEY" required:"" help:"An admin key of the team default."`
}

// Validate checks the flags for kong.
func (c *evalRecallCmd) Validate() error {
	if c.Limit < 1 || c.Concurrency < 1 {
		return errors.New("--limit and --concurrency must be 1 or more")
	}
	return nil
}

// Run measures, and prints recall and latency. It fails if a question got an error.
func (c *evalRecallCmd) Run(ctx context.Context, std streams) error {
	progress := terminal.NewProgress(std.err)
	err := c.run(ctx, std, progress)
	progress.End()
	if err != nil {
		return fmt.Errorf("eval recall: %w", err)
	}
	return nil
}

func (c *evalRecallCmd) run(ctx context.Context, std streams, progress *terminal.Progress) (err error) {
	set, err := readEvalSet(c.Passages, c.Questions, c.Triples, progress)
	if err != nil {
		return err
	}
	if err := set.excludeCategories(c.Without); err != nil {
		return err
	}
	team, err := newEvalTeam(ctx, c.URL, c.Key, c.Concurrency)
	if err != nil {
		return err
	}
	if c.Keep {
		defer progress.Line("kept: team " + team.id)
	} else {
		defer func() { err = errors.Join(err, team.remove(ctx, progress)) }()
	}
	if err := team.load(ctx, set.writes(time.Now()), progress); err != nil {
		return err
	}
	asker := &evalAsker{api: team.api, set: set, limit: c.Limit, progress: progress}
	if err := asker.waitForEmbeddings(ctx); err != nil {
		return err
	}
	if !c.Ablation {
		return c.ask(ctx, std, asker, c.name())
	}
	for i := range evalEvidence {
		asker.evidence = evalEvidence[:i+1]
		if err := c.ask(ctx, std, asker, c.name()+" by "+strings.Join(asker.evidence, ", ")); err != nil {
			return err
		}
	}
	return nil
}

// evalEvidence lists the kinds of evidence for a hit, in the order in which --ablation adds them.
var evalEvidence = []string{"words", "neighbours", "links", "meaning"}

func (c *evalRecallCmd) name() string {
	return strings.TrimSuffix(filepath.Base(c.Questions), filepath.Ext(c.Questions))
}

// ask sends all questions of a loaded set and prints the report.
func (c *evalRecallCmd) ask(ctx context.Context, std streams, asker *evalAsker, name string) error {
	answers, err := asker.askAll(ctx, c.Concurrency)
	if err != nil {
		return err
	}
	asker.progress.Clear()
	report := &evalReport{name, asker.set.questions, answers}
	if err := report.print(std.out); err != nil {
		return err
	}
	if c.RunFile != "" {
		if err := report.writeRun(c.RunFile); err != nil {
			return err
		}
	}
	if failed := report.printErrors(asker.progress); failed > 0 {
		return fmt.Errorf("questions that failed: %d", failed)
	}
	return nil
}
