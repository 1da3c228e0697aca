package section

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"simsearch/internal/ground/disk"
)

// numbers returns a file of two sections. The second has the integers 0 to n-1.
func numbers(t testing.TB, n int) []byte {
	t.Helper()
	xs := make([]uint32, n)
	for i := range xs {
		xs[i] = uint32(i)
	}
	var buf bytes.Buffer
	w := NewWriter(&buf)
	w.Begin("before")
	w.Uint32s([]uint32{1})
	w.Begin("numbers")
	w.Uint32s(xs)
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

const sectionAt = 128 // where numbers begins

func loadNumbers(t testing.TB, data []byte, n int) (*File, Array[uint32]) {
	t.Helper()
	f, err := Parse("", data)
	if err != nil {
		t.Fatal(err)
	}
	a := Integers[uint32](f, "numbers", uint64(n))
	return f, a
}

// An element is read as it was written, or there is an error that names the place of the damage. Elements
// of other blocks are read as before.
func TestDamageIsFoundWhereItIsUsed(t *testing.T) {
	const n, perBlock = 3*BlockSize/4 + 5, BlockSize / 4
	good := numbers(t, n)
	for _, at := range []int{0, 1, perBlock - 1, perBlock, 2*perBlock + 77, 3*perBlock - 1, 3 * perBlock, n - 1} {
		data := slices.Clone(good)
		data[sectionAt+4*at+2] ^= 0x10
		_, a := loadNumbers(t, data, n)
		want := fmt.Sprintf("section numbers at offset %d:", sectionAt+at/perBlock*BlockSize)
		found := 0
		for i := range uint64(n) {
			x := uint32(0)
			err := DamageOf(func() { x = a.At(i) })
			damaged := int(i)/perBlock == at/perBlock
			switch {
			case damaged && (!errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), want)):
				t.Fatalf("element %d, damage at %d: %d, %v, want an error at %q", i, at, x, err, want)
			case !damaged && (err != nil || x != uint32(i)):
				t.Fatalf("element %d, damage at %d: %d, %v", i, at, x, err)
			case damaged:
				found++
			}
		}
		if found == 0 || a.Guard.Whole() {
			t.Errorf("damage at %d is not found", at)
		}
		for _, r := range [][2]uint64{{0, n}, {uint64(at), uint64(at) + 1}, {uint64(at) - min(uint64(at), 1), uint64(at) + 1}} {
			if err := DamageOf(func() { a.Range(r[0], r[1]) }); !errors.Is(err, ErrCorrupt) {
				t.Errorf("damage at %d is not found among [%d, %d): %v", at, r[0], r[1], err)
			}
		}
		_, a = loadNumbers(t, data, n)
		walk := a.Walk()
		if err := DamageOf(func() { walk.Next(n) }); !errors.Is(err, ErrCorrupt) {
			t.Errorf("damage at %d is not found on the way: %v", at, err)
		}
	}
}

// The padding belongs to the last block.
func TestDamagedPadding(t *testing.T) {
	for _, n := range []int{1, BlockSize / 4, BlockSize/4 + 1} {
		data := numbers(t, n)
		if pad(uint64(4*n)) == 0 {
			continue
		}
		data[sectionAt+4*n] ^= 1
		_, a := loadNumbers(t, data, n)
		if err := DamageOf(func() { a.At(uint64(n) - 1) }); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d elements: %v", n, err)
		}
	}
}

// A section is whole as soon as all of its blocks have been checked, in any order and by any number of
// goroutines, and not before. Then only Verify looks at its blocks again.
func TestWhole(t *testing.T) {
	const n = 200*BlockSize/4 + 1
	data := numbers(t, n)
	f, a := loadNumbers(t, data, n)
	if a.Guard.Whole() {
		t.Fatal("nothing has been checked")
	}
	data[sectionAt+4*(n-1)] ^= 1 // so that the last block is not checked unasked
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := worker % 2; i < 200; i += 1 + worker%2 {
				a.Check(uint64(i*BlockSize/4), uint64(i*BlockSize/4+1))
			}
		})
	}
	wg.Wait()
	if a.Guard.Whole() {
		t.Fatal("the last block has not been checked")
	}
	data[sectionAt+4*(n-1)] ^= 1
	if a.Check(n-1, n+1000); !a.Guard.Whole() {
		t.Fatal("all has been checked")
	}
	data[sectionAt] ^= 1
	a.Guard.CheckAll()
	if err := f.Verify(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Verify: %v", err)
	}
	data[sectionAt] ^= 1
	f, a = loadNumbers(t, data, n)
	if err := f.Verify(); err != nil || !a.Guard.Whole() {
		t.Errorf("Verify leaves work: %v", err)
	}
}

// When a 32nd of the blocks has been used, and a few more, the others are checked, too, so that the section becomes
// whole.
func TestTheRestIsChecked(t *testing.T) {
	const n, perBlock = 320 * BlockSize / 4, BlockSize / 4
	_, a := loadNumbers(t, numbers(t, n), n)
	for i := range uint64(320) {
		if a.Guard.Whole() != (i >= 14) {
			t.Fatalf("after %d of 320 blocks, whole is %v", i, a.Guard.Whole())
		}
		a.Check(i*perBlock, i*perBlock+1)
	}
}

