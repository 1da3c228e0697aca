package index

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

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/section"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/segment/segmenttest"
	"simsearch/internal/index/store"
	"simsearch/internal/match/join"
	"simsearch/internal/match/lsh"
	"simsearch/minhash"
)

const (
	bandPositions = 64
)

var (
	bandLayout   = segment.Layout{Sets: true, Positions: bandPositions}
	bandsPlanned = lsh.Bands{Bands: 12, Rows: 5}
)

// bandSignature returns the bandSignature of a set.
func bandSignature(set []uint64) []byte {
	return minhash.Pack(nil, minhash.VariantFast.New(bandPositions, 1).Sketch(nil, set))
}

// bandSets returns n distinct sets: copies of a few with more and more features exchanged.
func bandSets(n int) (sets [][]uint64) {
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

// writeBands writes a segment of sets, of one document each, and returns its directory.
func writeBands(t *testing.T, sets [][]uint64) (dir string, ref segment.Ref) {
	t.Helper()
	dir = t.TempDir()
	b := segment.NewBuilder(disk.OS, dir, bandLayout, 0)
	for i, set := range sets {
		b.Add(&segment.Document{ID: []byte{'a' + byte(i>>8), 'a' + byte(i)%26, '0' + byte(i/26)%10}, Set: set, Signature: bandSignature(set), Digest: segment.Digest{uint64(i), 1}})
	}
	ref, err := b.Write(t.Context(), disk.OS, dir, "000001.seg", segment.WriteOptions{Threshold: 0.8, Bands: bandsPlanned, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return dir, ref
}

// searchBands returns what searches by the bands of segments, and verifies as how says.
func searchBands(threshold, recall float64, how join.Verification) *byBands {
	settings := analysis.Settings{Mode: analysis.MinHash, Positions: bandPositions}
	ix := &Snapshot{manifest: &store.Manifest{Settings: settings}}
	return newByBands(ix, Predicate{Kind: Jaccard, Threshold: threshold, Recall: recall, Verify: how})
}

// agreeOnBand reports whether two signatures agreeOnBand on the first depth rows of a band.
func agreeOnBand(a, b []byte, depth int) bool {
	for band := range bandsPlanned.Bands {
		from := band * bandsPlanned.Rows
		if bytes.Equal(a[from:from+depth], b[from:from+depth]) {
			return true
		}
	}
	return false
}

// What a query finds is what a comparison with each set gives, and so is the work that it counts.
func TestByBandsNearAgainstEach(t *testing.T) {
	t.Parallel()
	sets := bandSets(400)
	dir, ref := writeBands(t, sets)
	s := segmenttest.Open(t, dir, ref, bandLayout)
	var signatures [][]byte
	for _, set := range sets {
		signatures = append(signatures, bandSignature(set))
	}
	for _, tt := range []struct {
		threshold, recall float64
		all               bool // bands find too little
	}{{0.8, 0.9, false}, {0.5, 0.9, false}, {0.3, 0.5, false}, {0.05, 0.99, true}, {1, 0.999, false}} {
		for _, how := range []join.Verification{join.Exact, join.BySignature, join.Unverified} {
			by := searchBands(tt.threshold, tt.recall, how)
			depth := by.lookedUp(s).Rows
			if tt.all != (depth == 0) {
				t.Fatalf("%v: bands are looked up to row %d", tt, depth)
			}
			var stats Stats
			find, sum := by.find(&stats), 0 // one, to be used again
			for i, set := range sets {
				stats = Stats{}
				_, found, err := find(t.Context(), s, &analysis.Result{Set: set, Signature: signatures[i]})
				if err != nil {
					t.Fatal(err)
				}
				var want []segment.NearGroup
				candidates, verified := 0, 0
				for j, other := range sets {
					estimate, seems := by.verifier.Estimate(signatures[i], signatures[j])
					if depth > 0 && !agreeOnBand(signatures[i], signatures[j], depth) || depth == 0 && !seems {
						continue
					}
					candidates++
					switch similarity := ints.Jaccard(set, other); {
					case how == join.Unverified, how == join.BySignature && seems:
						want = append(want, segment.NearGroup{Number: uint32(j), Measures: join.Measures{Value: estimate}})
					case how == join.Exact && seems:
						verified++
						if similarity >= tt.threshold {
							want = append(want, segment.NearGroup{Number: uint32(j), Measures: join.Measures{Value: similarity}})
						}
					}
				}
				slices.SortFunc(found, func(a, b segment.NearGroup) int { return cmp.Compare(a.Number, b.Number) })
				if !slices.Equal(found, want) {
					t.Fatalf("%v, %v: query %d finds %v, want %v", tt, how, i, found, want)
				}
				lookUps, compared := bandsPlanned.Bands, candidates
				if depth == 0 {
					lookUps, compared = 0, len(sets)+candidates
				}
				if stats.LookUps != int64(lookUps) || stats.Compared != int64(compared) || stats.Candidates != int64(candidates) || stats.Verified != int64(verified) {
					t.Fatalf("%v, %v: query %d counts %d, %d, %d, %d, want %d, %d, %d, %d", tt, how, i,
						stats.LookUps, stats.Compared, stats.Candidates, stats.Verified, lookUps, compared, candidates, verified)
				}
				sum += len(want)
			}
			if sum < len(sets) || tt.threshold < 1 && sum < len(sets)*3/2 {
				t.Errorf("%v, %v: only %d found: the test means more", tt, how, sum)
			}
		}
	}
}

// The explanation says how deep bands are looked up, or that all signatures are compared.
func TestByBandsExplain(t *testing.T) {
	t.Parallel()
	dir, ref := writeBands(t, bandSets(20))
	s := segmenttest.Open(t, dir, ref, bandLayout)
	for threshold, want := range map[float64]string{0.8: "12 bands of 5; a query looks up 5 of the rows", 0.05: "compared with all signatures"} {
		if got, _ := searchBands(threshold, 0.95, join.Exact).explain(s); !strings.Contains(got, want) {
			t.Errorf("%v: %s, want %s", threshold, got, want)
		}
	}
}

// Damage of what a query reads is an error that names the file.
func TestByBandsDamage(t *testing.T) {
	t.Parallel()
	sets := bandSets(40)
	for _, tt := range []struct {
		name      string
		threshold float64
	}{{"sets.signatures", 0.8}, {"sets.signatures", 0.05}, {"bands.0.sets", 0.8}, {"sets.coded", 0.8}} {
		dir, ref := writeBands(t, sets)
		path := filepath.Join(dir, ref.Name)
		segmenttest.Flip(t, path, tt.name)
		s := segmenttest.Open(t, dir, ref, bandLayout)
		find, met := searchBands(tt.threshold, 0.9, join.Exact).find(nil), 0
		for _, set := range sets {
			var failed error
			err := section.DamageOf(func() {
				_, _, failed = find(t.Context(), s, &analysis.Result{Set: set, Signature: bandSignature(set)})
			})
			if failed != nil {
				t.Fatal(failed)
			}
			if err != nil {
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
func TestByBandsNearEndsWithItsContext(t *testing.T) {
	t.Parallel()
	sets := bandSets(20)
	dir, ref := writeBands(t, sets)
	s := segmenttest.Open(t, dir, ref, bandLayout)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	for _, threshold := range []float64{0.8, 0.05} {
		find := searchBands(threshold, 0.9, join.Exact).find(nil)
		if _, _, err := find(ctx, s, &analysis.Result{Set: sets[0], Signature: bandSignature(sets[0])}); !errors.Is(err, stop) {
			t.Errorf("%v: %v, want the cause of the context", threshold, err)
		}
	}
}
