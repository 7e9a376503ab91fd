package command

import (
	"errors"
	"log/slog"

	"kith/internal/llm"
)

// openEmbedder opens the configured embedder, nil if there is none. closeEmbedders closes it.
func (c *config) openEmbedder(log *slog.Logger) (llm.Embedder, error) {
	switch {
	case c.EmbeddingsURL != "" && c.EmbeddingsDir != "":
		return nil, errors.New("KITH_EMBEDDINGS_URL and KITH_EMBEDDINGS_MODEL_DIR are both set; set only one of them")
	case c.EmbeddingsURL != "":
		e, err := llm.NewRemoteEmbedder(c.EmbeddingsURL, c.EmbeddingsModel, llm.RemoteOptions{Key: c.EmbeddingsKey, Log: log})
		if err != nil {
			return nil, err // not an interface that holds a nil pointer
		}
		return e, nil
	case c.EmbeddingsKey != "" || c.EmbeddingsModel != "":
		return nil, errors.New("KITH_EMBEDDINGS_KEY or KITH_EMBEDDINGS_MODEL is set without KITH_EMBEDDINGS_URL")
	case c.EmbeddingsDir != "":
		e, err := llm.OpenStaticEmbedder(c.EmbeddingsDir)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	return nil, nil
}

func closeEmbedders(all ...llm.Embedder) {
	for _, e := range all {
		if remote, ok := e.(*llm.RemoteEmbedder); ok {
			remote.Close()
		}
	}
}

// openQueryEmbedder opens a second embedder for queries if the embedder is remote. Each has its own circuit breaker, so an
// endpoint that is too slow for queued texts can still serve queries, and the other way round.
func (c *config) openQueryEmbedder(embedder llm.Embedder, log *slog.Logger) (llm.Embedder, error) {
	if _, remote := embedder.(*llm.RemoteEmbedder); !remote {
		return embedder, nil
	}
	return c.openEmbedder(log)
}
