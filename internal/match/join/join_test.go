package join

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"simsearch/internal/features/imagehash"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/match/lsh"
	"simsearch/internal/match/prefix"
	"simsearch/internal/tests/testkit"
	"simsearch/minhash"
	"simsearch/tables"
)

// A memory is a Source with all sets in memory. Each document has a set of its own.
type memory struct {
	of         []uint32
	sets       [][]uint64
	signatures [][]byte
}

const positions = 64

func newMemory(sets [][]uint64) *memory {
	m := &memory{}
	sketcher := minhash.VariantFast.New(positions, 7)
	for _, set := range sets {
		if len(set) == 0 {
			m.of = append(m.of, NoSet)
			continue
		}
		m.of = append(m.of, uint32(len(m.sets)))
		m.sets = append(m.sets, set)
		m.signatures = append(m.signatures, minhash.Pack(nil, sketcher.Sketch(nil, set)))
	}
	return m
}

func (m *memory) Of() []uint32   { return m.of }
func (m *memory) Sets() int      { return len(m.sets) }
func (m *memory) Distinct() bool { return false }

func (m *memory) Digest(set uint32) (d [2]uint64) {
	for i, x := range m.sets[set] {
		d[i%2] = bits.RotateLeft64(d[i%2], 5) ^ x*0x9e3779b97f4a7c15
	}
	return d
}
func (m *memory) Signature(set uint32) []byte { return m.signatures[set] }
func (m *memory) AppendSet(dst []uint64, set uint32) []uint64 {
	return append(dst, m.sets[set]...)
}
func (*memory) Coded() (*prefix.Sets, bool) { return nil, false }

// madeSets returns n sets. Many of them are near each other, some are equal and some are empty.
func madeSets(n int) [][]uint64 {
	rng := rand.New(rand.NewPCG(4, 1))
	var sets [][]uint64
	for i := range n {
		if i%17 == 3 {
			sets = append(sets, nil)
			continue
		}
		var set []uint64
		if i > 20 && i%3 > 0 {
			set = slices.Clone(sets[rng.IntN(i)])
		}
		for len(set) < 40 {
			set = append(set, rng.Uint64())
		}
		for range rng.IntN(8) {
			set[rng.IntN(len(set))] = rng.Uint64()
		}
		slices.Sort(set)
		sets = append(sets, slices.Compact(set))
	}
	return sets
}

// ByContained finds the pairs that comparing each set with each finds, and no others.
func TestByContainedIsEachWithEach(t *testing.T) {
	sets := madeSets(300)
	for i := range sets {
		if i%4 == 1 {
			sets[i] = sets[i][:len(sets[i])/3] // a part of what others are copies of
		}
	}
	var want []Pair
	for a := range sets {
		for b := a + 1; b < len(sets); b++ {
			if least := min(len(sets[a]), len(sets[b])); least > 0 {
				if c := float64(ints.Shared(sets[a], sets[b])) / float64(least); c >= 0.8 {
					want = append(want, Pair{uint32(a), uint32(b), Measures{Value: c}})
				}
			}
		}
	}
	for _, o := range []Options{{Threads: 1}, {Threads: 3, PairsInMemory: 50}} {
		o.Disk = disk.OS
		var got []Pair
		err := ByContained(t.Context(), newMemory(sets), 0.8, o, func(p Pair) error { got = append(got, p); return nil })
		if err != nil || !slices.Equal(got, want) || len(want) < 100 {
			t.Errorf("%d threads, hold %d: %d pairs, want %d; %v", o.Threads, o.PairsInMemory, len(got), len(want), err)
		}
	}
}

