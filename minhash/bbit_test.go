package minhash

import (
	"math"
	"math/rand/v2"
	"testing"
)

// agreeOneByOne is the reference for Agree.
func agreeOneByOne(x, y []byte, k, b int) int {
	field := func(p []byte, i int) (v uint64) {
		for bit := i * b; bit < (i+1)*b; bit++ {
			v = v<<1 | uint64(p[bit/8]>>(bit%8)&1)
		}
		return v
	}
	equal := 0
	for i := range k {
		if field(x, i) == field(y, i) {
			equal++
		}
	}
	return equal
}

func TestAgree(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, b := range []int{1, 2, 4, 8, 16} {
		for k := 1; k <= 200; k += 1 + r.IntN(9) {
			x := make([]uint64, k)
			y := make([]uint64, k)
			for i := range x {
				x[i] = r.Uint64()
				y[i] = x[i]
				if r.IntN(2) == 0 {
					y[i] = r.Uint64()
				}
			}
			px, py := Pack(nil, x, b), Pack([]byte{9}, y, b)[1:]
			if len(px) != PackedBytes(k, b) || len(py) != len(px) {
				t.Fatalf("%d positions of %d bits: %d bytes, want %d", k, b, len(px), PackedBytes(k, b))
			}
			if got, want := Agree(px, py, k, b), agreeOneByOne(px, py, k, b); got != want {
				t.Errorf("%d positions of %d bits: %d agree, want %d", k, b, got, want)
			}
		}
	}
}

// Packed estimates are unbiased and have the documented error. The limits are five standard deviations:
// with other seeds one false alarm in 10,000 runs.
func TestPackedJaccard(t *testing.T) {
	t.Parallel()
	const k, trials = 128, 2000
	for _, b := range []int{1, 4, 8} {
		var sum, squares, exact float64
		for trial := range trials {
			s := VariantFast.New(k, uint64(trial))
			var x, y []uint64
			x, y, exact = split(kinds["random"](trial, 1000), 500, 0.8)
			agree := Agree(Pack(nil, s.Sketch(nil, x), b), Pack(nil, s.Sketch(nil, y), b), k, b)
			e := PackedJaccard(agree, k, b) - exact
			sum += e
			squares += e * e
		}
		want := PackedStandardError(exact, k, b)
		bias, rms := sum/trials, math.Sqrt(squares/trials)
		if math.Abs(bias) > 5*want/math.Sqrt(trials) || rms > want*(1+5/math.Sqrt(2*trials)) {
			t.Errorf("%d bits: bias %.4f, error %.4f, want at most %.4f", b, bias, rms, want)
		}
	}
	if got := PackedJaccard(0, 128, 1); got != 0 {
		t.Errorf("no agreement at all: %v, want 0", got)
	}
}

func BenchmarkAgree(b *testing.B) {
	x, y := make([]byte, 128), make([]byte, 128)
	for i := range y {
		y[i] = byte(i % 2)
	}
	n := 0
	for b.Loop() {
		n += Agree(x, y, 128, 8)
	}
	if n == 0 {
		b.Fatal("they agree nowhere")
	}
}
