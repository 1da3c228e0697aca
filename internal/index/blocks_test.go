package index

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/store"
)

// clustered returns fingerprints of the given number of bits in clusters, so that there are pairs at every
// small distance, and documents with equal fingerprints.
func clustered(bits, n int) []uint64 {
	r := rand.New(rand.NewPCG(7, uint64(bits)))
	var out []uint64
	for len(out) < n {
		x := r.Uint64() >> (64 - bits)
		for d := range 7 {
			y := x
			for range d {
				y ^= 1 << r.IntN(bits)
			}
			out = append(out, y)
		}
	}
	return out
}

// An index of tables that were chosen by hand answers as comparing all does, for every k and by every
// command, after documents were added without naming the choice again.
func TestBlocksOfAnIndex(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ bits, blocks, headerBlocks, k int }{{64, 6, 3, 3}, {64, 4, 1, 3}, {64, 7, 5, 2}, {64, 5, 4, 1}, {32, 5, 2, 3}, {32, 3, 1, 1}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := analysis.Classic()
			s.Bits = tt.bits
			values := clustered(tt.bits, 700)
			chosen := WriterOptions{Search: analysis.Search{Blocks: tt.blocks, HeaderBlocks: tt.headerBlocks}, Distance: tt.k, Threads: 2}
			told := ""
			chosen.Explain = func(design, why string) { told += design + why }
			addWith(t, dir, s, chosen, fps("a", values[:300]...))
			addWith(t, dir, s, WriterOptions{}, fps("b", values[300:600]...))
			addWith(t, dir, s, chosen, fps("c", values[600:]...))
			ix := mustOpen(t, dir)
			want := fmt.Sprintf("g = %d of G = %d blocks", tt.headerBlocks, tt.blocks)
			for _, seg := range ix.Info().Segments {
				if !strings.Contains(seg.Design, want) || seg.Tables.Blocks != tt.blocks || seg.Tables.HeaderBlocks != tt.headerBlocks {
					t.Errorf("segment %s has %s, %+v", seg.Name, seg.Design, seg.Tables)
				}
			}
			explained, _, err := ix.Explain(Within(tt.k))
			if err != nil || !strings.Contains(explained[0], want) || !strings.Contains(explained[0], "expected a probe") || strings.Count(told, want) != 2 {
				t.Errorf("explained are %q, %v, and %q", explained, err, told)
			}
			exact := tt.blocks - tt.headerBlocks
			for k := 0; k <= exact+3; k++ {
				checkPairsBy(t, ix, values, k, k <= exact, want)
				for i, q := range values[:20] {
					q ^= uint64(i)
					distances := []int{}
					for _, x := range values {
						if d := hamming.Distance(x, q); d <= k {
							distances = append(distances, d)
						}
					}
					slices.Sort(distances)
					ms, err := matches(ix, Fingerprint(q), Within(k))
					got := []int{}
					for _, m := range ms {
						got = append(got, m.Distance)
					}
					if err != nil || !slices.Equal(got, distances) {
						t.Fatalf("near %x within %d: %v, %v, want %v", q, k, got, err, distances)
					}
				}
			}
		})
	}
}

// checkPairsBy compares pairs with those of comparing all. byHand says whether they are found by the tables
// of the index, which are described by design.
func checkPairsBy(t *testing.T, ix *Snapshot, values []uint64, k int, byHand bool, design string) {
	t.Helper()
	var got, want []Pair
	how := ""
	err := ix.Pairs(t.Context(), Within(k), PairOptions{Threads: 2, Explain: func(s string) { how += s }}, func(p Pair) error {
		got = append(got, p)
		return nil
	})
	for i, x := range values {
		for j := i + 1; j < len(values); j++ {
			if d := hamming.Distance(x, values[j]); d <= k {
				want = append(want, Pair{A: uint32(i), B: uint32(j), Measures: Measures{Distance: d}})
			}
		}
	}
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("pairs within %d: %d, %v, want %d", k, len(got), err, len(want))
	}
	if strings.Contains(how, design) != byHand {
		t.Errorf("pairs within %d are found by %q", k, how)
	}
}

// Blocks that an index cannot have, or has not, are refused, and nothing is written.
func TestBlocksRefused(t *testing.T) {
	t.Parallel()
	minhash := analysis.Default()
	minhash.Mode = analysis.MinHash
	for name, tt := range map[string]struct {
		s            analysis.Settings
		blocks, g, k int
		want         string
	}{
		"too far":         {analysis.Classic(), 4, 2, 3, "find distance 2 by equal headers, and are planned for distance 3"},
		"no header":       {analysis.Classic(), 4, 0, 3, "headers of 0 of 4 blocks: want 1 to 3"},
		"no blocks":       {analysis.Classic(), 0, 1, 3, "0 blocks: want 2 to 64"},
		"all blocks":      {analysis.Classic(), 4, 4, 1, "headers of 4 of 4 blocks: want 1 to 3"},
		"many blocks":     {analysis.Classic(), 65, 1, 3, "65 blocks: want 2 to 64"},
		"many tables":     {analysis.Classic(), 64, 32, 3, "more than 16384 tables: choose"},
		"no fingerprints": {minhash, 4, 1, 3, "mode minhash has no fingerprints"},
	} {
		dir := t.TempDir()
		_, err := OpenWriter(dir, tt.s, WriterOptions{Search: analysis.Search{Blocks: tt.blocks, HeaderBlocks: tt.g}, Distance: tt.k})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if left := snapshot(t, dir); left != snapshot(t, t.TempDir()) {
			t.Errorf("%s: left are %s", name, left)
		}
	}
	byHand, planned := t.TempDir(), t.TempDir()
	addWith(t, byHand, analysis.Classic(), WriterOptions{Search: analysis.Search{Blocks: 6, HeaderBlocks: 3}}, fps("", 1, 2))
	add(t, planned, fps("", 1, 2))
	for dir, want := range map[string]string{
		byHand:  "headers have 3 of 6 blocks, not 1 of 4",
		planned: "the headers of tables are planned, not 1 of 4",
	} {
		before := snapshot(t, dir)
		_, err := OpenWriter(dir, analysis.Classic(), WriterOptions{Search: analysis.Search{Blocks: 4, HeaderBlocks: 1}})
		if !errors.Is(err, analysis.ErrSettings) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if snapshot(t, dir) != before {
			t.Error("a refused writer has changed the index")
		}
	}
	remanifest(t, byHand, func(m *store.Manifest) { m.Search.HeaderBlocks = 6 })
	if _, err := Open(byHand); !errors.Is(err, section.ErrCorrupt) {
		t.Errorf("a manifest of headers of all blocks: %v", err)
	}
}