// BySets finds the pairs that comparing each set with each finds, and no others. So does ByBands, except
// those that the bands miss. The pairs come in the order of the documents, whatever is held in memory.
func TestBySetsIsEachWithEach(t *testing.T) {
	sets := madeSets(400)
	var want []Pair
	for a := range sets {
		for b := a + 1; b < len(sets); b++ {
			if len(sets[a]) > 0 && len(sets[b]) > 0 {
				if j := ints.Jaccard(sets[a], sets[b]); j >= 0.7 {
					want = append(want, Pair{uint32(a), uint32(b), Measures{Value: j}})
				}
			}
		}
	}
	// Bands of one row find every pair that agrees in any position.
	bands := Bands{lsh.Bands{Bands: positions, Rows: 1}, 0.7}
	some := make([]bool, len(sets))
	for doc := range some {
		some[doc] = doc%5 > 0
	}
	for _, o := range []Options{{Threads: 1}, {Threads: 3}, {Threads: 2, PairsInMemory: 50}, {Threads: 2, Only: some}} {
		o.Disk = disk.OS
		want := slices.DeleteFunc(slices.Clone(want), func(p Pair) bool { return o.Only != nil && (!o.Only[p.A] || !o.Only[p.B]) })
		for name, join := range map[string]func(yield func(Pair) error) error{
			"BySets": func(yield func(Pair) error) error {
				return BySets(t.Context(), newMemory(sets), 0.7, o, yield)
			},
			"BySets in any order": func(yield func(Pair) error) error {
				o := o
				o.AnyOrder = true
				var found []Pair
				err := BySets(t.Context(), newMemory(sets), 0.7, o, func(p Pair) error {
					p.A, p.B = min(p.A, p.B), max(p.A, p.B)
					found = append(found, p)
					return nil
				})
				slices.SortFunc(found, func(x, y Pair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
				for i := 0; i < len(found) && err == nil; i++ {
					err = yield(found[i])
				}
				return err
			},
			"ByBands": func(yield func(Pair) error) error {
				return ByBands(t.Context(), newMemory(sets), NewVerifier(0.7, Exact, minhash.VariantFast, positions), bands, o, yield)
			},
		} {
			var got []Pair
			err := join(func(p Pair) error { got = append(got, p); return nil })
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %d threads, hold %d: %d pairs, want %d; %v", name, o.Threads, o.PairsInMemory, len(got), len(want), err)
			}
		}
	}
	if len(want) < 100 {
		t.Errorf("%d pairs are too few for the test", len(want))
	}
}

// ByKeys finds the pairs whose sets have a key in common that comparing each set with each finds, and those that are
// alike. Where these are very many, it finds all.
func TestByKeysIsEachWithEach(t *testing.T) {
	sets := madeSets(400)
	form := len(sets)
	for i := range testkit.Of(0, 1000) { // nearly each is near each
		sets = append(sets, append(slices.Clone(sets[0]), uint64(i)+1<<63))
	}
	rng := rand.New(rand.NewPCG(4, 64))
	keys := make([][]uint32, len(sets))
	all := map[string]map[uint32]bool{} // of the documents of each set
	for i, set := range sets {
		for range rng.IntN(3) {
			keys[i] = append(keys[i], uint32(rng.IntN(60)))
		}
		name := fmt.Sprint(set)
		if all[name] == nil {
			all[name] = map[uint32]bool{}
		}
		for _, k := range keys[i] {
			all[name][k] = true
		}
	}
	read := func(dst []uint32, doc uint32) ([]uint32, error) { return append(dst, keys[doc]...), nil }
	for _, n := range []int{form, len(sets)} {
		var want []Pair
		for a := range n {
			for b := a + 1; b < n; b++ {
				if len(sets[a]) == 0 || len(sets[b]) == 0 {
					continue
				}
				j, some := ints.Jaccard(sets[a], sets[b]), n > form
				for k := range all[fmt.Sprint(sets[a])] {
					some = some || all[fmt.Sprint(sets[b])][k]
				}
				if j >= 0.8 || j >= 0.4 && some {
					want = append(want, Pair{uint32(a), uint32(b), Measures{Value: j}})
				}
			}
		}
		for _, o := range []Options{{Threads: 1}, {Threads: 2, PairsInMemory: 50}, {Threads: 2, AnyOrder: true}} {
			o.Disk = disk.OS
			var got []Pair
			err := ByKeys(t.Context(), newMemory(sets[:n]), 0.4, 0.8, read, o, func(p Pair) error {
				got = append(got, Pair{min(p.A, p.B), max(p.A, p.B), p.Measures})
				return nil
			})
			if o.AnyOrder {
				slices.SortFunc(got, byDocuments)
			}
			if err != nil || !slices.Equal(got, want) || len(want) < 200 {
				t.Errorf("%d sets, %d threads, in any order %v: %d pairs, want %d; %v", n, o.Threads, o.AnyOrder, len(got), len(want), err)
			}
		}
	}
	bad := errors.New("bad")
	err := ByKeys(t.Context(), newMemory(sets), 0.4, 0.8, func([]uint32, uint32) ([]uint32, error) { return nil, bad }, Options{Threads: 2, Disk: disk.OS},
		func(Pair) error { return nil })
	if !errors.Is(err, bad) && form == len(sets) {
		t.Errorf("keys that cannot be read: %v", err)
	}
}

func TestByFingerprintsIsEachWithEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	fps := make([]uint64, testkit.Of(1000, 3000))
	for i := range fps {
		fps[i] = rng.Uint64()
		if i%4 > 0 {
			fps[i] = fps[rng.IntN(i)] ^ 1<<rng.IntN(64)
		}
	}
	design, err := tables.NewDesign(64, 4, 1) // for 3 bits: beyond, another one takes its place
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		k        int
		pictures imagehash.Kind
	}{{0, 0}, {3, 0}, {5, 0}, {40, 0}, {0, imagehash.DCT}, {4, imagehash.DCT}, {25, imagehash.DCT}, {3, imagehash.Difference}} {
		k, words, hashes := c.k, 1, fps
		if c.pictures != 0 {
			words, hashes = 2, withBorders(rng, fps)
		}
		of := func(doc int) []uint64 { return hashes[words*doc:][:words] }
		var want []Pair
		docs := make([]uint32, len(fps))
		for a := range fps {
			if docs[a] = uint32(a); a%10 == 9 {
				continue // a document that is not there any more
			}
			for b := a + 1; b < len(fps); b++ {
				if d := c.pictures.Distance(of(a), of(b)); d <= k && b%10 != 9 {
					want = append(want, Pair{uint32(a), uint32(b), Measures{Distance: d}})
				}
			}
		}
		for _, o := range []Options{{Threads: 1}, {Threads: 3}, {Threads: 2, PairsInMemory: 50}, {Threads: 2, Design: design}} {
			i := 0
			o.Disk, o.Pictures = disk.OS, c.pictures
			groups := tables.Group(slices.Clone(hashes), words, slices.Clone(docs))
			err := ByFingerprints(t.Context(), len(fps), withoutNines(&groups), 64, k, o, func(p Pair) error {
				if i == len(want) || p != want[i] {
					return fmt.Errorf("pair %d is %v", i, p)
				}
				i++
				return nil
			})
			if err != nil || i != len(want) {
				t.Errorf("%v, k = %d, %d threads, hold %d: %d pairs of %d, %v", c.pictures, k, o.Threads, o.PairsInMemory, i, len(want), err)
			}
		}
	}
}

