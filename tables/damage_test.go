package tables

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

// unverified returns the tables of a file, of which only the outline has been checked. It returns nil if
// the design is damaged.
func unverified(t *testing.T, data []byte) *Tables {
	t.Helper()
	f, err := section.Parse("", data)
	if err != nil {
		t.Fatal(err)
	}
	var tb *Tables
	if err := section.DamageOf(func() { tb = Load(f) }); err != nil {
		if !errors.Is(err, section.ErrCorrupt) {
			t.Fatal(err)
		}
		return nil
	}
	return tb
}

// damages returns functions that damage a file: each section as a whole, and flips single bits of
// each. names begin with the name of the section.
func damages(t *testing.T, rng *rand.Rand, data []byte, flips int) (names []string, do []func(data []byte)) {
	t.Helper()
	f, err := section.Parse("", data)
	if err != nil {
		t.Fatal(err)
	}
	f.Sections(func(name string, offset, length uint64) bool {
		if name == sectionDesign || name == sectionSlots { // checked by Load
			return true
		}
		names = append(names, name+" garbled")
		do = append(do, func(data []byte) {
			for at := offset; at < offset+length; at++ {
				data[at] ^= byte(rng.Uint32())
			}
		})
		// Many small changes make answers that are only a little wrong.
		names = append(names, name+" a little wrong")
		do = append(do, func(data []byte) {
			for at := offset; at+4 <= offset+length; at += 8 {
				data[at] ^= 1
			}
		})
		for range flips {
			if length == 0 {
				break
			}
			at, bit := offset+rng.Uint64N(length), rng.IntN(8)
			names = append(names, name+" with a flipped bit")
			do = append(do, func(data []byte) { data[at] ^= 1 << bit })
		}
		return true
	})
	return names, do
}

// A search of a damaged file that has not been verified ends in the answer of the linear scan or in an
// error of the checksum. That holds for single queries and batches, and for every way to answer them.
// Damage that no search reports is in bytes that no search has used.
func TestDamageIsNoWrongAnswer(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	flips := testkit.Of(1, 2) // single bits flipped in each section
	for name, tt := range map[string]struct {
		values  []uint64
		design  Design
		ks      []int
		queries int
	}{
		"narrow": {collections(rng, 16, 400)["planted"], newDesign(t, [3]int{16, 4, 1}), []int{0, 1, 3, 16}, 100},
		"mid":    {collections(rng, 64, 66_000)["uniform"], newDesign(t, [3]int{64, 4, 1}), []int{3, 5}, 30},
		"high":   {collections(rng, 64, 3000)["planted"], newDesign(t, [3]int{64, 5, 2}), []int{3, 5, 11, 40}, 40},
		"large":  {collections(rng, 64, 3000)["planted"], newDesign(t, [3]int{64, 12, 1}), []int{10, 11}, 30},
		"dense":  {collections(rng, 48, 3000)["planted"], newDense(t, [3]int{48, 4, 1}, 13), []int{3, 5, 11}, 40},
		"blocks": {boilerplate(t, 3000)["half of them shared"], newDesign(t, [3]int{64, 6, 3}), []int{2, 3, 4}, 40},
		"heavy":  {boilerplate(t, 15_000)["half of them shared"], newDesign(t, [3]int{64, 4, 2}), []int{2, 4}, 40},
	} {
		_, data := reload(t, tt.values, tt.design, 1)
		qs := queries(rng, tt.values, tt.design.Width(), tt.queries/testkit.Of(6, 1))
		for _, x := range qs[:len(qs)/2] { // some of the values
			qs = append(qs, tt.values[x%uint64(len(tt.values))])
		}
		wants := map[int][][]hamming.Match{}
		for _, k := range tt.ks {
			for _, q := range qs {
				wants[k] = append(wants[k], want(tt.values, q, k))
			}
		}
		found := 0
		names, do := damages(t, rng, data, flips)
		for i, damage := range do {
			broken := slices.Clone(data)
			damage(broken)
			failed := false
			for _, k := range tt.ks {
				fail := func(err error) {
					if !errors.Is(err, section.ErrCorrupt) {
						t.Fatalf("%s, %s, k = %d: %v, want an error of the checksum", name, names[i], k, err)
					}
					failed = true
				}
				check := func(j int, got []hamming.Match) {
					if !slices.Equal(got, wants[k][j]) {
						t.Fatalf("%s, %s, k = %d: %v, want %v", name, names[i], k, got, wants[k][j])
					}
				}
				one, many := unverified(t, broken), unverified(t, broken)
				for _, tb := range []*Tables{one, many} {
					tb.tuning.patience = 1
					forceTables(tb, k)
				}
				for j, q := range qs {
					var got []hamming.Match
					if err := section.DamageOf(func() { got, _ = one.Near(nil, q, k) }); err != nil {
						fail(err)
						continue
					}
					check(j, got)
				}
				if err := section.DamageOf(func() {
					_ = many.NearBatch(qs, k, func(j int, got []hamming.Match) error { check(j, got); return nil })
				}); err != nil {
					fail(err)
				}
			}
			if failed {
				found++
			} else if i%(flips+2) < 1 {
				t.Logf("%s: %s is not noticed", name, names[i])
			}
		}
		if found < len(do)/4 {
			t.Errorf("%s: only %d of %d damages are found: the searches do not reach them", name, found, len(do))
		}
	}
}

