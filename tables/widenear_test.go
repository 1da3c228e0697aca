package tables

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/tests/testkit"
)

// distinctWide sorts values and drops repeated ones.
func distinctWide(values []uint64, words int) []uint64 {
	SortWide(values, words, make([]uint32, len(values)/words))
	out := values[:0]
	for i := 0; i < len(values); i += words {
		if v := values[i : i+words]; i == 0 || slices.Compare(v, out[len(out)-words:]) != 0 {
			out = append(out, v...)
		}
	}
	return out
}

// flipWide changes n bits of v.
func flipWide(rng *rand.Rand, v []uint64, n int) []uint64 {
	v = slices.Clone(v)
	for _, bit := range rng.Perm(64 * len(v))[:n] {
		v[bit/64] ^= 1 << (bit % 64)
	}
	return v
}

func randomWide(rng *rand.Rand, words int) []uint64 {
	v := make([]uint64, words)
	for i := range v {
		v[i] = rng.Uint64()
	}
	return v
}

// wideCollections are values of many shapes: n of them before equal ones are dropped.
var wideCollections = map[string]func(rng *rand.Rand, n, words int) []uint64{
	"random": func(rng *rand.Rand, n, words int) (all []uint64) {
		for range n {
			all = append(all, randomWide(rng, words)...)
		}
		return all
	},
	"clusters": func(rng *rand.Rand, n, words int) (all []uint64) {
		for range n / 50 {
			center := randomWide(rng, words)
			for range 50 {
				all = append(all, flipWide(rng, center, rng.IntN(40))...)
			}
		}
		return all
	},
	"templates": func(rng *rand.Rand, n, words int) (all []uint64) { // all within about 40 bits
		center := randomWide(rng, words)
		for range n {
			all = append(all, flipWide(rng, center, 15+rng.IntN(10))...)
		}
		return all
	},
	"zero blocks": func(rng *rand.Rand, n, words int) (all []uint64) {
		for range n {
			v := randomWide(rng, words)
			for b := range 4 * words {
				if rng.IntN(4) > 0 {
					v[b/4] &^= 0xffff << (16 * (b % 4))
				}
			}
			all = append(all, v...)
		}
		return all
	},
	"half zero": func(rng *rand.Rand, n, words int) (all []uint64) {
		for range n {
			v := randomWide(rng, words)
			clear(v[:words/2])
			all = append(all, v...)
		}
		return all
	},
	"skewed": func(rng *rand.Rand, n, words int) (all []uint64) { // bits are set with a share of an eighth
		for range n {
			v := randomWide(rng, words)
			for i := range v {
				v[i] &= rng.Uint64() & rng.Uint64()
			}
			all = append(all, v...)
		}
		return all
	},
	"two": func(rng *rand.Rand, _, words int) []uint64 {
		return append(randomWide(rng, words), randomWide(rng, words)...)
	},
	"equal": func(rng *rand.Rand, n, words int) []uint64 { return slices.Repeat(randomWide(rng, words), n) },
	"none":  func(*rand.Rand, int, int) []uint64 { return nil },
}

// Every search is the linear scan, as a whole set, for queries among the values, near them by exactly k and k+1 bits,
// and elsewhere.
func TestNearIsTheScan(t *testing.T) {
	for name, collection := range wideCollections {
		for _, width := range Widths {
			t.Run(fmt.Sprintf("%s/%d", name, width), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(36, uint64(width)))
				words := Words(width)
				values := distinctWide(collection(rng, 3*leastTabled/2, words), words)
				comparedWide(t, rng, BuildWide(values, width, 2))
			})
		}
	}
}

// comparedWide compares searches of b with the scan.
func comparedWide(t *testing.T, rng *rand.Rand, b *Wide) {
	t.Helper()
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	values, words := b.Values(), Words(b.Width())
	var stats Stats
	planned := 0
	for round := range testkit.Of(4, 16) {
		for _, k := range []int{-1, 0, 1, 3, 7, 10, 15, 16, 20, 31, 32, 45, b.Width() - 1, b.Width()} {
			q := randomWide(rng, words)
			if n := b.Len(); n > 0 && round%4 > 0 {
				q = values[rng.IntN(n)*words:][:words]
				if round%4 > 1 {
					q = flipWide(rng, q, min(b.Width(), max(0, k+round%4-2)))
				}
			}
			scans := stats.Scans
			got := b.Near(nil, q, k, &stats)
			if stats.Scans == scans {
				planned++
			}
			if want := ScanWide(nil, values, q, k); !slices.Equal(got, want) {
				t.Fatalf("within %d of %x: %d found, want %d", k, q, len(got), len(want))
			}
		}
	}
	if b.Len() >= leastTabled && planned < 12 {
		t.Errorf("only %d searches used tables", planned)
	}
}

// The scan itself is compared with counting bits one by one.
func TestScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, width := range Widths {
		words := Words(width)
		values := wideCollections["clusters"](rng, 200, words)
		q := values[:words]
		for k := range width {
			var want []hamming.Match
			for i := range len(values) / words {
				d := 0
				for bit := range width {
					d += int((values[i*words+bit/64] ^ q[bit/64]) >> (bit % 64) & 1)
				}
				if d <= k {
					want = append(want, hamming.Match{Index: uint32(i), Distance: uint16(d)})
				}
				if other := Distance(values[i*words:][:words], q); other != d {
					t.Fatalf("a distance of %d, want %d", other, d)
				}
			}
			sortMatches(want)
			if got := ScanWide(nil, values, q, k); !slices.Equal(got, want) {
				t.Fatalf("%d bits within %d: got %v, want %v", width, k, got, want)
			}
		}
	}
}

// bitsAt goes around the end.
func TestBitsAt(t *testing.T) {
	v := randomWide(rand.New(rand.NewPCG(5, 5)), 4)
	bit := func(i int) uint16 { i %= 256; return uint16(v[i/64]>>(63-i%64)) & 1 }
	for at := range 256 {
		var want uint16
		for i := range 16 {
			want = want<<1 | bit(at+i)
		}
		if got := bitsAt(v, at); got != want {
			t.Fatalf("from bit %d on: %04x, want %04x", at, got, want)
		}
	}
}

// Thresholds of any sum k-m+1 find a chain: the lemma of the package comment, for every k and many distances.
func TestChains(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	for range 20_000 {
		m := []int{8, 16}[rng.IntN(2)]
		k := rng.IntN(60)
		thresholds, d := make([]int, m), make([]int, m)
		for i := range m {
			thresholds[i] = -1
		}
		for range k + 1 {
			thresholds[rng.IntN(m)]++
		}
		for range k { // some distances of at most k in all
			if i := rng.IntN(m); d[i] < blockBits && rng.IntN(10) > 0 {
				d[i]++
			}
		}
		found := false
		for i := range m {
			j := (i + 1) % m
			found = found || d[i] <= thresholds[i] && d[i]+d[j] <= thresholds[i]+thresholds[j]+1
		}
		if !found {
			t.Fatalf("thresholds %d miss distances %d of at most %d", thresholds, d, k)
		}
	}
}

func TestSubsets(t *testing.T) {
	for n := range blockBits + 1 {
		total := 0
		for d := range n + 2 {
			for x := range subsets(n, d) {
				if bits.OnesCount64(x) != d || x >= 1<<n {
					t.Fatalf("%#x among those of %d of %d bits", x, d, n)
				}
				total++
			}
		}
		if total != 1<<n {
			t.Fatalf("%d of %d numbers of %d bits", total, 1<<n, n)
		}
	}
}
