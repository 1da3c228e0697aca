package segment

import (
	"bytes"
	"fmt"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/tests/testkit"
)

// Texts are in fast blocks first, and in dense ones once segments are merged, where they are the same texts and take
// less.
func TestBlocksBecomeDense(t *testing.T) {
	const n = 4000
	words, texts := testkit.NewWords(1), make([][]byte, n)
	for i := range texts {
		texts[i] = []byte(words.Text(i * i % 300))
	}
	text := func(i int) []byte { return texts[i] }
	layout := Layout{Bits: 64, Texts: true}
	written := func(name string, add func(b *Builder)) *Segment {
		t.Helper()
		dir := t.TempDir()
		b := NewBuilder(disk.OS, dir, layout, 0)
		add(b)
		ref, err := b.Write(t.Context(), disk.OS, dir, name, WriteOptions{Distance: 3})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(disk.OS, dir, ref, layout, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	// check returns the number of bytes of all blocks, and whether one is in the fast form.
	check := func(s *Segment) (size int, fast bool) {
		t.Helper()
		for i := range n {
			if k := s.Text(uint32(i)); !bytes.Equal(k.Text, text(i)) {
				t.Fatalf("text %d is %.50q", i, k.Text)
			}
		}
		for i := range uint64(s.texts.blocks.ends.Len()) {
			block := s.texts.blocks.at(i)
			size, fast = size+len(block), fast || block[0] == fastForm
		}
		return size, fast
	}
	first := written("first", func(b *Builder) {
		p := Pack(n, false, func(i int) Kept { return Kept{Text: text(i)} })
		for i := range n {
			b.Add(&Document{ID: fmt.Appendf(nil, "%d", i), HasFingerprint: true, Fingerprint: uint64(i), Texts: p, Number: i})
		}
	})
	size, fast := check(first)
	if !fast {
		t.Error("no block is in the fast form")
	}
	merged := written("merged", func(b *Builder) {
		if err := b.AddSegment(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	})
	if !first.Loose() || merged.Loose() {
		t.Errorf("Loose: %v, and %v once merged", first.Loose(), merged.Loose())
	}
	if dense, fast := check(merged); fast || dense >= size {
		t.Errorf("merged: a block is in the fast form: %v; %d bytes, %d before", fast, dense, size)
	}
}

// A block whose bytes are damaged is an error, or another text, and takes no memory beyond its size.
func TestDamagedBlocks(t *testing.T) {
	raw := []byte(testkit.NewWords(1).Text(2000))
	for _, dense := range []bool{false, true} {
		e := beginBlock()
		block := bytes.Clone(e.compress(raw, dense))
		if got, err := unpack(block); err != nil || !bytes.Equal(got, raw) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		for at := range block {
			bad := bytes.Clone(block)
			bad[at] ^= 0x55
			if got, err := unpack(bad); err == nil && len(got) > len(raw) {
				t.Errorf("dense %v: with byte %d changed, %d bytes", dense, at, len(got))
			}
		}
	}
	e := beginBlock()
	same := make([]byte, 2*fastest*blockBytes)
	if got, err := unpack(e.compress(same, false)); err != nil || !bytes.Equal(got, same) || e.packed[0] == fastForm {
		t.Errorf("zeros are a block of form %d: %d bytes, %v", e.packed[0], len(got), err)
	}
	for _, bad := range [][]byte{{fastForm}, {fastForm, 0xff, 0xff, 0xff, 0xff, 0x0f, 0}, {2, 1, 0, 'x'}, {fastForm, 3, 0}} {
		if got, err := unpack(bad); err == nil {
			t.Errorf("%x is a block of %d bytes", bad, len(got))
		}
	}
}
