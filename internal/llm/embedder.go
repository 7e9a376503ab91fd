// Package llm calls language models. A Generator answers messages through an OpenAI-compatible endpoint. An Embedder
// turns texts into vectors: RemoteEmbedder calls such an endpoint, StaticEmbedder computes vectors in the process
// from a folder of files. The package knows nothing of the graph and stores nothing. Its errors and logs contain no
// texts, keys or addresses.
package llm

import (
	"context"
	"errors"
	"math"
)

var (
	// ErrUnavailable means that there is no model, or that it is down, overloaded or too slow; the call may succeed later.
	ErrUnavailable = errors.New("model unavailable")
	// ErrGarbled means that the model's answer does not have the requested form.
	ErrGarbled = errors.New("wrong answer of the model")
	// ErrRefused means that the endpoint rejects the request for its key, its model or one of its texts.
	ErrRefused = errors.New("refused by the model")
)

// Embedder turns texts into vectors. Their cosine is a measure of how similar the meanings are. It is safe for
// concurrent use.
type Embedder interface {
	// Embed returns one vector for each text, in their order, all of length 1 and with Dimensions numbers. The vector of
	// a text that the model cannot read (blank, or no known token) is nil. It returns all vectors or an error. The
	// implementation documents how long texts are cut. Errors: ErrUnavailable, also when ctx is past its deadline,
	// ErrGarbled, ErrRefused, context.Canceled.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model returns the name of the model. Vectors of two models cannot be compared.
	Model() string
	// Dimensions returns how many numbers a vector has; 0 while unknown.
	Dimensions() int
}

// normalize scales the vector to length 1. It returns false for a vector that is zero or not finite.
func normalize(vector []float32) bool {
	var sum float64
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range vector {
		vector[i] = float32(float64(x) * scale)
	}
	return true
}
