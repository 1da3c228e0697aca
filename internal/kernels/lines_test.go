package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// randomLines returns lines of 0 to LineWords words, some of them near q, and others that have more than words.
func randomLines(rng *rand.Rand, n int, q uint32) []*Line {
	lines := make([]*Line, n)
	for i := range lines {
		l := new(Line)
		for j := range l {
			l[j] = rng.Uint32()
			if rng.IntN(20) == 0 {
				l[j] = q ^ rng.Uint32()&rng.Uint32()&rng.Uint32() // about four bits
			}
		}
		l[LineWords] = l[LineWords]&^0xff | uint32(rng.IntN(LineWords+1))
		if rng.IntN(10) == 0 {
			l[LineWords] |= 0xff
		}
		lines[i] = l
	}
	return lines
}

func TestLinesWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	EachBackend(func(backend string) {
		for n := range 65 {
			for range 10 {
				q := rng.Uint32()
				lines, qs, ks := randomLines(rng, n, q), make([]uint32, n), make([]uint32, n)
				want := uint64(0)
				for i, l := range lines {
					qs[i], ks[i] = q^rng.Uint32()&rng.Uint32()&rng.Uint32()&rng.Uint32(), uint32(rng.IntN(9))
					if rng.IntN(9) == 0 {
						ks[i] = 32
					}
					if l.Count() > LineWords || maskWithin32Generic(l[:l.Count()], qs[i], int(ks[i])) != 0 {
						want |= 1 << i
					}
				}
				if got := LinesWithin(lines, qs, ks); got != want {
					t.Fatalf("%s: %d lines: got %064b, want %064b", backend, n, got, want)
				}
				PrefetchLines(lines)
			}
		}
	})
}

// Each changed bit of a line shows in its checksum, and so does another number.
func TestSealedLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 8))
	for range 50 {
		l, number := randomLines(rng, 1, 0)[0], rng.Uint64()
		before := *l
		SealLine(l, number)
		if got, want := l[LineWords]&^0xff, lineSumGeneric(l, number); got != want {
			t.Fatalf("checksum %08x, want %08x", got, want)
		}
		before[LineWords] = before[LineWords]&0xff | l[LineWords]&^0xff
		if *l != before {
			t.Fatal("sealing changes the words or the count")
		}
		unsound := func(number uint64) bool { return UnsoundLines([]*Line{{}, l}, []uint64{0, number})>>1 == 1 }
		if unsound(number) {
			t.Fatal("a sealed line is not sound")
		}
		for bit := range 512 {
			l[bit/32] ^= 1 << (bit % 32)
			if !unsound(number) {
				t.Fatalf("bit %d does not show", bit)
			}
			l[bit/32] ^= 1 << (bit % 32)
		}
		for _, other := range []uint64{number + 1, number ^ 1<<40, 0} {
			if !unsound(other) {
				t.Errorf("the number %#x is taken for %#x", other, number)
			}
		}
	}
}

func BenchmarkLinesWithin(b *testing.B) {
	rng := rand.New(rand.NewPCG(6, 9))
	const n = 64
	lines, qs, ks, numbers := make([]*Line, n), make([]uint32, n), make([]uint32, n), make([]uint64, n)
	for i := range lines {
		lines[i] = &Line{LineWords: 10}
		qs[i], ks[i] = rng.Uint32()|0xff, 3
	}
	EachBackend(func(backend string) {
		b.Run(fmt.Sprintf("backend=%s", backend), func(b *testing.B) {
			for b.Loop() {
				LinesWithin(lines, qs, ks)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
		})
	})
	b.Run("sums", func(b *testing.B) {
		for b.Loop() {
			UnsoundLines(lines, numbers)
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
	})
}