// withBorders returns the hashes of pictures, two of each. One of some is that of another picture, turned.
func withBorders(rng *rand.Rand, of []uint64) (hashes []uint64) {
	for i, hash := range of {
		hashes = append(hashes, hash, hash)
		if others := imagehash.DCT.Turned(nil, of[rng.IntN(len(of))]); i%5 < 2 {
			hashes[2*i+i%5] = others[rng.IntN(len(others))] ^ 1<<rng.IntN(64)
		}
	}
	return hashes
}

// ByBoth finds the pairs within the distance that are verified. With groups, these are pairs of first documents, and
// each other document is paired with the first one that it equals, however far behind the other pairs.
func TestByBothIsEachWithEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	type identity struct{ fingerprint, set uint64 }
	var all []Fingerprinted[identity]
	only := make([]bool, 400)
	for doc := range uint32(400) {
		is := identity{rng.Uint64(), rng.Uint64N(2)}
		switch {
		case doc == 399: // the last two documents are equal, and near no others
			is = all[398].Identity
		case doc%4 > 0 && doc < 398:
			is = all[rng.IntN(int(doc))].Identity
			is.fingerprint ^= rng.Uint64N(2) << rng.IntN(64)
		}
		all, only[doc] = append(all, Fingerprinted[identity]{doc, is.fingerprint, is}), doc%7 != 3
	}
	verify := func(p *Pair) (bool, error) {
		p.Value = float64(1+all[p.A].Identity.set+all[p.B].Identity.set) / 4
		return p.Value > 0.25, nil
	}
	for _, o := range []Options{{}, {Groups: true}, {Only: only}, {Groups: true, Only: only}} {
		var want []Pair
		first := map[identity]uint32{}
		for b, d := range all {
			if o.Only != nil && !o.Only[b] {
				continue
			}
			if a, ok := first[d.Identity]; ok && o.Groups {
				want = append(want, Pair{a, uint32(b), Measures{Value: 1}})
				continue
			}
			for a, e := range all[:b] {
				p := Pair{uint32(a), uint32(b), Measures{Distance: bits.OnesCount64(d.Fingerprint ^ e.Fingerprint)}}
				if known, ok := first[e.Identity]; p.Distance > 2 || !ok || o.Groups && known != uint32(a) || o.Only != nil && !o.Only[a] {
					continue
				}
				if ok, _ := verify(&p); ok {
					want = append(want, p)
				}
			}
			if _, ok := first[d.Identity]; !ok {
				first[d.Identity] = uint32(b)
			}
		}
		slices.SortFunc(want, byDocuments)
		o.Threads, o.Disk = 2, disk.OS
		var got []Pair
		err := ByBoth(t.Context(), len(all), all, 64, 2, o, verify, func(p Pair) error { got = append(got, p); return nil })
		if err != nil || !slices.Equal(got, want) || len(want) < 100 {
			t.Errorf("groups %v, only some %v: %d pairs, want %d; %v", o.Groups, o.Only != nil, len(got), len(want), err)
		}
	}
}

// withoutNines returns groups without each tenth document. Some are empty.
func withoutNines(groups *tables.Groups) FingerprintGroups {
	all := Grouped(groups)
	return FingerprintGroups{Values: all.Values, Groups: func(yield func(uint32, []uint32) bool) {
		for g, members := range all.Groups {
			if !yield(g, slices.DeleteFunc(slices.Clone(members), func(doc uint32) bool { return doc%10 == 9 })) {
				return
			}
		}
	}}
}

