package prefix

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/internal/tests/testkit"
)

// lists is a Scanned in memory.
type lists [][]uint64

func (l lists) Features() (n uint64) {
	for _, s := range l {
		n += uint64(len(s))
	}
	return n
}

func (l lists) Scan(do func([]uint64) error) error {
	for _, s := range l {
		if err := do(s); err != nil {
			return err
		}
	}
	return nil
}

// guessed is a source that does not know how many features it has.
type guessed struct {
	lists
	features uint64
}

func (g guessed) Features() uint64 { return g.features }

// edits returns n sets of up to longest features, which feature makes, of which half are edits of others.
func edits(rng *rand.Rand, n, longest int, feature func() uint64) (l lists) {
	for len(l) < n {
		var s []uint64
		if len(l) > 0 && rng.IntN(2) == 0 {
			s = slices.Clone(l[rng.IntN(len(l))])
			for range rng.IntN(1 + len(s)/3) {
				s[rng.IntN(len(s))] = feature()
			}
		} else {
			for range 1 + rng.IntN(longest) {
				s = append(s, feature())
			}
		}
		slices.Sort(s)
		l = append(l, slices.Compact(s))
	}
	return l
}

// count is Count, one feature after the other.
func (l lists) count(more uint32) (counts []Counted) {
	known := map[uint64]Counted{}
	for set, features := range l {
		for _, f := range features {
			c, ok := known[f]
			if !ok {
				c = Counted{Feature: f, First: uint32(set)}
			}
			c.Sets++
			known[f] = c
		}
	}
	for _, c := range known {
		if c.Sets > more {
			counts = append(counts, c)
		}
	}
	slices.SortFunc(counts, func(a, b Counted) int { return cmp.Compare(a.Feature, b.Feature) })
	return counts
}

// sources returns sets of many kinds.
func sources() map[string]lists {
	rng := rand.New(rand.NewPCG(5, 1))
	return map[string]lists{
		"none":                           nil,
		"one":                            {{7}},
		"hardly anything repeats":        edits(rng, 500, 300, rng.Uint64),
		"most repeats":                   edits(rng, 3000, 40, func() uint64 { return golden * rng.Uint64N(500) }),
		"small numbers":                  edits(rng, 400, 60, func() uint64 { return rng.Uint64N(300) }),
		"large numbers":                  edits(rng, 400, 60, func() uint64 { return ^rng.Uint64N(300) }),
		"more sets than a block has":     edits(rng, 1<<leastHashParts*5/2, 4, func() uint64 { return golden * rng.Uint64N(1<<12) }),
		"more features than a block has": edits(rng, 30, blockFeatures/4, rng.Uint64),
		"one by one":                     edits(rng, 9, 5, rng.Uint64),
		"a set larger than a block":      {upTo(2 * blockFeatures), {1, 2}},
	}
}

// upTo returns a set of n features.
func upTo(n int) (set []uint64) {
	for f := range uint64(n) {
		set = append(set, f<<40)
	}
	return set
}

// memories are some in which all fit, and some in which features are read again and again.
var memories = []int64{1 << 13, 1 << 16, 1 << 20, 1 << 30}

// Features are counted as one after the other, whatever the memory.
func TestCounting(t *testing.T) {
	for name, l := range sources() {
		for _, more := range []uint32{1, 30} {
			want := l.count(more)
			for i, memory := range memories {
				got, err := Count(t.Context(), l, more, 1+i%3, memory, nil)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s, more than %d, %d bytes: %d features, want %d; %v", name, more, memory, len(got), len(want), err)
				}
			}
		}
	}
}

// The codes are those of the sets seen one by one, whatever the memory, and whatever the source says of its size.
func TestCodePairs(t *testing.T) {
	testkit.Long(t, "millions of pairs")
	for name, l := range sources() {
		v := newVocabulary(l.count(1))
		var view View
		var want [][]byte
		for _, set := range l {
			v.See(&view, set)
			want = append(want, appendRanks(nil, len(set), view.ranks))
		}
		for i, memory := range memories {
			for _, src := range []Scanned{l, guessed{l, 0}, guessed{l, 8*l.Features() + 1<<18}} {
				var got [][]byte
				last := int64(0)
				tell := func(done, all int64) {
					if done < last || done > all {
						t.Errorf("%s, %d bytes: %d of %d after %d", name, memory, done, all, last)
					}
					last = done
				}
				ranks, err := codePairs(t.Context(), src, 1+i%3, memory, tell, func(code []byte, ends []int) error {
					from := 0
					for _, end := range ends {
						got = append(got, slices.Clone(code[from:end]))
						from = end
					}
					return nil
				})
				if err != nil || ranks != v.Len() || !slices.EqualFunc(got, want, bytes.Equal) {
					t.Errorf("%s, %d bytes, %T: %d codes of %d ranks, want %d of %d; %v", name, memory, src, len(got), ranks, len(want), v.Len(), err)
				}
			}
		}
	}
}

// failing is a source that fails after some sets, at the given scan.
type failing struct {
	lists
	at    int
	scans *int
}

var errSource = errors.New("of the source")

func (f failing) Scan(do func([]uint64) error) error {
	if *f.scans++; *f.scans == f.at {
		return errors.Join(f.lists[:len(f.lists)/2].Scan(do), errSource)
	}
	return f.lists.Scan(do)
}

// What fails ends the work with its error: the source, whenever it is read, or who takes the codes.
func TestFailures(t *testing.T) {
	l := sources()["hardly anything repeats"]
	errTake := errors.New("of who takes")
	for _, memory := range []int64{1 << 17, 1 << 30} {
		scans := 0
		count := func(at int, failure error) error {
			scans = 0
			_, err := codePairs(t.Context(), failing{l, at, &scans}, 2, memory, nil, func([]byte, []int) error { return failure })
			return err
		}
		if err := count(0, nil); err != nil {
			t.Fatal(err)
		}
		for at := range scans {
			if err := count(at+1, nil); !errors.Is(err, errSource) {
				t.Errorf("%d bytes, scan %d fails: %v", memory, at+1, err)
			}
		}
		if err := count(0, errTake); !errors.Is(err, errTake) {
			t.Errorf("%d bytes: %v", memory, err)
		}
	}
}

func BenchmarkCodePairs(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 3))
	for name, feature := range map[string]func() uint64{
		"words":     func() uint64 { return golden * uint64(rng.ExpFloat64()*rng.ExpFloat64()*1e4) },
		"sequences": func() uint64 { return golden * uint64(rng.ExpFloat64()*rng.ExpFloat64()*1e7) },
	} {
		l := edits(rng, 20_000, 200, feature)
		for _, memory := range []int64{1 << 20, 1 << 30} {
			b.Run(fmt.Sprintf("%s/%d bytes", name, memory), func(b *testing.B) {
				for range b.N {
					if _, err := codePairs(b.Context(), l, 1, memory, nil, func([]byte, []int) error { return nil }); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(l.Features()), "ns/feature")
			})
		}
	}
}
