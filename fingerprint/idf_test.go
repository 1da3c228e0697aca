package fingerprint

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/ground/section"
)

// documents returns the distinct features of n documents. Some features are common and most are rare.
func documents(rng *rand.Rand, n int) [][]uint64 {
	docs := make([][]uint64, n)
	for i := range docs {
		for range 1 + rng.IntN(60) {
			// The square makes small numbers frequent. The product is uniform like a hash.
			f := uint64(rng.Float64() * rng.Float64() * 3000)
			docs[i] = append(docs[i], (f+1)*0x9e3779b97f4a7c15)
		}
		slices.Sort(docs[i])
		docs[i] = slices.Compact(docs[i])
	}
	return docs
}

func learn(t testing.TB, docs [][]uint64, limit int) *IDF { return learnIn(t, docs, limit, 0) }

// learnIn learns with hold features in memory.
func learnIn(t testing.TB, docs [][]uint64, limit, hold int) *IDF {
	t.Helper()
	l := IDFLearner{limit: limit, FeaturesInMemory: hold, Dir: t.TempDir()}
	for _, d := range docs {
		if err := l.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	m, err := l.IDF(t.Context())
	if err = errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	return m
}

// A full disk gives an error and no model.
func TestLearningOnAFullDisk(t *testing.T) {
	full := &disktest.FS{Base: disk.OS, Before: func(op disktest.Op) (int, error) {
		if op.Kind == "write" {
			return 10, syscall.ENOSPC
		}
		return 0, nil
	}}
	l := IDFLearner{FeaturesInMemory: 10, Dir: t.TempDir(), Disk: full}
	var err error
	for _, d := range documents(rand.New(rand.NewPCG(1, 1)), 100) {
		err = errors.Join(err, l.Add(d))
	}
	if err == nil {
		_, err = l.IDF(t.Context())
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func weigh(t testing.TB, m *IDF, dst []uint32, features []uint64) []uint32 {
	weights, err := m.Weights(dst, features)
	if err != nil {
		t.Fatal(err)
	}
	return weights
}

func TestLog2(t *testing.T) {
	for _, x := range []uint64{1, 2, 3, 5, 7, 10, 1000, 1 << 20, 1<<40 - 1, math.MaxUint64} {
		if got, want := float64(log2(x))/WeightOne, math.Log2(float64(x)); math.Abs(got-want) > 1.0/WeightOne {
			t.Errorf("log2(%d) = %v, want %v", x, got, want)
		}
	}
	if got := LogCount(1); got != WeightOne {
		t.Errorf("one occurrence weighs %d, want %d", got, WeightOne)
	}
}

// Weights are those of counts in a map, and agree with floating point.
func TestWeightsEqualCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	docs := documents(rng, 500)
	df := map[uint64]float64{}
	for _, d := range docs {
		for _, f := range d {
			df[f]++
		}
	}
	m := learn(t, docs, 0)
	if m.keys.Len() != len(df) || m.documents != 500 || m.bits != 64 {
		t.Errorf("%d features of %d documents by %d bits, want %d of 500 by 64", m.keys.Len(), m.documents, m.bits, len(df))
	}
	features := []uint64{0, 12345, math.MaxUint64} // never seen
	for f := range df {
		features = append(features, f)
	}
	weights := weigh(t, m, []uint32{7}, features)
	if weights[0] != 7 {
		t.Fatal("what dst held is lost")
	}
	for i, f := range features {
		want := 1 + math.Log2(501/(df[f]+1))
		if got := float64(weights[1+i]) / WeightOne; math.Abs(got-want) > 3.0/WeightOne {
			t.Errorf("a feature of %v documents weighs %v, want %v", df[f], got, want)
		}
	}
}

// The model depends neither on the order of documents nor on when the limit is met.
func TestOrderDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	docs := documents(rng, 800)
	for _, limit := range []int{0, 1000, 300, 2} {
		want := learn(t, docs, limit)
		if limit > 0 && (want.keys.Len() > limit || want.bits == 64) {
			t.Errorf("limit %d: %d features, told apart by %d bits", limit, want.keys.Len(), want.bits)
		}
		for range 5 {
			rng.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
			got := learnIn(t, docs, limit, 1+rng.IntN(2000))
			if got.bits != want.bits || !slices.Equal(got.keys.All, want.keys.All) || !slices.Equal(got.weights.All, want.weights.All) {
				t.Fatalf("limit %d: another model of the same documents", limit)
			}
		}
		// The number of bits is the largest that keeps within the limit.
		if limit > 0 {
			mask := ^uint64(0) << (64 - want.bits - 1)
			more := map[uint64]bool{}
			for _, d := range docs {
				for _, f := range d {
					more[f&mask] = true
				}
			}
			if len(more) <= limit {
				t.Errorf("limit %d: %d bits, though one more would do", limit, want.bits)
			}
		}
	}
}

// Features that count as one weigh one at least, even if they occur more often together than there are documents.
func TestFeaturesThatShareAKey(t *testing.T) {
	features := []uint64{1, 2, 3, 4, 5, 6, 7, 8}
	for n := 1; n <= 3; n++ {
		m := learn(t, slices.Repeat([][]uint64{features}, n), 2)
		weights, err := m.Weights(nil, features)
		if err != nil || len(weights) != len(features) || slices.Min(weights) != WeightOne {
			t.Errorf("%d documents: weights %v, %v", n, weights, err)
		}
	}
}

// save returns the bytes of a file that holds a model.
func save(t testing.TB, m *IDF) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := section.NewWriter(&buf)
	m.Write(w)
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestSavedIDFWeighsAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{0, 1, 300} {
		docs := documents(rng, n)
		m := learn(t, docs, 0)
		saved := save(t, m)
		f, err := section.Parse("", saved)
		if err != nil {
			t.Fatal(err)
		}
		loaded := LoadIDF(f)
		features := slices.Concat(append(docs, []uint64{0, 99})...)
		want := weigh(t, m, nil, features)
		if got := weigh(t, loaded, nil, features); !slices.Equal(got, want) {
			t.Errorf("%d documents: loaded weights differ", n)
		}
		// A flipped bit is found, or no weight that was asked for depends on it.
		found := 0
		for range 3000 {
			broken := slices.Clone(saved)
			broken[rng.IntN(len(broken))] ^= 1 << rng.IntN(8)
			f, err := section.Parse("", broken)
			if err != nil {
				continue
			}
			var m *IDF
			if section.DamageOf(func() { m = LoadIDF(f) }) != nil {
				continue
			}
			for range 2 {
				dst, err := m.Weights([]uint32{7}, features)
				if err == nil && slices.Equal(dst[1:], want) {
					continue
				}
				if !errors.Is(err, section.ErrCorrupt) || !slices.Equal(dst, []uint32{7}) {
					t.Fatalf("a changed bit is not found by Weights: %v, %v", dst, err)
				}
				found++
			}
		}
		if found < 1000 && n == 300 {
			t.Errorf("%d of 3000 changed bits are found by Weights", found)
		}
	}
}