// Rows end soon after their context, however many documents are near one another.
func TestRowsEndWithTheirContext(t *testing.T) {
	sets := make([][]uint64, 500)
	for i := range sets {
		for x := range uint64(100) {
			sets[i] = append(sets[i], x)
		}
		sets[i] = append(sets[i], uint64(1000+i/2))
	}
	bands := Bands{lsh.Bands{Bands: 16, Rows: 4}, 0.8}
	for _, groups := range []bool{false, true} {
		o := Options{Threads: 2, Groups: groups, Disk: disk.OS}
		j, err := byBands(t.Context(), newMemory(sets), NewVerifier(0.8, Exact, minhash.VariantFast, positions), bands, o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var g uint32
		for a := range j.groups.Ends[1:] {
			if groups && len(j.groups.Members(uint32(a))) > len(j.groups.Members(g)) ||
				!groups && len(j.neighbours.of(uint32(a))) > len(j.neighbours.of(g)) {
				g = uint32(a)
			}
		}
		if groups {
			_, err = j.groupRow(ctx, nil, []neighbour{{group: g}}, g)
		} else {
			_, err = j.near(ctx, nil, g)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("groups %v: %v; the group has %d documents and %d neighbours", groups, err, len(j.groups.Members(g)), len(j.neighbours.of(g)))
		}
		if err := j.neighbours.close(); err != nil {
			t.Error(err)
		}
	}
}

// A crowd of sets is joined row by row, where its pairs are too many for the memory, and all pairs are those of
// comparing each with each. What is told first is what comes.
func TestCrowdsBySets(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	var sets [][]uint64
	for i := range 500 {
		var set []uint64
		for f := range uint64(30) {
			if i%5 > 0 || f > 20 {
				set = append(set, f)
			}
		}
		set[rng.IntN(len(set))] = 100 + rng.Uint64N(300)
		slices.Sort(set)
		sets = append(sets, slices.Compact(set))
	}
	for _, groups := range []bool{false, true} {
		var want []Pair
		for _, hold := range []int{0, 20_000, 2000, 50} { // listed; row by row; by way of files
			var told []Many
			explained := ""
			o := Options{Threads: 2, PairsInMemory: hold, Groups: groups, Disk: disk.OS, Many: func(m Many) { told = append(told, m) }, Explain: func(how string) { explained = how }}
			var got []Pair
			if err := BySets(t.Context(), newMemory(sets), 0.8, o, func(p Pair) error { got = append(got, p); return nil }); err != nil {
				t.Fatal(err)
			}
			if hold == 0 {
				if want = got; len(want) < 50_000 {
					t.Fatalf("%d pairs are too few for the test", len(want))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("groups %v, hold %d: %d pairs, want %d", groups, hold, len(got), len(want))
			}
			if rows := strings.Contains(explained, "looked up when"); rows != (hold == 20_000 || hold == 2000) {
				t.Errorf("hold %d: %s", hold, explained)
			}
			if len(told) != 1 {
				t.Fatalf("told %d times", len(told))
			}
			m, n := told[0], int64(len(want))
			connected, roots := ints.NewDisjointSets(len(sets)), map[uint32]bool{}
			for _, p := range want {
				connected.Union(p.A, p.B)
			}
			for _, p := range want {
				roots[connected.Find(p.A)] = true
			}
			if m.About != (hold == 20_000 || hold == 2000) || !m.About && (m.Pairs != n || m.Documents != 500 || m.Groups != int64(len(roots))) ||
				m.Pairs < n/2 || m.Pairs > 2*n || m.Documents < 250 || m.Documents > 1000 || m.Groups < int64(len(roots))/2 || m.Groups > 20 {
				t.Errorf("groups %v, hold %d: %d pairs come, told %+v", groups, hold, n, m)
			}
		}
	}
}

// A set could be similar to another if and only if exact fractions say so of one that contains the other.
func TestSizesThatCouldBeSimilar(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	sizes := testkit.Sizes(rng)
	for _, f := range testkit.Fractions() {
		v := NewVerifier(f.Float(), Exact, minhash.VariantFast, 128)
		for _, n := range sizes {
			for _, m := range []int{max(1, f.LeastSize(n)-1), f.LeastSize(n), n, f.MostSize(n), f.MostSize(n) + 1, sizes[rng.IntN(len(sizes))]} {
				if got, want := v.couldBe(n, m), f.AtMost(min(n, m), max(n, m)); got != want {
					t.Errorf("threshold %v: sets of %d and %d features: %v, want %v", f, n, m, got, want)
				}
			}
		}
	}
}
