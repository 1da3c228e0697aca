package index

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

func weighted(weights fingerprint.Weighting) analysis.Settings {
	s := analysis.Classic()
	s.Weights, s.Language = weights, "none"
	return s
}

// someTexts returns ids and texts in turn.
func someTexts(n int) []string {
	g := testkit.NewWords(3)
	rng := rand.New(rand.NewPCG(3, 3))
	var out []string
	for i := range n {
		words := strings.FieldsFunc(strings.ToLower(g.Text(rng.IntN(60))), func(r rune) bool { return !unicode.IsLetter(r) })
		out = append(out, fmt.Sprintf("doc%03d", i), strings.Join(words, " "))
	}
	return out
}

// learnt returns an index of texts whose weights have been learnt from them.
func learnt(t testing.TB, threads int, texts []string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "idx")
	w, err := OpenWriter(dir, weighted(fingerprint.TFIDF), WriterOptions{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Ingest(t.Context(), docs(texts...)); err == nil {
		t.Error("documents are added before their weights are learnt")
	}
	if err := errors.Join(w.Learn(t.Context(), docs(texts...)), w.Ingest(t.Context(), docs(texts...))); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The weights equal those computed from their definition, with counts in maps and logarithms in
// floating point. A bit is left out if its sum is so near to 0 that rounding may decide it.
func TestWeightsByTheirDefinition(t *testing.T) {
	t.Parallel()
	texts := someTexts(120)
	df := map[string]float64{}
	n := 0.0
	for i := 1; i < len(texts); i += 2 {
		words := strings.Fields(texts[i])
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			df[w]++
		}
		n++
	}
	weigh := map[fingerprint.Weighting]func(word string, count float64) float64{
		fingerprint.TF:    func(_ string, c float64) float64 { return c },
		fingerprint.LogTF: func(_ string, c float64) float64 { return 1 + math.Log2(c) },
		fingerprint.Set:   func(string, float64) float64 { return 1 },
		fingerprint.TFIDF: func(w string, c float64) float64 { return c * (1 + math.Log2((n+1)/(df[w]+1))) },
	}
	for name, weight := range weigh {
		dir := t.TempDir()
		if name == fingerprint.TFIDF {
			dir = learnt(t, 2, texts)
		} else {
			addWith(t, dir, weighted(name), WriterOptions{Threads: 2}, docs(texts...))
		}
		ix := mustOpen(t, dir)
		checked := 0
		for i := 0; i < len(texts); i += 2 {
			counts := map[string]float64{}
			for _, w := range strings.Fields(texts[i+1]) {
				counts[w]++
			}
			var sums [64]float64
			total := 0.0
			for w, c := range counts {
				h, x := fingerprint.Murmur3.Sum([]byte(w)), weight(w, c)
				total += x
				for j := range sums {
					sums[j] += x * float64(int(h>>j&1)*2-1)
				}
			}
			doc, found, err := ix.Find([]byte(texts[i]))
			if err != nil || !found {
				t.Fatal(texts[i], err)
			}
			fp, ok, _ := ix.Fingerprint(doc)
			if !ok {
				t.Errorf("%s, %s: %d features, fingerprint %v", name, texts[i], len(counts), ok)
			}
			for j, s := range sums {
				if len(counts) > 0 && math.Abs(s) > 1e-3*total {
					checked++
					if got := fp>>j&1 == 1; got != (s >= 0) {
						t.Fatalf("%s, %s: bit %d is %v of sum %v", name, texts[i], j, got, s)
					}
				}
			}
		}
		if checked < 5000 {
			t.Errorf("%s: only %d bits checked", name, checked)
		}
	}
}

// Threads and the order of documents change no fingerprint. Documents that come later do not change
// the learnt weights, and queries are weighed by them.
func TestLearntWeightsAreFrozen(t *testing.T) {
	t.Parallel()
	texts := someTexts(80)
	var backwards []string
	for i := len(texts) - 2; i >= 0; i -= 2 {
		backwards = append(backwards, texts[i], texts[i+1])
	}
	first, second := learnt(t, 1, texts), learnt(t, 4, backwards)
	fingerprints := func(dir string) map[string]uint64 {
		ix := mustOpen(t, dir)
		out := map[string]uint64{}
		for doc := range uint32(ix.Len()) {
			id, err := ix.ID(doc)
			if err != nil {
				t.Fatal(err)
			}
			out[string(id)], _, _ = ix.Fingerprint(doc)
		}
		return out
	}
	before := fingerprints(first)
	if other := fingerprints(second); fmt.Sprint(other) != fmt.Sprint(before) {
		t.Error("fingerprints depend on threads or the order of documents")
	}
	add := func(documents iter.Seq2[*document.Document, error]) {
		addWith(t, first, weighted(fingerprint.TFIDF), WriterOptions{}, documents)
	}
	add(docs("new", "entirely other words occur here, again and again"))
	add(docs("copy", texts[3]))
	ix := mustOpen(t, first)
	if got := near(t, ix, before["doc001"], 0); !slices.Contains(got, "copy:0") || !slices.Contains(got, "doc001:0") {
		t.Errorf("a text added later is not at distance 0 of its equal: %v", got)
	}
	var s analysis.Scratch
	if fp, ok, err := ix.Analysis().Fingerprint(&s, []byte(texts[3])); !ok || err != nil || fp != before["doc001"] {
		t.Error("a query is weighed otherwise than the documents")
	}
	if a, err := analysis.New(weighted(fingerprint.TFIDF)); err != nil || !a.Learns() {
		t.Error("weights that were never learnt are at hand")
	}
}

// The learnt weights are not read before one of them is needed, and a writer reads them once. A
// damaged file does not affect operations that need no weights.
func TestWeightsAreReadWhenTheyAreWanted(t *testing.T) {
	t.Parallel()
	texts := someTexts(20)
	dir := learnt(t, 1, texts)
	path := filepath.Join(dir, "000001.idf")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	replace := func(data []byte) { // as a restore does: mapped files stay as they are
		if err := errors.Join(os.WriteFile(path+"2", data, 0o666), os.Rename(path+"2", path)); err != nil {
			t.Fatal(err)
		}
	}
	bad := slices.Clone(good)
	f, err := section.Parse("", good)
	if err != nil {
		t.Fatal(err)
	}
	f.Sections(func(name string, offset, length uint64) bool {
		for at := uint64(0); at < length && name == "idf.features"; at += section.BlockSize { // wherever a weight is looked for
			bad[offset+at] ^= 1
		}
		return true
	})
	replace(bad)
	ix := mustOpen(t, dir)
	fp, ok, err := ix.Fingerprint(0)
	if got := near(t, ix, fp, 0); err != nil || !ok || !slices.Contains(got, texts[0]+":0") {
		t.Errorf("near a fingerprint: %v", got)
	}
	var s analysis.Scratch
	for range 2 {
		if _, _, err := ix.Analysis().Fingerprint(&s, []byte("some text")); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path) {
			t.Errorf("a weight of a damaged file: %v", err)
		}
	}
	if _, _, err := ix.Analysis().Weights(&s, []byte("some text")); !errors.Is(err, ErrCorrupt) {
		t.Errorf("weights of a damaged file: %v", err)
	}
	if _, err := ix.Analysis().Weight("some", 1); !errors.Is(err, ErrCorrupt) {
		t.Errorf("the weight of a damaged file: %v", err)
	}
	if err := ix.NearAll(t.Context(), docs("q", "some text"), Options{Predicate: Within(3), Threads: 1, Batch: 1}, func(Answer) error { return nil }); !errors.Is(err, ErrCorrupt) {
		t.Errorf("near a text: %v", err)
	}
	w, err := OpenWriter(dir, weighted(fingerprint.TFIDF), WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Ingest(t.Context(), docs("new", "some text")); !errors.Is(err, ErrCorrupt) {
		t.Errorf("adding a text: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	replace(good)
	if w, err = OpenWriter(dir, weighted(fingerprint.TFIDF), WriterOptions{}); err != nil {
		t.Fatal(err)
	}
	replace(bad[:100])
	if err := w.Ingest(t.Context(), docs("new", "some text")); err != nil {
		t.Errorf("what the writer has is read again to add: %v", err)
	}
	if _, err := w.Commit(t.Context()); err != nil {
		t.Errorf("what the writer has is read again to commit: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	replace(good)
	if err := mustOpen(t, dir).VerifyChecksums(); err != nil {
		t.Error(err)
	}
}

// An Analysis stays usable after its index is closed.
func TestAnalysisOutlivesItsIndex(t *testing.T) {
	t.Parallel()
	texts := someTexts(20)
	ix, err := Open(learnt(t, 1, texts))
	if err != nil {
		t.Fatal(err)
	}
	var s analysis.Scratch
	a := ix.Analysis()
	want, _, err := a.Fingerprint(&s, []byte(texts[1]))
	if err := errors.Join(err, ix.Close()); err != nil {
		t.Fatal(err)
	}
	ix = nil
	for range 3 {
		runtime.GC()
		if got, _, err := a.Fingerprint(&s, []byte(texts[1])); err != nil || got != want {
			t.Fatalf("fingerprint %x of a closed index, want %x, %v", got, want, err)
		}
	}
}

// The weights of an index that is opened again and again are unmapped each time.
func TestUnusedWeightsAreUnmapped(t *testing.T) {
	t.Parallel()
	dir := learnt(t, 1, someTexts(20))
	maps := func() int {
		data, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip("the maps of this process cannot be read: ", err)
		}
		return strings.Count(string(data), dir+"/000001.idf")
	}
	for range 20 {
		ix, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if maps() == 0 {
			t.Fatal("the file is not mapped")
		}
		if err := ix.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		runtime.GC()
		if maps() == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the file stays mapped %d times", maps())
}

// A changed bit of the learnt weights is found, by a text that uses weights near it or by verifying, and so is a
// missing file.
func TestDamagedWeights(t *testing.T) {
	t.Parallel()
	dir := learnt(t, 1, someTexts(20))
	path := filepath.Join(dir, "000001.idf")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	weigh := func(ix *Snapshot) (uint64, error) {
		fp, _, err := ix.Analysis().Fingerprint(new(analysis.Scratch), []byte("some text"))
		return fp, err
	}
	sound := mustOpen(t, dir)
	want, err := weigh(sound)
	if err != nil || sound.Close() != nil {
		t.Fatal(err)
	}
	found := 0
	for i := 0; i < len(good); i += 7 {
		bad := slices.Clone(good)
		bad[i] ^= 1 << (i % 8)
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		ix, err := Open(dir)
		if err == nil {
			fp, weighErr := weigh(ix)
			if weighErr != nil && !errors.Is(weighErr, ErrCorrupt) || weighErr == nil && fp != want {
				t.Fatalf("byte %d changed: fingerprint %x, want %x; %v", i, fp, want, weighErr)
			}
			if weighErr != nil {
				found++
			}
			err = errors.Join(ix.VerifyChecksums(), ix.Close())
		}
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	if found == 0 {
		t.Error("no damage is found when weights are used")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "000001.idf") {
		t.Errorf("the file is missing: %v", err)
	}
}
