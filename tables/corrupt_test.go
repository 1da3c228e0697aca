package tables

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/ground/section"
	"simsearch/internal/tests/testkit"
)

// The bytes of tables may be damaged in any way after they have been checked. A search must end in an
// answer or in section.ErrCorrupt, and never in another panic.
func TestEveryFlippedBitIsAnswered(t *testing.T) {
	t.Parallel()
	rng := newRand(t)
	values := collections(rng, 16, 40)["planted"]
	_, data := reload(t, values, newDesign(t, [3]int{16, 4, 1}), 1)
	found := 0
	for i := range data {
		for bit := range 8 {
			if !testkit.IsLong() && bit != i%8 {
				continue
			}
			broken := slices.Clone(data)
			broken[i] ^= 1 << bit
			f, err := section.Parse("", broken)
			if err == nil {
				if f.Verify() == nil {
					t.Fatalf("byte %d bit %d: the checksums agree with changed bytes", i, bit)
				}
				err = section.DamageOf(func() { _, _ = Load(f).Near(nil, values[i%len(values)], 3) })
			}
			if err != nil && !errors.Is(err, section.ErrCorrupt) &&
				!errors.Is(err, section.ErrForeign) && !errors.Is(err, section.ErrVersion) {
				t.Fatalf("byte %d bit %d: %v", i, bit, err)
			}
			if err != nil {
				found++
			}
		}
	}
	if found == 0 {
		t.Error("no change was found: the test does not reach what it means to")
	}
}

// FuzzLoad gives Load sections with valid checksums and any contents, as an attacker or a broken writer
// may make them. Loading and searching must end in an answer or in one of our errors.
func FuzzLoad(f *testing.F) {
	w := func(values []uint64) (design, list, low, high, directory []byte) {
		_, data := reload(f, values, newDesign(f, [3]int{16, 4, 1}), 1)
		file, err := section.Parse("", data)
		if err != nil {
			f.Fatal(err)
		}
		get := func(name string) (b []byte) {
			if file.Has(name) {
				b = slices.Clone(file.Bytes(name))
			}
			return b
		}
		return get(sectionDesign), get(sectionValues), get(sectionLow(1)), get(sectionHigh(1)), get(sectionDirectory(1))
	}
	design, list, low, high, directory := w([]uint64{1, 2, 0x300, 0xffff})
	f.Add(design, list, low, high, directory, uint64(3), uint8(3))
	f.Fuzz(func(t *testing.T, design, list, low, high, directory []byte, q uint64, k uint8) {
		searchLoaded(t, q, k, func(put func(name string, b []byte)) {
			put(sectionDesign, design)
			put(sectionValues, list)
			for i := range 4 {
				put(sectionDirectory(i), directory)
				put(sectionLow(i), low)
				put(sectionMid(i), high[:len(high)/2])
				put(sectionHigh(i), high)
			}
		})
	})
}

// FuzzLoadDense is FuzzLoad of dense tables.
func FuzzLoadDense(f *testing.F) {
	_, data := reload(f, []uint64{1, 2, 0x300, 0xffff, 0xabcde, 0xabcdf}, newDense(f, [3]int{44, 4, 1}, 12), 1)
	file, err := section.Parse("", data)
	if err != nil {
		f.Fatal(err)
	}
	get := func(name string) []byte {
		b := file.Bytes(name)
		return slices.Clone(b)
	}
	f.Add(get(sectionDesign), get(sectionSlots), get(sectionValues), get(sectionDirectory(1)), get(sectionLow(1)), get(sectionNext(1)), get(sectionSlotsOf(1)), uint64(3), uint8(3))
	f.Fuzz(func(t *testing.T, design, bits, list, directory, low, next, slots []byte, q uint64, k uint8) {
		searchLoaded(t, q, k, func(put func(name string, b []byte)) {
			put(sectionDesign, design)
			put(sectionSlots, bits)
			put(sectionValues, list)
			for i := range 4 {
				put(sectionDirectory(i), directory)
				put(sectionLow(i), low)
				put(sectionNext(i), next)
				put(sectionSlotsOf(i), slots)
			}
		})
	})
}

// searchLoaded loads tables from the sections that write puts, and searches and checks them. It fails if an error is
// not section.ErrCorrupt.
func searchLoaded(t *testing.T, q uint64, k uint8, write func(put func(name string, b []byte))) {
	t.Helper()
	var buf bytes.Buffer
	sw := section.NewWriter(&buf)
	write(func(name string, b []byte) {
		sw.Begin(name)
		_, _ = sw.Write(b)
	})
	if _, _, err := sw.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := section.Parse("", buf.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var tb *Tables
	err = section.DamageOf(func() { tb = Load(file) })
	if err == nil {
		k := min(int(k), hamming.MaxBits)
		forceTables(tb, k)
		width := tb.Design().Width()
		_ = section.DamageOf(func() { _ = tb.Check() })
		err = section.DamageOf(func() { _, _ = tb.Near(nil, q&lowBits(width), k) })
		_ = section.DamageOf(func() {
			_ = tb.NearBatch([]uint64{q & lowBits(width)}, k, func(int, []hamming.Match) error { return nil })
		})
		_ = Salvage(file)
	}
	if err != nil && !errors.Is(err, section.ErrCorrupt) {
		t.Fatalf("an error of no class: %v", err)
	}
}
