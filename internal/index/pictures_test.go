package index

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/features/imagehash"
	"simsearch/internal/files/document"
)

// hashedPictures returns pictures of which many are near others: turned, mirrored, inside borders, and equal.
func hashedPictures(kind imagehash.Kind, n int) (all []document.Document) {
	rng := rand.New(rand.NewPCG(uint64(kind), 7))
	near := func(hash uint64) uint64 {
		of := kind.Turned([]uint64{hash}, hash)
		hash = of[rng.IntN(len(of))]
		for range rng.IntN(14) {
			hash ^= 1 << rng.IntN(64)
		}
		return hash
	}
	seeds := []uint64{rng.Uint64(), rng.Uint64(), rng.Uint64(), 0}
	for i := range n {
		d := document.Document{ID: fmt.Appendf(nil, "%03d", rng.IntN(1000)*n+i), HasFingerprint: i%17 != 3}
		if d.HasFingerprint {
			d.Fingerprint = near(seeds[rng.IntN(4)])
		}
		if i%5 == 0 && i > 0 {
			d.Fingerprint, d.HasFingerprint = all[i-1].Fingerprint, all[i-1].HasFingerprint
		}
		inside := fmt.Appendf(nil, "%016x", near(seeds[rng.IntN(4)]))
		if i%11 == 4 {
			inside = []byte("no hash")
		}
		has := d.HasFingerprint && rng.IntN(3) == 0
		d.Fields = document.AppendField(document.AppendField(nil, nil, false), inside, has)
		if has {
			d.Picture = PictureOf(string(inside))
		}
		d.Picture.Bytes = 1
		all = append(all, d)
	}
	return all
}

func eachOf(all []document.Document) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for i := range all {
			if !yield(&all[i], nil) {
				return
			}
		}
	}
}

// apart is the reference of inPositions: the distance of a query and a picture.
func apart(kind imagehash.Kind, query, r *analysis.Result) int {
	hashes := func(r *analysis.Result) []uint64 {
		switch {
		case r.Picture.Bordered:
			return []uint64{r.Fingerprint, r.Picture.Inside}
		case len(r.Turned) > 7:
			return []uint64{r.Fingerprint, r.Turned[7]}
		}
		return []uint64{r.Fingerprint}
	}
	of := hashes(r)
	least := kind.Distance(hashes(query), of)
	for _, hash := range query.Turned {
		least = min(least, imagehash.Kind(0).Distance([]uint64{hash}, of))
	}
	return least
}