// Checksums that lie in the file are checked, too: no block is used by a damaged one, wherever the damage is. For
// repair, a block is sound that has the checksum that is stored.
func TestDamagedChecksums(t *testing.T) {
	const n, perBlock = 5000 * BlockSize / 4, BlockSize / 4
	good := numbers(t, n)
	sumsAt := sectionAt + 4*n
	for _, block := range []uint64{0, 1, 1023, 1024, 4999} {
		data := slices.Clone(good)
		data[sumsAt+4*int(block)+1] ^= 8
		f, a := loadNumbers(t, data, n)
		for i := range uint64(5000) {
			if err := DamageOf(func() { a.At(i * perBlock) }); (err != nil) != (i/1024 == block/1024) || err != nil && !errors.Is(err, ErrCorrupt) {
				t.Fatalf("damage of checksum %d: block %d: %v", block, i, err)
			}
		}
		if err := f.Verify(); !errors.Is(err, ErrCorrupt) {
			t.Errorf("damage of checksum %d: Verify: %v", block, err)
		}
		var damages []string
		f.Damages(func(err error) { damages = append(damages, err.Error()) })
		if len(damages) != 2 || !strings.Contains(damages[0], fmt.Sprintf("offset %d:", sumsAt+int(block)/1024*4096)) ||
			!strings.Contains(damages[1], fmt.Sprintf("offset %d:", sectionAt+BlockSize*int(block))) {
			t.Errorf("damage of checksum %d: %q", block, damages)
		}
		f, a = loadNumbers(t, data, n)
		f.TrustBlocks()
		for i := range uint64(5000) {
			if err := DamageOf(func() { a.At(i * perBlock) }); (err != nil) != (i == block) {
				t.Fatalf("damage of checksum %d, for repair: block %d: %v", block, i, err)
			}
		}
	}
}

// What is told how a file is read hears of a section once, when many blocks have been used, or are asked for at once.
func TestReadingIsForeseen(t *testing.T) {
	const n = 5000 * BlockSize / 4
	data := numbers(t, n)
	for name, all := range map[string]bool{"one by one": false, "all at once": true} {
		f, a := loadNumbers(t, data, n)
		var told []int
		f.Expect(func(p []byte, access disk.Access) {
			if access != disk.Whole {
				t.Errorf("%s: access %d", name, access)
			}
			told = append(told, len(p))
		})
		for i := range uint64(5000) {
			want := all || i > 16+5000/256
			if i > 0 && (len(told) == 1) != want {
				t.Fatalf("%s: after %d blocks: told of %v", name, i, told)
			}
			if all {
				a.Guard.CheckAll()
			} else {
				a.Guard.Check(i*BlockSize, i*BlockSize+1)
			}
		}
		if len(told) != 1 || told[0] != 4*n {
			t.Errorf("%s: told of %v, want %d bytes", name, told, 4*n)
		}
	}
}

// Of a large file, what is told how it is read hears of long ranges and their checksums before they are checked, and
// of short ones that are expected. What nobody asks for is not checked.
func TestLargeFilesAreReadByPlaces(t *testing.T) {
	const n = 5000 * BlockSize / 4
	f, a := loadNumbers(t, numbers(t, n), n)
	told, sums, short := 0, 0, 0
	f.Expect(func(p []byte, access disk.Access) {
		switch {
		case access == disk.Soon && len(p) == 40*BlockSize:
			told++
		case access == disk.Soon && len(p) == 40*4:
			sums++
		case access == disk.Soon && len(p) == 1:
			short++
		default:
			t.Errorf("told of %d bytes, access %d", len(p), access)
		}
	})
	f.Large()
	for i := range uint64(100) {
		from, to := 50*i*BlockSize, 50*i*BlockSize+40*BlockSize
		if a.Check(from/4, to/4); told != int(i)+1 {
			t.Fatalf("range %d: told %d times", i, told)
		}
		a.Guard.Expect(from, to) // it has been checked
		if a.Check(from/4, from/4+1); told != int(i)+1 {
			t.Fatalf("range %d again: told %d times", i, told)
		}
	}
	if left := a.Guard.left.Load(); left != 1000 || sums == 0 || sums > 5 || short != 0 { // checksums lie in five blocks
		t.Errorf("%d blocks are left, want 1000; told of checksums %d times, of a byte %d times", left, sums, short)
	}
	if a.Guard.Expect(45*BlockSize, 45*BlockSize+1); short != 1 {
		t.Errorf("told of a byte %d times", short)
	}
	f.Expect(nil)
	if a.Guard.CheckAll(); !a.Guard.Whole() {
		t.Error("not all has been checked")
	}
}

// Bytes that have to be copied are checked before.
func TestUnalignedIsChecked(t *testing.T) {
	data := numbers(t, 20)
	data[sectionAt+7] ^= 1
	f, err := Parse("", append([]byte{0}, data...)[1:])
	if err != nil {
		t.Fatal(err)
	}
	if err := DamageOf(func() { Integers[uint32](f, "numbers", 20) }); !errors.Is(err, ErrCorrupt) {
		t.Errorf("copied: %v", err)
	}
}

func BenchmarkCheck(b *testing.B) {
	const n = 64 * BlockSize / 4
	data := numbers(b, n)
	b.Run("first", func(b *testing.B) {
		b.SetBytes(BlockSize)
		_, a := loadNumbers(b, data, n)
		for i := uint64(0); b.Loop(); i++ {
			if err := a.Guard.checkBlock(i % 64); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		_, a := loadNumbers(b, data, n)
		a.Check(0, n-BlockSize/4)
		for i := uint64(0); b.Loop(); i++ {
			a.Check(i%1024, i%1024+1)
		}
	})
	b.Run("whole", func(b *testing.B) {
		_, a := loadNumbers(b, data, n)
		a.Guard.CheckAll()
		for i := uint64(0); b.Loop(); i++ {
			a.Check(i%1024, i%1024+1)
		}
	})
}
