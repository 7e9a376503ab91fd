package vector

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// unitVector returns a random vector of length 1.
func unitVector(r *rand.Rand, dimensions int) []float32 {
	v, sum := make([]float32, dimensions), 0.0
	for i := range v {
		x := r.NormFloat64()
		v[i], sum = float32(x), sum+x*x
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// tie is the difference up to which two cosines may swap places.
const tie = 5e-5

func rowOf(seq int64, key string, v []float32) Row {
	return Row{Seq: seq, Key: key, Kind: uint8(seq % 3), At: seq, Vector: Encode(v)}
}

func TestEncodedVectorsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		v := rapid.SliceOfN(rapid.Float32Range(-1, 1), 1, 50).Draw(r, "vector")
		got, err := Decode(Encode(v))
		if err != nil || len(got) != len(v) {
			r.Fatalf("%d numbers: %v", len(got), err)
		}
		for i := range v {
			if math.Abs(float64(v[i]-got[i])) > float64(peak(v))/60_000 {
				r.Fatalf("%v became %v", v[i], got[i])
			}
		}
	})
	if got, err := Decode(Encode([]float32{3.7e-37, -1e-45, 0})); err != nil || got[0] != 0 || got[1] != 0 {
		t.Error("next to nothing:", got, err)
	}
	for _, b := range [][]byte{nil, {1}, {1, 2, 3, 4}, {1, 2, 3, 4, 5}, {0, 0, 0, 0, 1, 1}, {0, 0, 0xc0, 0x7f, 1, 1}, {0, 0, 0x80, 0x7f, 1, 1}, {0, 0, 0x80, 0xbf, 1, 1}} {
		if _, err := Decode(b); !errors.Is(err, ErrDimensions) {
			t.Errorf("%v: %v", b, err)
		}
	}
}

// No better hit is ever missed, after any adds, replacements and removals.
func TestSearchFindsWhatComparingAllFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		dimensions := rapid.IntRange(1, 70).Draw(r, "dimensions")
		names := []string{"team", "user"}
		x, all, seq := New(1<<30), map[string][]float32{}, int64(0)
		for _, name := range names {
			if err := x.Add(name, 0, nil); err != nil {
				r.Fatal(err)
			}
			for range rapid.IntRange(0, 200).Draw(r, "steps") {
				key := fmt.Sprintf("%s-%d", name, random.IntN(80))
				since := x.Since(name)
				seq++
				switch random.IntN(5) {
				case 0:
					x.Remove(name, []string{key})
					delete(all, key)
				case 1:
					if err := x.Add(name, since, []Row{{Seq: seq, Key: key}}); err != nil {
						r.Fatal(err)
					}
					delete(all, key)
				default:
					all[key] = unitVector(random, dimensions)
					if err := x.Add(name, since, []Row{rowOf(seq, key, all[key])}); err != nil {
						r.Fatal(err)
					}
				}
			}
		}
		compareAll(r, x, names, all, unitVector(random, dimensions), rapid.IntRange(0, 100).Draw(r, "k"))
	})
}

