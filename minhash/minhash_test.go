package minhash

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// Figure 3.4 of Mining of Massive Datasets: rows a to e are 0 to 4.
func TestGoldenMMDS(t *testing.T) {
	fs := []Func{
		func(x uint64) uint64 { return (x + 1) % 5 },
		func(x uint64) uint64 { return (3*x + 1) % 5 },
	}
	sets := [][]uint64{{0, 3}, {2}, {1, 3, 4}, {0, 2, 3}}
	want := [][]uint64{{1, 0}, {3, 2}, {0, 0}, {1, 0}}
	for i, s := range sets {
		if got := Signature(nil, s, fs); !slices.Equal(got, want[i]) {
			t.Errorf("S%d: %v, want %v", i+1, got, want[i])
		}
	}
	if got := Jaccard(want[0], want[3]); got != 1 {
		t.Errorf("estimate of S1 and S4: %v, want 1 (the similarity is 2/3)", got)
	}
}

// The second example of the course notes: rows 1 to 5.
func TestGoldenNotes(t *testing.T) {
	fs := []Func{
		func(x uint64) uint64 { return x % 5 },
		func(x uint64) uint64 { return (2*x + 1) % 5 },
	}
	for _, tt := range []struct{ set, want []uint64 }{{[]uint64{1, 3, 4}, []uint64{1, 2}}, {[]uint64{2, 3, 5}, []uint64{0, 0}}} {
		if got := Signature(nil, tt.set, fs); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.set, got, tt.want)
		}
	}
}

// Estimates must be unbiased and have the error that independent functions have,
// for runs of numbers as elements too. Over 300 pairs the mean error has a standard
// deviation of at most 0.0026 and the root mean square one of about 0.002; the
// limits are five of them, a false alarm in about 10^6 runs. The seeds are fixed.
func TestErrorIsThatOfIndependentFunctions(t *testing.T) {
	const k, trials = 128, 300
	for _, size := range []int{20, 200, 1000} {
		for _, j := range []float64{0.2, 0.5, 0.8, 0.95} {
			shared := int(math.Round(2 * j * float64(size) / (1 + j)))
			exact := float64(shared) / float64(2*size-shared)
			var sum, squares float64
			for trial := range trials {
				fs := Functions(k, uint64(trial))
				a, b := make([]uint64, size), make([]uint64, size)
				for i := range size {
					a[i] = uint64(i)
					b[i] = uint64(size - shared + i)
				}
				e := Jaccard(Signature(nil, a, fs), Signature(nil, b, fs)) - exact
				sum += e
				squares += e * e
			}
			bias, rms := sum/trials, math.Sqrt(squares/trials)
			want := StandardError(exact, k)
			if math.Abs(bias) > 5*want/math.Sqrt(trials) || math.Abs(rms-want) > 5*want/math.Sqrt(2*trials) {
				t.Errorf("size %d, J = %.3f: bias %.4f, error %.4f, want 0 and %.4f", size, exact, bias, rms, want)
			}
		}
	}
}

func TestSignatureOfASet(t *testing.T) {
	fs := Functions(16, 7)
	a := Signature(nil, []uint64{3, 1, 2}, fs)
	if b := Signature(nil, []uint64{2, 3, 1, 1, 3}, fs); !slices.Equal(a, b) {
		t.Error("order or repetition changes the signature")
	}
	if b := Signature(nil, []uint64{3, 1, 2}, Functions(16, 8)); Jaccard(a, b) > 0 {
		t.Error("another seed gives the same functions")
	}
	if got := Signature(a[:0:0], nil, fs); got[0] != math.MaxUint64 {
		t.Errorf("the empty set gives %x", got[0])
	}
}

func ExampleJaccard() {
	fs := Functions(1000, 0)
	a := Signature(nil, []uint64{1, 2, 3, 4, 5}, fs) // chair, desk, rug, keyboard, mouse
	b := Signature(nil, []uint64{1, 3, 4}, fs)       // chair, rug, keyboard
	j := Jaccard(a, b)
	fmt.Println(math.Abs(j-0.6) < 3*StandardError(0.6, 1000))
	// Output:
	// true
}
