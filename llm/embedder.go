// Package llm talks to language models. A Generator answers messages; it asks an OpenAI-compatible endpoint. An Embedder
// turns texts into vectors: RemoteEmbedder asks such an endpoint, StaticEmbedder computes them in the process from a folder
// of files. The package knows nothing of the graph, stores nothing, and neither its errors nor its log hold texts, keys or
// addresses.
package llm

import (
	"context"
	"errors"
	"math"
)

var (
	// ErrUnavailable says: there is no model, or it is away, overloaded or too slow; the same call may succeed later.
	ErrUnavailable = errors.New("model unavailable")
	// ErrGarbled says: what the model answered is not what it was asked for.
	ErrGarbled = errors.New("wrong answer of the model")
	// ErrRefused says: the request is not taken, for its key, its model or one of its texts.
	ErrRefused = errors.New("refused by the model")
)

// Embedder turns texts into vectors whose cosine tells how near their meanings are. It is safe for concurrent use.
type Embedder interface {
	// Embed returns one vector for each text, in their order, all of length 1 and of Dimensions numbers. A text with
	// nothing in it that the model can read (blank, or no token is known) has the vector nil. It is all or nothing;
	// what is cut off long texts is said by the implementation. Errors: ErrUnavailable, also when ctx is past its
	// deadline, ErrGarbled, ErrRefused, context.Canceled.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names what makes the vectors: those of two models cannot be compared.
	Model() string
	// Dimensions is how many numbers a vector has; 0 while that is not known.
	Dimensions() int
}

// unit makes the vector's length 1; false where it has none: zero, or not all numbers are finite.
func unit(vector []float32) bool {
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