func compareAll(t rapid.TB, x *Index, names []string, all map[string][]float32, q []float32, k int) {
	t.Helper()
	got, err := x.Search(names, q, k, nil)
	if err != nil {
		t.Fatal(err)
	}
	var best []float64
	var sum, squares float64
	for _, v := range all {
		c := dot(q, v)
		best, sum, squares = append(best, c), sum+c, squares+c*c
	}
	slices.SortFunc(best, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
	if len(got.Hits) != min(k, len(all)) || got.Count != len(all) {
		t.Fatalf("%d hits of %d, want %d of %d", len(got.Hits), got.Count, min(k, len(all)), len(all))
	}
	keys := make([]string, len(got.Hits))
	for i, h := range got.Hits {
		keys[i] = h.Key
		if exact := dot(q, all[h.Key]); math.Abs(h.Cosine-exact) > tie || exact < best[i]-tie {
			t.Fatalf("hit %d has %v, which is %v; the best there is %v", i, h.Cosine, exact, best[i])
		}
		if i > 0 && got.Hits[i-1].compare(h) >= 0 {
			t.Fatalf("hit %d comes too early", i)
		}
	}
	for _, name := range names {
		x.scopes[name].checkSketches(t)
	}
	if n := float64(len(all)); n > 0 {
		mean := sum / n
		if math.Abs(got.Mean-mean) > tie || math.Abs(got.Deviation-math.Sqrt(max(0, squares/n-mean*mean))) > 1e-3 {
			t.Fatalf("mean %v, deviation %v", got.Mean, got.Deviation)
		}
	}
	cosines, err := x.Cosines(names, q, append(keys, "nobody"))
	if err != nil || len(cosines) != len(keys) {
		t.Fatalf("%d cosines of %d: %v", len(cosines), len(keys), err)
	}
	for _, h := range got.Hits {
		if cosines[h.Key] != h.Cosine {
			t.Fatalf("%v and %v", cosines[h.Key], h.Cosine)
		}
	}
}

// checkSketches compares every sketch with one computed from the row's numbers.
func (s *scope) checkSketches(t rapid.TB) {
	t.Helper()
	for place := range s.rows {
		unit := make([]float32, s.dimensions)
		for i := range unit {
			unit[i] = s.rows[place].scale * float32(int(binary.LittleEndian.Uint16(s.numbers(place)[2*i:]))-zero)
		}
		want := make([]uint64, s.rotation.words())
		if s.rotation.sketch(want, unit); !slices.Equal(want, s.sketch(place)) {
			t.Fatalf("the sketch of row %d of %d is %x, not %x", place, len(s.rows), s.sketch(place), want)
		}
	}
}

// In large scopes, searched by several goroutines, hardly any of the nearest rows is missed. The statistics are
// estimates, and filters apply.
func TestLargeScopes(t *testing.T) {
	t.Parallel()
	for dimensions, size := range map[int]int{64: 2*parallelRows + 11, 384: 10_000} {
		random := rand.New(rand.NewPCG(7, 7))
		x, all, rows := New(1<<30), make([][]float32, size), make([]Row, size)
		centres := [][]float32{unitVector(random, dimensions), unitVector(random, dimensions), unitVector(random, dimensions)}
		for i := range rows {
			all[i] = unitVector(random, dimensions)
			length := math.Sqrt(2 + 2*dot(all[i], centres[i%3]))
			for d, y := range centres[i%3] {
				all[i][d] = (all[i][d] + y) / float32(length)
			}
			rows[i] = rowOf(int64(i+1), strconv.Itoa(i), all[i])
			rows[i].Parent = "of " + rows[i].Key
		}
		if err := x.Add("s", 0, rows); err != nil {
			t.Fatal(err)
		}
		const questions, k = 10, 50
		found := 0
		for n := range questions {
			q := all[n]
			cosines, sum, squares := make([]float64, size), 0.0, 0.0
			for i, v := range all {
				cosines[i] = dot(q, v)
				sum, squares = sum+cosines[i], squares+cosines[i]*cosines[i]
			}
			mean := sum / float64(size)
			deviation := math.Sqrt(squares/float64(size) - mean*mean)
			got, err := x.Search([]string{"s"}, q, k, nil)
			if err != nil || got.Count != size || len(got.Hits) != k || math.Abs(got.Mean-mean) > deviation/8 || math.Abs(got.Deviation/deviation-1) > 0.1 {
				t.Fatalf("%d of %d, mean %v (%v), deviation %v (%v): %v", len(got.Hits), got.Count, got.Mean, mean, got.Deviation, deviation, err)
			}
			for _, h := range got.Hits {
				i, _ := strconv.Atoi(h.Key)
				if math.Abs(h.Cosine-cosines[i]) > tie || h.Parent != "of "+h.Key {
					t.Fatalf("%+v, which is %v", h, cosines[i])
				}
			}
			slices.Sort(cosines)
			for _, h := range got.Hits {
				if h.Cosine >= cosines[size-k]-tie {
					found++
				}
			}
		}
		if found < questions*k*98/100 {
			t.Errorf("%d dimensions: %d of %d were found", dimensions, found, questions*k)
		}
		got, err := x.Search([]string{"s"}, all[0], k, func(kind uint8, at int64) bool { return kind == 1 && at > 1000 })
		if err != nil || got.Count != (size-1000+1)/3 || slices.ContainsFunc(got.Hits, func(h Hit) bool { return h.Kind != 1 }) {
			t.Fatalf("%d: %v", got.Count, err)
		}
		cosines, err := x.Cosines([]string{"s"}, all[0], []string{"4", "5", "6"})
		few, fewErr := x.Search([]string{"s"}, all[0], k, func(_ uint8, at int64) bool { return at >= 5 && at <= 7 })
		mean := (cosines["4"] + cosines["5"] + cosines["6"]) / 3
		if err != nil || fewErr != nil || len(few.Hits) != 3 || math.Abs(few.Mean-mean) > 1e-12 || few.Deviation == 0 {
			t.Errorf("of few: %+v, with a mean of %v: %v %v", few, mean, err, fewErr)
		}
	}
}

// The estimate of a cosine from a sketch is unbiased, with the computed variance.
func TestSketches(t *testing.T) {
	t.Parallel()
	const dimensions, pairs = 100, 4000
	random, r := rand.New(rand.NewPCG(8, 8)), newRotation(dimensions)
	sketch := make([]uint64, r.words())
	sum, squares, variance := 0.0, 0.0, 0.0
	for range pairs {
		v, q := unitVector(random, dimensions), unitVector(random, dimensions)
		g := r.guess(q)
		r.sketch(sketch, v)
		off := g.cosine(sketch) - dot(v, q)
		sum, squares, variance = sum+off, squares+off*off, variance+g.variance(sketch, dot(v, q))
		r.sketch(sketch, q)
		if itself := g.cosine(sketch); math.Abs(itself-1) > 0.1 {
			t.Fatalf("a vector's cosine with itself is told to be %v", itself)
		}
	}
	if mean, expected := sum/pairs, math.Sqrt(variance/pairs); math.Abs(mean) > 4*expected/math.Sqrt(pairs) || squares/variance < 0.8 || squares/variance > 1.2 {
		t.Errorf("off by %v on average, and by %v where %v was said", mean, math.Sqrt(squares/pairs), expected)
	}
	r.sketch(sketch, make([]float32, dimensions))
	if g := r.guess(unitVector(random, dimensions)); g.cosine(sketch) != 0 {
		t.Error("nothing is near to something")
	}
}

// Removing a row removes its parts.
func TestPartsGoToo(t *testing.T) {
	t.Parallel()
	x, rows := New(1<<20), []Row{rowOf(1, "talk", []float32{1, 0}), rowOf(2, "other", []float32{0, 1})}
	for i := range 10 {
		r := rowOf(int64(3+i), fmt.Sprint("said ", i), []float32{0.6, 0.8})
		if i != 4 {
			r.Parent = "talk"
		}
		rows = append(rows, r)
	}
	if err := x.Add("s", 0, rows); err != nil {
		t.Fatal(err)
	}
	x.Remove("s", []string{"talk"})
	got, err := x.Search([]string{"s"}, []float32{1, 0}, 20, nil)
	if err != nil || len(got.Hits) != 2 || got.Hits[0].Key != "said 4" || got.Hits[1].Key != "other" {
		t.Errorf("%+v %v", got, err)
	}
}

func TestTiesAreByKey(t *testing.T) {
	t.Parallel()
	x := New(1 << 20)
	if err := x.Add("s", 0, []Row{rowOf(1, "b", []float32{1, 0}), rowOf(2, "c", []float32{1, 0}), rowOf(3, "a", []float32{1, 0})}); err != nil {
		t.Fatal(err)
	}
	got, err := x.Search([]string{"s"}, []float32{1, 0}, 2, nil)
	if err != nil || len(got.Hits) != 2 || got.Hits[0].Key != "a" || got.Hits[1].Key != "b" {
		t.Errorf("%+v %v", got, err)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	x := New(1 << 20)
	v := []float32{0.6, 0.8}
	if _, err := x.Search([]string{"s"}, v, 1, nil); !errors.Is(err, ErrNotLoaded) {
		t.Error(err)
	}
	if err := x.Add("s", 5, []Row{rowOf(6, "a", v)}); !errors.Is(err, ErrNotLoaded) {
		t.Error("rows before are missing:", err)
	}
	if err := x.Add("s", 0, []Row{rowOf(3, "a", v)}); err != nil {
		t.Error(err)
	}
	if err := x.Add("s", 4, []Row{rowOf(6, "b", v)}); !errors.Is(err, ErrNotLoaded) {
		t.Error("rows before are missing:", err)
	}
	if err := x.Add("s", 0, []Row{rowOf(3, "c", v), rowOf(4, "d", v)}); err != nil || x.Since("s") != 4 {
		t.Error(err, x.Since("s"))
	}
	if got, _ := x.Cosines([]string{"s"}, v, []string{"a", "c", "d"}); len(got) != 2 {
		t.Errorf("what was added before was added again: %v", got)
	}
	x.Drop("s")
	if _, err := x.Cosines([]string{"s"}, v, nil); !errors.Is(err, ErrNotLoaded) || x.Size() != 0 || x.Since("s") != 0 {
		t.Error(err, x.Size())
	}
}

func TestWrongDimensions(t *testing.T) {
	t.Parallel()
	x := New(1 << 20)
	good := rowOf(1, "a", []float32{1, 0})
	if err := x.Add("s", 0, []Row{good, rowOf(2, "b", []float32{1}), rowOf(3, "c", []float32{0, 1})}); !errors.Is(err, ErrDimensions) || x.Since("s") != 1 {
		t.Error(err, x.Since("s"))
	}
	if err := x.Add("s", 0, []Row{{Seq: 2, Key: "d", Vector: []byte("x")}}); !errors.Is(err, ErrDimensions) {
		t.Error(err)
	}
	for _, q := range [][]float32{nil, {1}, {1, 0, 0}, {float32(math.NaN()), 1}, {float32(math.Inf(1)), 1}} {
		if _, err := x.Search([]string{"s"}, q, 1, nil); !errors.Is(err, ErrDimensions) {
			t.Errorf("%v: %v", q, err)
		}
	}
	x.Remove("s", []string{"a"}) // of an empty scope any dimensions are right
	if err := x.Add("s", 1, []Row{rowOf(4, "e", []float32{1, 0, 0})}); err != nil {
		t.Error(err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	v := unitVector(rand.New(rand.NewPCG(1, 1)), 32)
	one := New(1 << 20)
	if err := one.Add("s", 0, []Row{rowOf(1, "a", v)}); err != nil {
		t.Fatal(err)
	}
	x := New(3 * one.Size())
	for i := range 5 {
		if err := x.Add(fmt.Sprint(i), 0, []Row{rowOf(1, "a", v)}); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			x.Since("0") // used: 1 is the oldest now
		}
	}
	for i, kept := range []bool{true, false, false, true, true} {
		if got := x.Since(fmt.Sprint(i)) > 0; got != kept {
			t.Errorf("%d is kept: %v", i, got)
		}
	}
	if x.Size() != 3*one.Size() {
		t.Error(x.Size())
	}
	var rows []Row
	for i := range 200 {
		rows = append(rows, rowOf(int64(i+1), fmt.Sprint(i), v))
	}
	if err := x.Add("large", 0, rows); !errors.Is(err, ErrFull) || x.Since("large") != 0 {
		t.Error(err)
	}
}

func TestIdleScopesGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := New(1 << 20)
		if err := x.Add("s", 0, []Row{rowOf(1, "a", []float32{1})}); err != nil {
			t.Fatal(err)
		}
		for range 5 { // in use
			time.Sleep(idleTime - time.Second)
			if x.Since("s") != 1 {
				t.Fatal("it is gone")
			}
		}
		time.Sleep(2 * idleTime)
		if x.Size() != 0 {
			t.Error("it is still there")
		}
	})
}

