package command

import (
	"errors"
	"log/slog"

	"kith/internal/llm"
)

// openModel opens the configured language model, nil if there is none.
func (c *config) openModel(log *slog.Logger) (*llm.Generator, error) {
	switch {
	case c.LLMURL != "":
		return llm.NewGenerator(c.LLMURL, c.LLMModel, llm.GeneratorOptions{Key: c.LLMKey, Silence: c.LLMTimeout, Log: log})
	case c.LLMKey != "" || c.LLMModel != "":
		return nil, errors.New("KITH_LLM_KEY or KITH_LLM_MODEL is set without KITH_LLM_URL")
	case c.DuplicatesJudge:
		return nil, errors.New("KITH_DUPLICATES_JUDGE is set without KITH_LLM_URL")
	}
	return nil, nil
}
