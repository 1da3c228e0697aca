package bands

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/disk"
	"simsearch/internal/gather"
	"simsearch/internal/ints"
	"simsearch/internal/join"
	"simsearch/internal/segment"
	"simsearch/internal/segment/segmenttest"
	"simsearch/lsh"
	"simsearch/minhash"
	"simsearch/section"
)

const (
	positions = 64
)

var (
	layout  = segment.Layout{Sets: true, Positions: positions}
	planned = lsh.Bands{Bands: 12, Rows: 5}
)

// signature returns the signature of a set.
func signature(set []uint64) []byte {
	return minhash.Pack(nil, minhash.VariantFast.New(positions, 1).Sketch(nil, set))
}

// distinctSets returns n distinct sets: copies of a few with more and more features exchanged.
func distinctSets(n int) (sets [][]uint64) {
	rng := rand.New(rand.NewPCG(2, 9))
	var base []uint64
	for len(sets) < n {
		if len(sets)%20 == 0 {
			base = nil
			for range 10 + rng.IntN(60) {
				base = append(base, rng.Uint64())
			}
		}
		set := slices.Clone(base)
		for range len(sets) % 20 {
			set[rng.IntN(len(set))] = rng.Uint64()
		}
		slices.Sort(set)
		if !slices.ContainsFunc(sets, func(s []uint64) bool { return slices.Equal(s, set) }) {
			sets = append(sets, set)
		}
	}
	return sets
}