func TestSearchesRunBesideWrites(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 3))
	vectors := make([][]float32, 100)
	for i := range vectors {
		vectors[i] = unitVector(random, 32)
	}
	x := New(1 << 20)
	if err := x.Add("s", 0, nil); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for i := range 2000 {
			if err := x.Add("s", 0, []Row{rowOf(int64(i+1), fmt.Sprint(i%100), vectors[i%100])}); err != nil {
				t.Error(err)
			}
			x.Remove("s", []string{fmt.Sprint(i % 7)})
		}
	})
	for range 2 {
		group.Go(func() {
			for i := range 1000 {
				got, err := x.Search([]string{"s"}, vectors[i%100], 3, nil)
				if err != nil {
					t.Error(err)
				}
				for _, h := range got.Hits {
					if h.Cosine > 1.001 || h.Cosine < -1.001 {
						t.Error(h)
					}
				}
			}
		})
	}
	group.Wait()
}

func TestClear(t *testing.T) {
	t.Parallel()
	x := New(1 << 20)
	for _, name := range []string{"a", "b"} {
		if err := x.Add(name, 0, []Row{{Seq: 1, Key: "k", Vector: Encode([]float32{1, 0})}}); err != nil {
			t.Fatal(err)
		}
	}
	x.Clear()
	if x.Size() != 0 || x.Since("a") != 0 || x.Since("b") != 0 {
		t.Errorf("%d bytes are left", x.Size())
	}
	if err := x.Add("a", 0, []Row{{Seq: 1, Key: "k", Vector: Encode([]float32{1, 0})}}); err != nil || x.Since("a") != 1 {
		t.Errorf("and then nothing can be added: %v", err)
	}
}
