package main

import (
	"errors"
	"log/slog"

	"kith/llm"
)

// openModel is the language model that is configured; nil without one.
func (c *config) openModel(log *slog.Logger) (*llm.Generator, error) {
	switch {
	case c.LLMURL != "":
		return llm.NewGenerator(c.LLMURL, c.LLMModel, llm.GeneratorOptions{Key: c.LLMKey, Silence: c.LLMTimeout, Log: log})
	case c.LLMKey != "" || c.LLMModel != "":
		return nil, errors.New("KITH_LLM_KEY or KITH_LLM_MODEL is given, and no KITH_LLM_URL to ask")
	}
	return nil, nil
}
