package command

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"kith/cmd/kith/internal/eval"
	"kith/cmd/kith/internal/terminal"
)

// evalCmd measures the quality of a running Kith.
type evalCmd struct {
	Recall  evalRecallCmd  `cmd:"" help:"Measure the recall and latency of search on a set of questions."`
	Context evalContextCmd `cmd:"" help:"Measure how much of what later questions need is in the contexts that are read before them."`
}

// evalService selects the service that is measured.
type evalService struct {
	Keep bool   `help:"Keep the team."`
	URL  string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key  string `env:"KITH_KEY" required:"" help:"An admin key of the team default."`
}

func (s evalService) service() eval.Service {
	return eval.Service{URL: s.URL, Key: s.Key, Keep: s.Keep}
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
	evalService
}

// Validate checks the flags for kong.
func (c *evalRecallCmd) Validate() error {
	if c.Limit < 1 || c.Concurrency < 1 {
		return errors.New("--limit and --concurrency must be 1 or more")
	}
	return nil
}

// Run measures, and prints recall and latency. It fails if a question got an error.
func (c *evalRecallCmd) Run(ctx context.Context, std Streams) error {
	progress := terminal.NewProgress(std.Err)
	err := eval.Recall(ctx, eval.RecallOptions{
		Service: c.service(), Passages: c.Passages, Questions: c.Questions, Triples: c.Triples, RunFile: c.RunFile,
		Without: c.Without, Limit: c.Limit, Concurrency: c.Concurrency, Ablation: c.Ablation,
	}, std.Out, progress)
	progress.End()
	if err != nil {
		return fmt.Errorf("eval recall: %w", err)
	}
	return nil
}

// evalContextCmd loads conversations into a new team, reads the contexts of their users, and removes the team.
type evalContextCmd struct {
	Turns     string   `required:"" type:"existingfile" help:"JSON lines with the turns of conversations; docs/recall.md describes both files."`
	Questions string   `required:"" type:"existingfile" help:"JSON lines with questions and the ids of the turns that answer them."`
	RunFile   string   `name:"run" type:"path" help:"Write the coverage of each question to this file."`
	Without   []string `help:"Categories of questions to skip."`
	Tokens    []int    `default:"500,1000,2000,8000" help:"Token budgets of the contexts."`
	Dated     bool     `help:"Keep the times of the turns. Otherwise each conversation is moved so that it ended an hour ago."`
	evalService
}

// Validate checks the flags for kong.
func (c *evalContextCmd) Validate() error {
	if len(c.Tokens) == 0 || slices.Min(c.Tokens) < 1 {
		return errors.New("--tokens must be 1 or more")
	}
	return nil
}

// Run measures, and prints the coverage.
func (c *evalContextCmd) Run(ctx context.Context, std Streams) error {
	progress := terminal.NewProgress(std.Err)
	err := eval.Context(ctx, eval.ContextOptions{
		Service: c.service(), Turns: c.Turns, Questions: c.Questions, RunFile: c.RunFile,
		Without: c.Without, Tokens: c.Tokens, Dated: c.Dated,
	}, std.Out, progress)
	progress.End()
	if err != nil {
		return fmt.Errorf("eval context: %w", err)
	}
	return nil
}
