package bench

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// clustered is an embedder. It returns vectors in clusters of 64, and always the same vector for a text.
type clustered struct{ centres [64][]float32 }

const dimensions = 384

func newClustered() *clustered {
	c := &clustered{}
	for i := range c.centres {
		c.centres[i] = randomVector(rand.New(rand.NewPCG(1, uint64(i))))
	}
	return c
}

func randomVector(r *rand.Rand) []float32 {
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func (c *clustered) Model() string   { return "clustered" }
func (c *clustered) Dimensions() int { return dimensions }

func (c *clustered) Embed(_ context.Context, texts []string) ([][]float32, error) {
	units := make([][]float32, len(texts))
	for i, text := range texts {
		units[i] = c.unit(text)
	}
	return units, nil
}

func (c *clustered) unit(text string) []float32 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text))
	seed := hash.Sum64()
	v, centre := randomVector(rand.New(rand.NewPCG(seed, 2))), c.centres[seed%64]
	sum := 0.0
	for i := range v {
		v[i] += centre[i]
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}