// write writes a segment of sets, of one document each, and returns its directory.
func write(t *testing.T, sets [][]uint64) (dir string, ref segment.Ref) {
	t.Helper()
	dir = t.TempDir()
	b := segment.NewBuilder(disk.OS, dir, layout, 0)
	for i, set := range sets {
		b.Add(&segment.Document{ID: []byte{'a' + byte(i>>8), 'a' + byte(i)%26, '0' + byte(i/26)%10}, Set: set, Signature: signature(set), Digest: segment.Digest{uint64(i), 1}})
	}
	ref, err := b.Write(t.Context(), disk.OS, dir, "000001.seg", segment.WriteOptions{Threshold: 0.8, Bands: planned, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return dir, ref
}

// search returns a search that verifies as how says.
func search(threshold, recall float64, how join.Verification) *Search {
	return &Search{Threshold: threshold, Recall: recall, Verifier: join.NewVerifier(threshold, how, positions)}
}

// agree reports whether two signatures agree on the first depth rows of a band.
func agree(a, b []byte, depth int) bool {
	for band := range planned.Bands {
		from := band * planned.Rows
		if bytes.Equal(a[from:from+depth], b[from:from+depth]) {
			return true
		}
	}
	return false
}

// What a query finds is what a comparison with each set gives, and so is the work that it counts.
func TestNearAgainstEach(t *testing.T) {
	t.Parallel()
	sets := distinctSets(400)
	dir, ref := write(t, sets)
	s := segmenttest.Open(t, dir, ref, layout)
	var signatures [][]byte
	for _, set := range sets {
		signatures = append(signatures, signature(set))
	}
	for _, tt := range []struct {
		threshold, recall float64
		all               bool // bands find too little
	}{{0.8, 0.9, false}, {0.5, 0.9, false}, {0.3, 0.5, false}, {0.05, 0.99, true}, {1, 0.999, false}} {
		for _, how := range []join.Verification{join.Exact, join.BySignature, join.Unverified} {
			by := search(tt.threshold, tt.recall, how)
			depth := by.Depth(s)
			if tt.all != (depth == 0) {
				t.Fatalf("%v: bands are looked up to row %d", tt, depth)
			}
			q, found := Query{Search: by}, 0 // one, to be used again
			for i, set := range sets {
				if err := q.Near(t.Context(), s, signatures[i], set); err != nil {
					t.Fatal(err)
				}
				var want []gather.Group
				candidates, verified := 0, 0
				for j, other := range sets {
					estimate, seems := by.Verifier.Estimate(signatures[i], signatures[j])
					if depth > 0 && !agree(signatures[i], signatures[j], depth) || depth == 0 && !seems {
						continue
					}
					candidates++
					switch similarity := ints.Jaccard(set, other); {
					case how == join.Unverified, how == join.BySignature && seems:
						want = append(want, gather.Group{Number: uint32(j), Measures: join.Measures{Jaccard: estimate}})
					case how == join.Exact && seems:
						verified++
						if similarity >= tt.threshold {
							want = append(want, gather.Group{Number: uint32(j), Measures: join.Measures{Jaccard: similarity}})
						}
					}
				}
				slices.SortFunc(q.Found, func(a, b gather.Group) int { return cmp.Compare(a.Number, b.Number) })
				if !slices.Equal(q.Found, want) {
					t.Fatalf("%v, %v: query %d finds %v, want %v", tt, how, i, q.Found, want)
				}
				lookUps, compared := planned.Bands, candidates
				if depth == 0 {
					lookUps, compared = 0, len(sets)+candidates
				}
				if q.LookUps != int64(lookUps) || q.Compared != int64(compared) || q.Candidates != int64(candidates) || q.Verified != int64(verified) {
					t.Fatalf("%v, %v: query %d counts %d, %d, %d, %d, want %d, %d, %d, %d", tt, how, i,
						q.LookUps, q.Compared, q.Candidates, q.Verified, lookUps, compared, candidates, verified)
				}
				found += len(want)
			}
			if found < len(sets) || tt.threshold < 1 && found < len(sets)*3/2 {
				t.Errorf("%v, %v: only %d found: the test means more", tt, how, found)
			}
		}
	}
}

// The explanation says how deep bands are looked up, or that all signatures are compared.
func TestExplain(t *testing.T) {
	t.Parallel()
	dir, ref := write(t, distinctSets(20))
	s := segmenttest.Open(t, dir, ref, layout)
	for threshold, want := range map[float64]string{0.8: "12 bands of 5; a query looks up 5 of the rows", 0.05: "compared with all signatures"} {
		if got := search(threshold, 0.95, join.Exact).Explain(s); !strings.Contains(got, want) {
			t.Errorf("%v: %s, want %s", threshold, got, want)
		}
	}
}

// Damage of what a query reads is an error that names the file.
func TestDamage(t *testing.T) {
	t.Parallel()
	sets := distinctSets(40)
	for _, tt := range []struct {
		name      string
		threshold float64
	}{{"sets.signatures", 0.8}, {"sets.signatures", 0.05}, {"bands.0.keys", 0.8}, {"bands.0.sets", 0.8}, {"sets.coded", 0.8}} {
		dir, ref := write(t, sets)
		path := filepath.Join(dir, ref.Name)
		segmenttest.Flip(t, path, tt.name)
		s := segmenttest.Open(t, dir, ref, layout)
		q, met := Query{Search: search(tt.threshold, 0.9, join.Exact)}, 0
		for _, set := range sets {
			if err := q.Near(t.Context(), s, signature(set), set); err != nil {
				met++
				if !errors.Is(err, section.ErrCorrupt) || !strings.Contains(err.Error(), path) {
					t.Errorf("%s: %v, want an error that names %s", tt.name, err, path)
				}
			}
		}
		if met == 0 {
			t.Errorf("%s, %v: no query meets the damage", tt.name, tt.threshold)
		}
	}
}

// A comparison with all signatures ends with its context.
func TestNearEndsWithItsContext(t *testing.T) {
	t.Parallel()
	sets := distinctSets(20)
	dir, ref := write(t, sets)
	s := segmenttest.Open(t, dir, ref, layout)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	for _, threshold := range []float64{0.8, 0.05} {
		q := Query{Search: search(threshold, 0.9, join.Exact)}
		if err := q.Near(ctx, s, signature(sets[0]), sets[0]); !errors.Is(err, stop) {
			t.Errorf("%v: %v, want the cause of the context", threshold, err)
		}
	}
}
