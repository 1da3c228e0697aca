package segment

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/disk"
	"simsearch/section"
)

// hashesOf returns the array of a section file that has xs.
func hashesOf(t testing.TB, xs []uint64) section.Array[uint64] {
	t.Helper()
	var file bytes.Buffer
	w := section.NewWriter(&file)
	w.Begin("x")
	w.Uint64s(xs)
	size, digest, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	f, err := section.ParseKnown(file.Bytes(), size, fmt.Sprintf("%08x", digest))
	if err != nil {
		t.Fatal(err)
	}
	a, err := section.Integers[uint64](f, "x", uint64(len(xs)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// However the hashes are spread, searchHashes finds what search finds.
func TestSearchHashes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 100, 1000, 5000} {
		for how, draw := range map[string]func() uint64{
			"even":  rng.Uint64,
			"low":   func() uint64 { return rng.Uint64N(2 * uint64(n+1)) },
			"high":  func() uint64 { return ^rng.Uint64N(2 * uint64(n+1)) },
			"apart": func() uint64 { return rng.Uint64N(3) << 62 },
			"equal": func() uint64 { return 1 << 40 },
		} {
			xs := make([]uint64, n)
			for i := range xs {
				xs[i] = draw()
			}
			slices.Sort(xs)
			a := hashesOf(t, xs)
			for i := range 500 {
				x := draw()
				switch i {
				case 0:
					x = 0
				case 1:
					x = ^uint64(0)
				}
				want, _ := search(&a, x)
				if got, err := searchHashes(&a, x); got != want || err != nil {
					t.Fatalf("%d %s hashes: %x is found at %d, want %d; %v", n, how, x, got, want, err)
				}
			}
		}
	}
}

func BenchmarkSearchHashes(b *testing.B) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{1 << 14, 1 << 20} {
		xs := make([]uint64, n)
		for i := range xs {
			xs[i] = rng.Uint64()
		}
		slices.Sort(xs)
		a := hashesOf(b, xs)
		for how, do := range map[string]func(*section.Array[uint64], uint64) (uint64, error){"halves": search[uint64], "spread": searchHashes} {
			b.Run(fmt.Sprintf("n=%d/how=%s", n, how), func(b *testing.B) {
				for b.Loop() {
					if _, err := do(&a, rng.Uint64()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// EachStored finds what FindStored finds of each id, few or many.
func TestEachStored(t *testing.T) {
	fsys := disk.NewMemory()
	id := func(i int) *Document { return &Document{ID: fmt.Appendf(nil, "id%d", i)} }
	b := NewBuilder(fsys, ".", Layout{}, 0)
	for i := range 3000 {
		b.Add(id(i))
	}
	ref, err := b.Write(t.Context(), fsys, ".", "segment", WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(fsys, ".", ref, Layout{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for _, n := range []int{0, 1, 10, 2000} {
		asked := NewBuilder(fsys, ".", Layout{}, 0)
		want := map[uint32]bool{}
		for i := range n {
			d := id(2990 - i*7%5000)
			asked.Add(d)
			if doc, ok, err := s.FindStored(d.ID, HashID(d.ID)); err != nil {
				t.Fatal(err)
			} else if ok {
				want[doc] = true
			}
		}
		got := map[uint32]bool{}
		err := s.EachStored(asked, func(doc uint32) error { got[doc] = true; return nil })
		if err != nil || !maps.Equal(got, want) || n > 0 && len(got) == 0 {
			t.Errorf("%d of %d ids are found, want %d; %v", len(got), n, len(want), err)
		}
	}
}
