package prefix

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

// Sets that are coded on other goroutines, before they are added or not, make the same file as those that are coded
// when they are added, in memory or in a file. A part of the sets is the file of these alone, if they have been
// learnt from.
func TestDraftsOfSeveralGoroutines(t *testing.T) {
	l := testkit.EditedSets(rand.New(rand.NewPCG(3, 4)), 3000, 4000, 40)
	const learn = 100
	written := func(write func(w *section.Writer) error) []byte {
		t.Helper()
		var b bytes.Buffer
		w := section.NewWriter(&b)
		if err := write(w); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	want := written(func(w *section.Writer) error { return Write(t.Context(), w, l, 0.8, Options{learnSets: learn}) })
	for _, hold := range []int{1 << 10, 1 << 30} {
		d := NewDrafts(disk.OS, t.TempDir(), hold)
		d.learnSets = learn
		before := 0
		code := func(_ context.Context, i int) ([]byte, error) { return new(Coder).Append(nil, d, l[i]), nil }
		i := 0
		err := parallel.Ordered(t.Context(), 4, len(l), code, func(code []byte) error {
			if len(code) > 0 {
				before++
			}
			d.Add(l[i], code)
			i++
			return d.Flush()
		})
		if err != nil || before < len(l)/2 || d.codes.InFile() != (hold < 1<<20) {
			t.Fatalf("%d of %d sets were coded before, in a file: %v; %v", before, len(l), d.codes.InFile(), err)
		}
		if got := written(func(w *section.Writer) error { return d.sets().Write(t.Context(), w, 0.8, Options{Threads: 3}) }); !bytes.Equal(got, want) {
			t.Errorf("hold %d: other bytes", hold)
		}
		keep := func(set int) bool { return set < learn || set%3 > 0 }
		var kept testkit.Lists
		for set := range l {
			if keep(set) {
				kept = append(kept, l[set])
			}
		}
		some := written(func(w *section.Writer) error { return Write(t.Context(), w, kept, 0.8, Options{learnSets: learn}) })
		if got := written(func(w *section.Writer) error { return d.Kept(len(kept), keep).Write(t.Context(), w, 0.8, Options{}) }); !bytes.Equal(got, some) {
			t.Errorf("hold %d: other bytes of some sets", hold)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The code of a draft whose bytes are damaged is an error or another set, and no panic.
func TestDamagedDrafts(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	d := NewDrafts(disk.OS, t.TempDir(), 1<<20)
	d.learnSets = 10
	l := testkit.EditedSets(rng, 200, 300, 40)
	for _, set := range l {
		d.Add(set, nil)
	}
	features := d.learnt.Load().Features()
	var view View
	var ranks []uint32
	for _, set := range l {
		code := new(Coder).Append(nil, d, set)
		for range 50 {
			bad := bytes.Clone(code[:1+rng.IntN(len(code))])
			bad[rng.IntN(len(bad))] ^= byte(1 + rng.IntN(255))
			draft, err := readDraft(bad)
			if err != nil {
				continue
			}
			rest := draft.AppendRest(nil)
			all, err := draft.AppendFirst(rest, features, &ranks)
			if err == nil && len(all) != draft.Features {
				t.Fatalf("%x: %d features, and it says %d", bad, len(all), draft.Features)
			}
			newVocabulary(nil).See(&view, rest)
			_, _ = draft.AppendCoded(nil, &view, 0)
		}
	}
}
