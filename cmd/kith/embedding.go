package main

import (
	"errors"
	"log/slog"

	"kith/llm"
)

// openEmbedder is the embedder that is configured; nil without one. closeEmbedder gives it back.
func (c *config) openEmbedder(log *slog.Logger) (llm.Embedder, error) {
	switch {
	case c.EmbeddingsURL != "" && c.EmbeddingsDir != "":
		return nil, errors.New("KITH_EMBEDDINGS_URL and KITH_EMBEDDINGS_MODEL_DIR are both given: one of them embeds")
	case c.EmbeddingsURL != "":
		e, err := llm.NewRemoteEmbedder(c.EmbeddingsURL, c.EmbeddingsModel, llm.RemoteOptions{Key: c.EmbeddingsKey, Log: log})
		if err != nil {
			return nil, err // and no interface around a nil pointer
		}
		return e, nil
	case c.EmbeddingsKey != "" || c.EmbeddingsModel != "":
		return nil, errors.New("KITH_EMBEDDINGS_KEY or KITH_EMBEDDINGS_MODEL is given, and no KITH_EMBEDDINGS_URL to ask")
	case c.EmbeddingsDir != "":
		e, err := llm.OpenStaticEmbedder(c.EmbeddingsDir)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	return nil, nil
}

func closeEmbedder(e llm.Embedder) {
	if remote, ok := e.(*llm.RemoteEmbedder); ok {
		remote.Close()
	}
}

// apart is an embedder for queries beside one for what waits: an endpoint that is too slow for the one, and so is left
// alone for a while, is still asked by the other.
func (c *config) apart(embedder llm.Embedder, log *slog.Logger) (llm.Embedder, error) {
	if _, remote := embedder.(*llm.RemoteEmbedder); !remote {
		return embedder, nil
	}
	return c.openEmbedder(log)
}
