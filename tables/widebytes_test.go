package tables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

func writtenWide(t *testing.T, values []uint64, width int) []byte {
	t.Helper()
	var file bytes.Buffer
	w := section.NewWriter(&file)
	if err := WriteWide(t.Context(), w, values, width, 2); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// What is written answers as what was built.
func TestLoad(t *testing.T) {
	for name, collection := range wideCollections {
		for _, width := range Widths {
			t.Run(fmt.Sprintf("%s/%d", name, width), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(11, uint64(width)))
				values := distinctWide(collection(rng, leastTabled+500, Words(width)), Words(width))
				f, err := section.Parse("", writtenWide(t, values, width))
				if err != nil {
					t.Fatal(err)
				}
				b := LoadWide(f)
				if !slices.Equal(b.Values(), values) || b.Width() != width || b.Len() != len(values)/Words(width) {
					t.Fatal("other values")
				}
				comparedWide(t, rng, b)
			})
		}
	}
}

// A damaged byte is reported by searches that use it, and never found wrong. Where checksums are made right again,
// searches return what they find, or an error, and Check reports it.
func TestDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	values := distinctWide(wideCollections["clusters"](rng, leastTabled+500, 4), 4)
	whole := writtenWide(t, values, 256)
	for range testkit.Of(30, 300) {
		data := slices.Clone(whole)
		at := rng.IntN(len(data))
		data[at] ^= 1 << rng.IntN(8)
		f, err := section.Parse("", data)
		if err == nil {
			err = section.DamageOf(func() {
				b := LoadWide(f)
				for range 20 {
					q := flipWide(rng, values[4*rng.IntN(len(values)/4):][:4], 20)
					got := b.Near(nil, q, 31, nil)
					if want := ScanWide(nil, values, q, 31); !slices.Equal(got, want) {
						t.Fatalf("byte %d: %v found, want %v", at, got, want)
					}
				}
			})
		}
		if err != nil && !errors.Is(err, section.ErrCorrupt) {
			t.Fatal(err)
		}
	}
	// Without checksums, the rules are checked.
	for range testkit.Of(12, 100) {
		b := BuildWide(slices.Clone(values), 256, 1)
		tb := &b.tables[rng.IntN(len(b.tables))]
		switch kind := rng.IntN(4); {
		case kind == 0:
			tb.starts.All[rng.IntN(len(tb.starts.All))] ^= 1 << rng.IntN(32)
		case kind == 1:
			tb.next.All[rng.IntN(b.n)] ^= 1 << rng.IntN(16)
		case kind == 2 && len(tb.numbers.All) > 0:
			tb.numbers.All[rng.IntN(len(tb.numbers.All))] ^= 1 << rng.IntN(8)
		default:
			b.values.All[rng.IntN(len(b.values.All))] ^= 1 << rng.IntN(64)
		}
		var failed error
		damage := section.DamageOf(func() { failed = b.Check() })
		if err := errors.Join(damage, failed); !errors.Is(err, section.ErrCorrupt) {
			t.Fatalf("Check returns %v", err)
		}
		for range 10 {
			q := flipWide(rng, values[:4], 30)
			if err := section.DamageOf(func() { b.Near(nil, q, 31, nil) }); err != nil && !errors.Is(err, section.ErrCorrupt) {
				t.Fatal(err)
			}
		}
	}
}

// Pairs are those of comparing all with all.
func TestEachPair(t *testing.T) {
	for name, collection := range wideCollections {
		for _, width := range Widths {
			t.Run(fmt.Sprintf("%s/%d", name, width), func(t *testing.T) {
				t.Parallel()
				if name != "skewed" || width != Widths[0] {
					testkit.Long(t, "nearly all are compared")
				}
				rng := rand.New(rand.NewPCG(13, uint64(width)))
				words := Words(width)
				values := distinctWide(collection(rng, leastTabled+100, words), words)
				b := BuildWide(values, width, 1)
				for _, k := range testkit.Of([]int{31}, []int{0, 15, 31}) {
					var want []uint64
					for i := range b.Len() {
						for j := i + 1; j < b.Len(); j++ {
							if Distance(values[i*words:][:words], values[j*words:][:words]) <= k {
								want = append(want, uint64(i)<<32|uint64(j))
							}
						}
					}
					var mu sync.Mutex
					var got []uint64
					parts := 0
					err := b.EachPair(t.Context(), k, PairOptions{Threads: 2, Progress: func(done, _ int) { parts = done }}, func(pairs []uint64) error {
						mu.Lock()
						defer mu.Unlock()
						got = append(got, pairs...)
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
					slices.Sort(got)
					if !slices.Equal(got, want) || b.Len() > 0 && parts == 0 {
						t.Fatalf("within %d: %d pairs after %d parts, want %d", k, len(got), parts, len(want))
					}
				}
			})
		}
	}
}

func TestEachPairStops(t *testing.T) {
	values := distinctWide(wideCollections["clusters"](rand.New(rand.NewPCG(1, 1)), 5000, 4), 4)
	b := BuildWide(values, 256, 2)
	stop := errors.New("stop")
	if err := b.EachPair(t.Context(), 31, PairOptions{Threads: 2}, func([]uint64) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.EachPair(ctx, 31, PairOptions{Threads: 2}, func([]uint64) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
