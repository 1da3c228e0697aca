package index

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/match/lsh"
	"simsearch/internal/tests/testkit"
	"simsearch/minhash"
)

// joined returns the pairs of ix by p, with their similarities.
func joined(t *testing.T, ix *Snapshot, p Predicate) (out []string) {
	t.Helper()
	err := ix.Pairs(t.Context(), p, PairOptions{Threads: 2}, func(p Pair) error {
		out = append(out, fmt.Sprintf("%d %d %.6f", p.A, p.B, p.Value))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// agreeing returns the pairs of ix of similarity threshold or more whose signatures agree on a band: the
// reference of a join by bands.
func agreeing(t *testing.T, ix *Snapshot, texts []string, threshold float64, agree func(x, y []byte) bool) (out []string) {
	t.Helper()
	near := truth(t, ix.Analysis(), texts, threshold)
	for a := range uint32(len(texts)) {
		for b := a + 1; b < uint32(len(texts)); b++ {
			j, ok := near[[2]uint32{a, b}]
			if !ok {
				continue
			}
			x, okX, errX := ix.Signature(a)
			y, okY, errY := ix.Signature(b)
			if err := errors.Join(errX, errY); err != nil {
				t.Fatal(err)
			}
			if okX && okY && agree(x, y) {
				out = append(out, fmt.Sprintf("%d %d %.6f", a, b, j))
			}
		}
	}
	return out
}

// onBand reports whether signatures agree on the first rows of one of the first bands of b, where bands
// begin every stride positions.
func onBand(b lsh.Bands, stride int) func(x, y []byte) bool {
	return func(x, y []byte) bool {
		for i := range b.Bands {
			if at := i * stride; string(x[at:at+b.Rows]) == string(y[at:at+b.Rows]) {
				return true
			}
		}
		return false
	}
}

// Bands by hand find the pairs whose signatures agree on one of them, for each sketch: in a join any bands,
// in queries those within the stored ones.
func TestBandsByHand(t *testing.T) {
	t.Parallel()
	texts := nearTexts(testkit.Of(160, 250))
	const threshold = 0.5
	stored := lsh.Bands{Bands: 12, Rows: 5}
	for _, sketch := range []minhash.Variant{minhash.VariantFast, minhash.VariantIndependent, minhash.VariantXORMasks} {
		s := minHash(analysis.Both)
		s.Positions, s.Sketch = 64, sketch
		dir := t.TempDir()
		addWith(t, dir, s, WriterOptions{Search: analysis.Search{Bands: stored.Bands, Rows: stored.Rows}}, numbered(texts[:100], 0))
		addWith(t, dir, s, WriterOptions{}, numbered(texts[100:], 100)) // the stored ones, again
		ix := mustOpen(t, dir)
		if p := Default(ix.Settings(), ix.Search()); p.Bands != stored || ix.Settings().Sketch != sketch {
			t.Fatalf("searched by %+v, %v", p, ix.Settings().Sketch)
		}
		all := len(joined(t, ix, Similar(threshold)))
		for _, b := range []lsh.Bands{stored, {Bands: 4, Rows: 16}, {Bands: 1, Rows: 64}, {Bands: 64, Rows: 1}, {Bands: 2, Rows: 5}} {
			p := Predicate{Kind: Jaccard, Threshold: threshold, Bands: b}
			want := agreeing(t, ix, texts, threshold, onBand(b, b.Rows))
			if got := joined(t, ix, p); !slices.Equal(got, want) || b.Rows > 4 && len(got) >= all {
				t.Errorf("%v, %v: %d pairs, want %d, of %d", sketch, b, len(got), len(want), all)
			}
			if !b.Within(stored) {
				if _, err := ix.Near(t.Context(), Text([]byte(texts[0])), Options{Predicate: p}); !errors.Is(err, ErrNoSearch) || !strings.Contains(err.Error(), "12 bands of 5") {
					t.Errorf("%v: a query: %v", b, err)
				}
				if _, _, err := ix.Explain(p); !errors.Is(err, ErrNoSearch) {
					t.Errorf("%v: explained: %v", b, err)
				}
				continue
			}
			want = agreeing(t, ix, texts, threshold, onBand(b, stored.Rows))
			var got []string
			for a, text := range texts {
				matches, err := matches(ix, Text([]byte(text)), p)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range matches {
					if int(m.Document) > a {
						got = append(got, fmt.Sprintf("%d %d %.6f", a, m.Document, m.Value))
					}
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%v, %v: queries find %d pairs, want %d", sketch, b, len(got), len(want))
			}
		}
	}
}

// What an index is made with holds for additions and searches, and contradictions are refused before
// anything is written.
func TestStoredBandsAndRecall(t *testing.T) {
	t.Parallel()
	s := minHash(analysis.Both)
	with := func(o WriterOptions) (string, *Snapshot) {
		dir := t.TempDir()
		addWith(t, dir, s, o, docs("a", "one two three", "b", "one two four"))
		return dir, mustOpen(t, dir)
	}
	refused := func(dir string, o WriterOptions, says string) {
		t.Helper()
		before := snapshot(t, dir)
		w, err := OpenWriter(dir, s, o)
		if err == nil {
			err = w.Close()
			t.Errorf("%+v is taken, %v", o, err)
		} else if !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", o, err, says)
		}
		if snapshot(t, dir) != before {
			t.Errorf("%+v: the index has changed", o)
		}
	}
	byHand, ix := with(WriterOptions{Search: analysis.Search{Bands: 20, Rows: 5}})
	if search := ix.Search(); search != (analysis.Search{Bands: 20, Rows: 5}) || *ix.Info().Segments[0].Bands != (lsh.Bands{Bands: 20, Rows: 5}) {
		t.Errorf("stored %+v, and %v", search, ix.Info().Segments[0].Bands)
	}
	refused(byHand, WriterOptions{Search: analysis.Search{Bands: 16, Rows: 7}}, "bands are 20 bands of 5, not 16 bands of 7")
	refused(byHand, WriterOptions{Search: analysis.Search{Recall: 0.9}}, "bands are 20 bands of 5, not chosen for a recall of 0.9")
	addWith(t, byHand, s, WriterOptions{Search: analysis.Search{Bands: 20, Rows: 5}}, docs("c", "one two five"))

	recalled, ix := with(WriterOptions{Search: analysis.Search{Recall: 0.7}})
	if p := Default(s, ix.Search()); p.Recall != 0.7 || p.Bands != (lsh.Bands{}) {
		t.Errorf("searched by %+v", p)
	}
	refused(recalled, WriterOptions{Search: analysis.Search{Recall: 0.9}}, "bands are chosen for a recall of 0.7, not chosen for a recall of 0.9")
	refused(recalled, WriterOptions{Search: analysis.Search{Bands: 20, Rows: 5}}, "chosen for a recall of 0.7, not 20 bands of 5")
	addWith(t, recalled, s, WriterOptions{}, docs("c", "one two five"))
	ix = mustOpen(t, recalled)
	if got := ix.Info().Segments; *got[0].Bands != *got[1].Bands {
		t.Errorf("the first segment has %v, the second %v", got[0].Bands, got[1].Bands)
	}

	plain, ix := with(WriterOptions{})
	if p := Default(s, ix.Search()); p != Similar(DefaultThreshold) {
		t.Errorf("without a recall, searched by %+v", p)
	}
	refused(plain, WriterOptions{Search: analysis.Search{Bands: 20, Rows: 5}}, "chosen for each addition")
	addWith(t, plain, s, WriterOptions{Search: analysis.Search{Recall: 0.8}}, docs("c", "one two five")) // as before there was a memory
}

func TestBandsThatCannotBe(t *testing.T) {
	t.Parallel()
	bottomK := minHash(analysis.Both)
	bottomK.Sketch = minhash.VariantBottomK
	none := analysis.Default()
	for _, tt := range []struct {
		s    analysis.Settings
		o    WriterOptions
		says string
	}{
		{minHash(analysis.Both), WriterOptions{Search: analysis.Search{Bands: 20, Rows: 7}}, "do not fit a signature of 128 positions"},
		{minHash(analysis.Both), WriterOptions{Search: analysis.Search{Bands: 2, Rows: 9}}, "room for 1 to"},
		{minHash(analysis.Both), WriterOptions{Search: analysis.Search{Bands: 20, Rows: 5, Recall: 0.9}}, "need no recall"},
		{bottomK, WriterOptions{}, "a bottom-k sketch has the least values"},
		{none, WriterOptions{Search: analysis.Search{Bands: 20, Rows: 5}}, "signatures, which the settings have none of"},
	} {
		dir := filepath.Join(t.TempDir(), "x")
		if _, err := OpenWriter(dir, tt.s, tt.o); err == nil || !strings.Contains(err.Error(), tt.says) || snapshot(t, dir) != "absent" {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.says)
		}
	}
	dir := t.TempDir()
	addWith(t, dir, none, WriterOptions{}, docs("a", "one two three"))
	if _, err := mustOpen(t, dir).Near(t.Context(), Text([]byte("one")), Options{Predicate: Predicate{Kind: Jaccard, Threshold: 0.5, Bands: lsh.Bands{Bands: 1, Rows: 1}}}); !errors.Is(err, ErrNoSearch) {
		t.Errorf("bands without signatures: %v", err)
	}
	for _, bad := range []analysis.Search{{Recall: 1}, {Recall: 0.5, Bands: 1, Rows: 1}, {Bands: 3}, {Bands: 100, Rows: 100}, {Rows: -1, Bands: -1}} {
		if bad.Check(minHash(analysis.Both)) == nil {
			t.Errorf("a search of %+v is taken", bad)
		}
	}
}