// Near has of a picture of the collection the pairs that have it, at the same distance, and of another one what a
// scan finds.
func TestPicturesInAllPositions(t *testing.T) {
	t.Parallel()
	for _, kind := range []imagehash.Kind{imagehash.DCT, imagehash.Difference} {
		all, dir := hashedPictures(kind, 300), t.TempDir()
		o := WriterOptions{Threads: 2, Distance: 10, Input: Input{KeepFields: "name," + imagehash.Unbordered}}
		addWith(t, dir, analysis.Pictures(kind), o, eachOf(all[:140]))
		addWith(t, dir, analysis.Pictures(kind), o, eachOf(all[140:]))
		w, err := OpenWriter(dir, analysis.Pictures(kind), o)
		for _, gone := range []int{7, 150, 151} {
			err = cmp.Or(err, w.Delete(all[gone].ID))
		}
		if err == nil {
			_, err = w.Commit(t.Context())
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		ix := mustOpen(t, dir)
		stored := make([]analysis.Result, ix.Len())
		for doc := range stored {
			q, err := ix.Stored(uint32(doc))
			if err != nil {
				t.Fatal(err)
			}
			stored[doc] = q.result
		}
		// scan is the reference: all distances, the least first.
		scan := func(q *analysis.Result, k int) (want []Match) {
			for doc := range stored {
				if r := &stored[doc]; r.HasFingerprint && q.HasFingerprint {
					if d := apart(kind, q, r); d <= k {
						id, _ := ix.ID(uint32(doc))
						m := Match{Document: uint32(doc), ID: id, Measures: Measures{Distance: d}}
						m.Turned = distanceOf(q, r) > max(k, d)
						want = append(want, m)
					}
				}
			}
			slices.SortFunc(want, func(a, b Match) int {
				return cmp.Or(cmp.Compare(a.Distance, b.Distance), slices.Compare(a.ID, b.ID))
			})
			return want
		}
		same := func(a, b Match) bool {
			return a.Document == b.Document && a.Measures == b.Measures && string(a.ID) == string(b.ID)
		}
		equal := func(a, b Match) bool { return same(a, b) && a.Turned == b.Turned }
		near := func(q Query, o Options) Answer {
			o.Turned, o.Threads = true, 2
			a, err := ix.Near(t.Context(), q, o)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		for _, k := range []int{0, 4, 10} {
			paired := map[uint32][]Match{}
			for _, p := range similarPairs(t, ix, Within(k), PairOptions{Threads: 2}) {
				a, _ := ix.ID(p.A)
				b, _ := ix.ID(p.B)
				paired[p.A] = append(paired[p.A], Match{Document: p.B, ID: b, Measures: p.Measures})
				paired[p.B] = append(paired[p.B], Match{Document: p.A, ID: a, Measures: p.Measures})
			}
			turned := 0
			for doc := range stored {
				q := Analysed(stored[doc])
				a := near(q, Options{Predicate: Within(k)})
				want := scan(&stored[doc], k)
				if !slices.EqualFunc(a.Matches, want, equal) || a.Total != len(want) {
					t.Fatalf("%v, k %d, picture %d: %v, want %v", kind, k, doc, a.Matches, want)
				}
				others := slices.DeleteFunc(slices.Clone(a.Matches), func(m Match) bool { return m.Document == uint32(doc) })
				pairs := paired[uint32(doc)]
				slices.SortFunc(pairs, func(a, b Match) int { return cmp.Or(a.Compare(&b.Measures), slices.Compare(a.ID, b.ID)) })
				if !slices.EqualFunc(others, pairs, same) {
					t.Fatalf("%v, k %d, picture %d: near are %v, pairs are %v", kind, k, doc, others, pairs)
				}
				for _, m := range others {
					if m.Turned {
						turned++
					}
				}
				if a = near(q, Options{Predicate: Within(k), Limit: 3}); !slices.EqualFunc(a.Matches, want[:min(3, len(want))], equal) || a.Total != len(want) {
					t.Fatalf("%v, k %d, picture %d, the first 3 of %d: %v of %d", kind, k, doc, len(want), a.Matches, a.Total)
				}
				is := func(v []byte) bool { return v[0] < '8' }
				where := slices.DeleteFunc(slices.Clone(want), func(m Match) bool {
					s, local := ix.locate(m.Document)
					v, ok := document.Field(s.Fields(local), 1)
					return !ok || !is(v)
				})
				if a = near(q, Options{Predicate: Within(k), Where: []Where{{imagehash.Unbordered, is}}}); !slices.EqualFunc(a.Matches, where, equal) {
					t.Fatalf("%v, k %d, picture %d, of some: %v, want %v", kind, k, doc, a.Matches, where)
				}
				if all := scan(&stored[doc], 64); len(all) > 0 && k == 10 {
					a = near(q, Options{Predicate: Within(k), Nearest: 5})
					if !slices.EqualFunc(a.Matches, all[:5], same) {
						t.Fatalf("%v, picture %d, the nearest: %v, want %v", kind, doc, a.Matches, all[:5])
					}
				}
			}
			if k == 10 && turned < 200 {
				t.Errorf("%v: %d matches are turned", kind, turned)
			}
			// Other pictures, many at a time, which have hashes of a file in other positions.
			queries := hashedPictures(kind, 60)
			for i := range queries {
				queries[i].Fingerprint ^= 0x0001_0100_0400_0010
				for j := range []int{2, 7, 15}[i%3] {
					queries[i].Turned = append(queries[i].Turned, queries[(i+j)%60].Fingerprint)
				}
				if i%3 == 2 {
					queries[i].Picture.Bordered = false // files have the hash inside among those
				}
			}
			n := 0
			how := Options{Predicate: Within(k), Turned: true, Threads: 2, Batch: 7}
			err := ix.NearAll(t.Context(), eachOf(queries), how, func(a Answer) error {
				q := analysis.Result{Document: queries[n]}
				want := scan(&q, k)
				if !slices.EqualFunc(a.Matches, want, equal) || a.Empty == queries[n].HasFingerprint {
					t.Errorf("%v, k %d, query %d: %v, want %v", kind, k, n, a.Matches, want)
				}
				n++
				return nil
			})
			if err != nil || n != len(queries) {
				t.Errorf("%d answers, %v", n, err)
			}
		}
	}
}