// Tables are sound as soon as all blocks of their directories and of the lowest bits of tails have been checked.
func TestSoundness(t *testing.T) {
	t.Parallel()
	values := collections(newRand(t), 64, 30_000)["uniform"]
	tb, data := reload(t, values, newDesign(t, [3]int{64, 4, 3}), 1)
	if !tb.sound() {
		t.Error("a file that has been verified is not sound")
	}
	tb = unverified(t, data)
	if tb.sound() {
		t.Error("a file that nobody has looked at is sound")
	}
	tb.way(1).scan, tb.way(1).scanShared = false, false
	clear(tb.way(1).radii) // every table is looked up
	_ = tb.NearBatch(values, 1, func(int, []hamming.Match) error { return nil })
	if !tb.sound() {
		t.Error("after all values have been asked for, some blocks have not been checked")
	}
	if built := Build(values, tb.Design()); !built.sound() {
		t.Error("tables in memory are not sound")
	}
}

// The values are found if each is in a sound block of some table.
func TestSalvage(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	for _, design := range []Design{newDesign(t, [3]int{64, 4, 1}), newDesign(t, [3]int{20, 4, 1}), newDense(t, [3]int{44, 4, 1}, 12), newDesign(t, [3]int{64, 4, 1})} {
		width := design.Width()
		values := make([]uint64, 9000)
		for i := range values {
			values[i] = rng.Uint64() >> (64 - width)
		}
		slices.Sort(values)
		values = slices.Compact(values)
		_, data := reload(t, values, design, 1)
		salvage := func(damaged ...string) []uint64 {
			data := slices.Clone(data)
			f, err := section.Parse("", data)
			if err != nil {
				t.Fatal(err)
			}
			f.Sections(func(name string, offset, length uint64) bool {
				if slices.Contains(damaged, name) {
					clear(data[offset : offset+length])
				} else if len(damaged) == 0 && length > 0 { // a block of each, at random
					data[offset+rng.Uint64N(length)] ^= 1
				}
				return true
			})
			return Salvage(f)
		}
		for _, damaged := range [][]string{
			{"none"}, {sectionValues}, {sectionDirectory(0)}, {sectionLow(0), sectionLow(1)},
			{sectionValues, sectionDirectory(1), sectionLow(2)},
		} {
			if got := salvage(damaged...); !slices.Equal(got, values) {
				t.Errorf("%v, %v: %d of %d values", design, damaged, len(got), len(values))
			}
		}
		if got := salvage(sectionValues, sectionLow(1), sectionLow(2), sectionLow(3)); got != nil {
			t.Errorf("%v: %d values of no table", design, len(got))
		}
		for range 20 {
			if got := salvage(); got != nil && !slices.Equal(got, values) {
				t.Errorf("%v: wrong values", design)
			}
		}
	}
}
