package vector

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkKernel compares one comparison with that of float32.
func BenchmarkKernel(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 5))
	const rows, dimensions = 4000, 384
	vectors := make([][]float32, rows)
	x := New(1 << 30)
	for i := range vectors {
		vectors[i] = unitVector(random, dimensions)
		if err := x.Add("s", 0, []Row{rowOf(int64(i+1), fmt.Sprint(i), vectors[i])}); err != nil {
			b.Fatal(err)
		}
	}
	v := unitVector(random, dimensions)
	q, s := newQuery(v), x.scopes["s"]
	var sum float64
	b.Run("int16", func(b *testing.B) {
		for i := range b.N {
			sum += s.cosine(&q, i%rows)
		}
	})
	b.Run("float32", func(b *testing.B) {
		for i := range b.N {
			sum += float64(dotFloat32(v, vectors[i%rows]))
		}
	})
}

func dotFloat32(a, b []float32) float32 {
	var s, t, u, v float32
	for i := 0; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s += x[0] * y[0]
		t += x[1] * y[1]
		u += x[2] * y[2]
		v += x[3] * y[3]
	}
	return s + t + u + v
}

func BenchmarkSearch(b *testing.B) {
	for _, size := range []int{1_000, 10_000, 100_000, 250_000} {
		random := rand.New(rand.NewPCG(5, 5))
		x, rows := New(1<<30), make([]Row, size)
		for i := range rows {
			rows[i] = rowOf(int64(i+1), fmt.Sprintf("01234567-89ab-cdef-0123-%012d", i), unitVector(random, 384))
		}
		if err := x.Add("s", 0, rows); err != nil {
			b.Fatal(err)
		}
		v := unitVector(random, 384)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				if _, err := x.Search([]string{"s"}, v, 50, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(x.Size())/float64(size), "bytes/vector")
		})
	}
}
