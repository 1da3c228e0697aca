package index

import (
	"errors"
	"math"
	"slices"
	"testing"

	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/internal/analysis"
)

// cosineOf returns the cosine of the words of two texts by TF, by maps: the reference.
func cosineOf(t *testing.T, a *analysis.Analysis, x, y string) float64 {
	t.Helper()
	count := func(text string) map[string]float64 {
		var s analysis.Scratch
		a.Features(&s, []byte(text))
		f := map[string]float64{}
		for i := range s.Document.Len() {
			f[string(s.Document.Feature(i))]++
		}
		return f
	}
	fx, fy := count(x), count(y)
	var dot, xx, yy float64
	for w, n := range fx {
		dot += n * fy[w]
		xx += n * n
	}
	for _, n := range fy {
		yy += n * n
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return dot / math.Sqrt(xx*yy)
}

// By the cosine, searches and pairs find what comparing all texts within the distance finds, whatever the
// index keeps; without texts, the estimate decides.
func TestCosineAgainstTruth(t *testing.T) {
	t.Parallel()
	texts := nearTexts(90)
	texts = append(texts, texts[3], texts[20], "", texts[20])
	settings := analysis.Default()
	a, err := analysis.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	fps, has := make([]uint64, len(texts)), make([]bool, len(texts))
	for i, text := range texts {
		fps[i], has[i] = fingerprintOf(a, text)
	}
	for _, keep := range []Keep{KeepText, KeepSource, KeepNothing} {
		for _, p := range []Predicate{SimilarCosine(0.9), SimilarCosine(0.6), cosineBy(0.8, 0.5), cosineBy(0.5, 1)} {
			dir := t.TempDir()
			const gone, changed = 22, 25
			sources := again{texts: texts, changed: changed, gone: gone}
			addWith(t, dir, settings, WriterOptions{Threads: 1, Keep: keep}, sourced(texts[:60]))
			addWith(t, dir, settings, WriterOptions{Threads: 1}, numbered(texts[60:], 60))
			ix := mustOpen(t, dir)
			within := fingerprint.EstimatedWithin(p.Threshold, 64)
			if keep != KeepNothing {
				within = max(within, fingerprint.CosineDistance(p.Threshold, p.Recall, 64))
			}
			var want []Pair
			for i := range texts {
				for j := i + 1; j < len(texts); j++ {
					d := hamming.Distance(fps[i], fps[j])
					if !has[i] || !has[j] || d > within {
						continue
					}
					lost := func(n int) bool { return keep == KeepSource && (n == gone || n == changed) }
					pair := Pair{A: uint32(i), B: uint32(j), Measures: Measures{Distance: d, Value: cosineOf(t, a, texts[i], texts[j])}}
					if keep == KeepNothing || lost(i) || lost(j) {
						pair.Value, pair.Estimate = fingerprint.Cosine(d, 64), true
					}
					if pair.Value >= p.Threshold {
						want = append(want, pair)
					}
				}
			}
			if len(want) < 5 {
				t.Fatalf("only %d pairs to find", len(want))
			}
			var got []Pair
			if err := ix.Pairs(t.Context(), p, PairOptions{Threads: 2, Sources: sources}, func(p Pair) error { got = append(got, p); return nil }); err != nil {
				t.Fatal(err)
			}
			same := func(x, y Pair) bool {
				alike := math.Abs(x.Value-y.Value) < 1e-12
				x.Value, y.Value = 0, 0
				return alike && x == y
			}
			if !slices.EqualFunc(got, want, same) {
				t.Errorf("keep %v, %+v: %d pairs, want %d", keep, p, len(got), len(want))
			}
			for doc := range uint32(15) {
				q, err := ix.Stored(doc)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := ix.Near(t.Context(), q, Options{Predicate: p, Sources: sources})
				if err != nil {
					t.Fatal(err)
				}
				var of []Pair
				for _, pair := range want {
					if pair.A == doc || pair.B == doc {
						of = append(of, pair)
					}
				}
				if n := len(answer.Matches); n != len(of)+1 && (n > 0 || len(of) > 0) { // one is the query itself
					t.Errorf("keep %v, %+v: document %d has %d matches, want %d", keep, p, doc, n-1, len(of))
				}
				if !slices.IsSortedFunc(answer.Matches, func(x, y Match) int {
					if x.Value > y.Value {
						return -1
					}
					return map[bool]int{true: 0, false: 1}[x.Value == y.Value]
				}) {
					t.Errorf("document %d: the matches are not the nearest first", doc)
				}
			}
			// Many queries at once have the answers of single ones.
			next := 0
			err := ix.NearAll(t.Context(), numbered(texts[:20], 0), Options{Predicate: p, Threads: 2, Limit: 3, Sources: sources}, func(answer Answer) error {
				alone, err := ix.Near(t.Context(), Text([]byte(texts[next])), Options{Predicate: p, Limit: 3, Sources: sources})
				next++
				if err == nil && !slices.EqualFunc(alone.Matches, answer.Matches, func(x, y Match) bool { return x.Document == y.Document && x.Value == y.Value }) {
					t.Errorf("query %s: %d matches in a batch, %d alone", answer.ID, len(answer.Matches), len(alone.Matches))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Predicates by the cosine that mean nothing are refused.
func TestCosineMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	addWith(t, dir, analysis.Default(), WriterOptions{Threads: 1}, numbered(nearTexts(20), 0))
	ix := mustOpen(t, dir)
	for _, p := range []Predicate{{}, SimilarCosine(0), SimilarCosine(1.5), SimilarCosine(-1), SimilarCosine(math.NaN()), cosineBy(0.5, 2)} {
		if _, err := ix.Near(t.Context(), Text([]byte("a")), Options{Predicate: p}); !errors.Is(err, ErrNoSearch) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// cosineBy returns the predicate of a cosine that is searched for with a recall.
func cosineBy(cosine, recall float64) Predicate {
	p := SimilarCosine(cosine)
	p.Recall = recall
	return p
}
