package index

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/index/store"
	"simsearch/internal/tests/testkit"
	"simsearch/tables"
)

// widePrints returns fingerprints by id: some are near others, by up to 40 bits, and some are equal.
func widePrints(rng *rand.Rand, bits, from, n int) map[string]document.Long {
	all := map[string]document.Long{}
	var centers []document.Long
	for i := range n {
		var fp document.Long
		if len(centers) > 0 && rng.IntN(2) == 0 {
			fp = centers[rng.IntN(len(centers))]
			for range rng.IntN(40) {
				bit := rng.IntN(bits)
				fp[bit/64] ^= 1 << (bit % 64)
			}
		} else {
			for w := range bits / 64 {
				fp[w] = rng.Uint64()
			}
			centers = append(centers, fp)
		}
		all[fmt.Sprintf("d%05d", from+i)] = fp
	}
	return all
}

// wideDocuments yields them in the order of their ids.
func wideDocuments(all map[string]document.Long) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for _, id := range sortedKeys(all) {
			fp := all[id]
			d := document.Document{ID: []byte(id), HasFingerprint: true}
			d.Fingerprint, d.More = fp.Parts()
			if !yield(&d, nil) {
				return
			}
		}
	}
}

func sortedKeys(all map[string]document.Long) (ids []string) {
	for id := range all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// An index of wide fingerprints answers as a comparison of all with all, whatever segments it has, after additions,
// replacements, deletions, merges and a log.
func TestWideAgainstTheScan(t *testing.T) {
	t.Parallel()
	for _, bits := range tables.Widths[:testkit.Of(1, len(tables.Widths))] {
		t.Run(fmt.Sprint(bits), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(256, uint64(bits)))
			s, dir := analysis.Classic(), t.TempDir()
			s.Bits = bits
			want := map[string]document.Long{}
			put := func(all map[string]document.Long) {
				for id, fp := range all {
					want[id] = fp
				}
			}
			first := widePrints(rng, bits, 0, 4600) // enough for tables
			addWith(t, dir, s, WriterOptions{Threads: 2}, wideDocuments(first))
			put(first)
			compareWide(t, rng, dir, want)
			second := widePrints(rng, bits, 4500, 300) // some of them replace others
			addWith(t, dir, s, WriterOptions{Threads: 2}, wideDocuments(second))
			put(second)
			compareWide(t, rng, dir, want)
			live, err := OpenLive(dir, s, WriterOptions{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			third := widePrints(rng, bits, 4700, testkit.Of(200, 1500))
			if _, err := live.Add(t.Context(), wideDocuments(third)); err != nil {
				t.Fatal(err)
			}
			put(third)
			var gone [][]byte
			for _, id := range sortedKeys(want)[100:160] {
				gone = append(gone, []byte(id))
				delete(want, id)
			}
			if n, err := live.Delete(t.Context(), gone...); err != nil || n != len(gone) {
				t.Fatalf("%d deleted, %v", n, err)
			}
			if err := live.Close(); err != nil {
				t.Fatal(err)
			}
			compareWide(t, rng, dir, want)
			report, err := store.Verify(t.Context(), disk.OS, dir)
			if err != nil || len(report.Damages) > 0 {
				t.Fatalf("%+v, %v", report, err)
			}
		})
	}
}

// compareWide compares the answers of the index in dir with what is wanted.
func compareWide(t *testing.T, rng *rand.Rand, dir string, want map[string]document.Long) {
	t.Helper()
	ix := mustOpen(t, dir)
	if ix.Len() != len(want) {
		t.Fatalf("%d documents, want %d", ix.Len(), len(want))
	}
	ids := sortedKeys(want)
	for range 30 {
		q, k := want[ids[rng.IntN(len(ids))]], []int{0, 3, 15, 31, 60}[rng.IntN(5)]
		var near []string
		for _, id := range ids {
			if fp := want[id]; tables.Distance(fp[:], q[:]) <= k {
				near = append(near, id)
			}
		}
		found, err := matches(ix, Long(q), Within(k))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range found {
			got = append(got, string(m.ID))
			if fp := want[string(m.ID)]; tables.Distance(fp[:], q[:]) != m.Distance {
				t.Fatalf("%s at %d", m.ID, m.Distance)
			}
		}
		if slices.Sort(got); !slices.Equal(got, near) {
			t.Fatalf("within %d: %d found, want %d", k, len(got), len(near))
		}
	}
	// All pairs.
	const k = 31
	pairs := 0
	err := ix.Pairs(t.Context(), Within(k), PairOptions{Threads: 2}, func(p Pair) error {
		a, err := ix.ID(p.A)
		if err != nil {
			return err
		}
		b, err := ix.ID(p.B)
		x, y := want[string(a)], want[string(b)]
		if d := tables.Distance(x[:], y[:]); d != p.Distance || d > k || p.A >= p.B {
			return fmt.Errorf("%s and %s at %d, and they are at %d", a, b, p.Distance, d)
		}
		pairs++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for i, a := range ids {
		x := want[a]
		for _, b := range ids[i+1:] {
			if y := want[b]; tables.Distance(x[:], y[:]) <= k {
				all++
			}
		}
	}
	if pairs != all || all < 100 {
		t.Fatalf("%d pairs, want %d", pairs, all)
	}
	// No two representatives are near, and each document is near its own.
	grouped := map[string]bool{}
	var representatives []document.Long
	err = ix.Groups(t.Context(), Within(k), PairOptions{Threads: 2}, func(g Group) error {
		r, err := ix.ID(g.Representative)
		if err != nil {
			return err
		}
		center := want[string(r)]
		representatives = append(representatives, center)
		for _, doc := range g.Documents {
			id, err := ix.ID(doc)
			fp := want[string(id)]
			if err != nil || tables.Distance(fp[:], center[:]) > k {
				return errors.Join(err, fmt.Errorf("%s is in the group of %s", id, r))
			}
			grouped[string(bytes.Clone(id))] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if !grouped[id] {
			representatives = append(representatives, want[id])
		}
	}
	for i := range representatives {
		for j := range i {
			if tables.Distance(representatives[i][:], representatives[j][:]) <= k {
				t.Fatal("two representatives are near each other")
			}
		}
	}
}

// A text has no such fingerprint.
func TestWideOfTexts(t *testing.T) {
	s := analysis.Classic()
	s.Bits = 256
	w, err := OpenWriter(t.TempDir(), s, WriterOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Ingest(t.Context(), numbered([]string{"a text"}, 0)); !errors.Is(err, analysis.ErrWide) {
		t.Errorf("the error is %v", err)
	}
}