// A model with valid checksums may contradict itself. Then there is an error and no weight.
func TestContradictoryIDF(t *testing.T) {
	docs := documents(rand.New(rand.NewPCG(6, 1)), 50)
	for name, contradict := range map[string]func(m *IDF){
		"a weight of less than 1":       func(m *IDF) { m.weights.All[3] = WeightOne - 1 },
		"a weight of more than 64":      func(m *IDF) { m.weights.All[3] = 64*WeightOne + 1 },
		"a directory that leads beyond": func(m *IDF) { m.directory.Starts[m.directory.Len()-1]++ },
		"a directory that leads back":   func(m *IDF) { m.directory.Starts[1] = m.directory.Starts[2] + 1 },
	} {
		m := learn(t, docs, 0)
		contradict(m)
		saved := save(t, m)
		f, err := section.Parse("", saved)
		if err != nil {
			t.Fatal(err)
		}
		loaded := LoadIDF(f)
		if _, err := loaded.Weights(nil, slices.Concat(docs...)); !errors.Is(err, section.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
}

func BenchmarkWeights(b *testing.B) {
	m := learn(b, documents(rand.New(rand.NewPCG(4, 1)), 20_000), 0)
	features := slices.Concat(documents(rand.New(rand.NewPCG(5, 1)), 300)...)
	var dst []uint32
	for b.Loop() {
		dst = weigh(b, m, dst[:0], features)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(features)), "ns/feature")
}
