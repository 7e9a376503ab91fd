package main

import (
	"context"
	"errors"
	"fmt"

	"kith/internal/eval"
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
	err := eval.Recall(ctx, eval.Options{
		URL: c.URL, Key: c.Key, Passages: c.Passages, Questions: c.Questions, Triples: c.Triples, RunFile: c.RunFile,
		Without: c.Without, Limit: c.Limit, Concurrency: c.Concurrency, Ablation: c.Ablation, Keep: c.Keep,
	}, std.out, progress)
	progress.End()
	if err != nil {
		return fmt.Errorf("eval recall: %w", err)
	}
	return nil
}
