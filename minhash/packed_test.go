package minhash

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestAgree(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for k := 1; k <= 200; k += 1 + r.IntN(3) {
		x := make([]uint64, k)
		y := make([]uint64, k)
		for i := range x {
			x[i] = r.Uint64()
			y[i] = x[i]
			if r.IntN(2) == 0 {
				y[i] = r.Uint64()
			}
		}
		px, py := Pack(nil, x), Pack([]byte{9}, y)[1:]
		want := 0
		for i := range px {
			if px[i] == py[i] {
				want++
			}
		}
		if got := Agree(px, py); len(px) != k || got != want {
			t.Errorf("%d positions in %d bytes: %d agree, want %d", k, len(px), got, want)
		}
	}
}

// Packed estimates are unbiased and have the documented error. The limits are five standard deviations:
// with other seeds one false alarm in 10,000 runs.
func TestPackedJaccard(t *testing.T) {
	t.Parallel()
	const k, trials = 128, 2000
	var sum, squares, exact float64
	for trial := range trials {
		s := VariantFast.New(k, uint64(trial))
		var x, y []uint64
		x, y, exact = split(kinds["random"](trial, 1000), 500, 0.8)
		e := PackedJaccard(Agree(Pack(nil, s.Sketch(nil, x)), Pack(nil, s.Sketch(nil, y))), k) - exact
		sum += e
		squares += e * e
	}
	want := VariantFast.PackedError(exact, k)
	bias, rms := sum/trials, math.Sqrt(squares/trials)
	if math.Abs(bias) > 5*want/math.Sqrt(trials) || rms > want*(1+5/math.Sqrt(2*trials)) {
		t.Errorf("bias %.4f, error %.4f, want at most %.4f", bias, rms, want)
	}
	if got := PackedJaccard(0, 128); got != 0 {
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
		n += Agree(x, y)
	}
	if n == 0 {
		b.Fatal("they agree nowhere")
	}
}
