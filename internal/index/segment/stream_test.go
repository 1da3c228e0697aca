package segment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"simsearch/hamming"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/disk/disktest"
	"simsearch/internal/index/bulk"
	"simsearch/internal/tests/testkit"
)

// streamed adds n documents to builders, with rows for ids. Some are near or equal to others, and some have no
// fingerprint.
func streamed(n int, builders ...*Builder) (prints []uint64) {
	rng := rand.New(rand.NewPCG(36, 1))
	for i := range n {
		d := Document{ID: fmt.Appendf(nil, "p.u64:%d", i), HasFingerprint: rng.IntN(100) > 0, Fingerprint: rng.Uint64()}
		if i > 0 && rng.IntN(10) == 0 {
			d.Fingerprint = prints[rng.IntN(i)]
			for range rng.IntN(6) {
				d.Fingerprint ^= 1 << rng.IntN(64)
			}
		}
		prints = append(prints, d.Fingerprint)
		for _, b := range builders {
			b.Add(&d)
		}
	}
	return prints
}

// A segment that is written as a stream answers as the one that is not.
func TestStream(t *testing.T) {
	t.Parallel()
	for _, n := range []int{20_000, testkit.Of(0, leastTables+leastTables/8)} { // the second has dense tables
		if n == 0 {
			continue
		}
		layout := Layout{Bits: 64}
		fsys := disk.NewMemory()
		plain, stream := NewBuilder(fsys, ".", layout, 0), NewBuilder(fsys, ".", layout, 0)
		stream.Stream(1, 1)
		stream.prints = bulk.NewList(fsys, ".", 1000)
		prints := streamed(n, plain, stream)
		if err := stream.Flush(); err != nil || !stream.prints.InFile() {
			t.Fatalf("nothing is in a file; %v", err)
		}
		if m := stream.Memory(); m != int64(n)+1 || plain.Memory() < 100*int64(n) {
			t.Errorf("a stream of %d documents takes %d bytes, and otherwise %d", n, m, plain.Memory())
		}
		drop := make([]bool, n)
		for i := range drop {
			drop[i] = i%1000 == 7
		}
		plainWithout, err1 := plain.Without(drop)
		streamWithout, err2 := stream.Without(drop)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string][2]*Builder{"whole": {plain, stream}, "without": {plainWithout, streamWithout}} {
			want, _ := written(t, fsys, b[0], "plain-"+name)
			got, ref := written(t, fsys, b[1], "stream-"+name)
			if got.Tables().Design().IsDense() != (n > leastTables) || got.Documents() != want.Documents() {
				t.Fatalf("%s: %+v", name, ref)
			}
			examined, err := Examine(t.Context(), fsys, ".", ref, layout, func(err error) { t.Error(err) })
			if err != nil || examined == nil || examined.Close() != nil {
				t.Fatal(err)
			}
			alike(t, name, got, want)
			for i := range 200 {
				q := prints[i*len(prints)/200] ^ 1<<(i%64)
				for _, k := range []int{0, 1, 3, 5, 8} {
					a, errA := got.Near(nil, [4]uint64{q}, k, nil)
					b, errB := want.Near(nil, [4]uint64{q}, k, nil)
					if err := errors.Join(errA, errB); err != nil || !slices.Equal(a, b) {
						t.Fatalf("%s: %v within %d of %x, want %v; %v", name, a, k, q, b, err)
					}
					if scan := hamming.Scan(nil, want.Tables().Values(), q, k); len(a) != len(scan) {
						t.Fatalf("%s: %d within %d of %x, want %d", name, len(a), k, q, len(scan))
					}
				}
			}
			// Merging a stream with another segment.
			merged := NewBuilder(fsys, ".", layout, 0)
			if err := merged.AddSegment(t.Context(), got); err != nil {
				t.Fatal(err)
			}
			again, _ := written(t, fsys, merged, "merged-"+name)
			alike(t, name+", merged", again, want)
		}
		if err := stream.Close(); err != nil {
			t.Error(err)
		}
	}
}

// alike checks that segments have the same documents and groups.
func alike(t *testing.T, name string, got, want *Segment) {
	t.Helper()
	a, groupsA := got.EachGroup()
	b, groupsB := want.EachGroup()
	if !slices.Equal(a, b) {
		t.Fatalf("%s: other fingerprints", name)
	}
	members := map[uint32][]uint32{}
	for group, documents := range groupsB {
		members[group] = slices.Clone(documents)
	}
	for group, documents := range groupsA {
		if !slices.Equal(documents, members[group]) {
			t.Fatalf("%s: group %d has %v, want %v", name, group, documents, members[group])
		}
		delete(members, group)
	}
	if len(members) > 0 {
		t.Fatalf("%s: %d groups are missing", name, len(members))
	}
	if got.Empties() != want.Empties() || want.Empties() == 0 {
		t.Errorf("%s: %d empty, want %d", name, got.Empties(), want.Empties())
	}
	step := max(1, int(want.Documents())/5000)
	for doc := uint32(0); doc < uint32(want.Documents()); doc += uint32(step) {
		a, okA := got.Fingerprint(doc)
		b, okB := want.Fingerprint(doc)
		idA := got.ID(doc)
		idB := want.ID(doc)
		if okA != okB || okA && a != b || string(idA) != string(idB) {
			t.Fatalf("%s: document %d is %s, %x, %v, want %s, %x, %v", name, doc, idA, a, okA, idB, b, okB)
		}
	}
	var all []uint64
	for doc, fp := range want.Fingerprints() {
		all = append(all, uint64(doc), fp[0])
	}
	at := 0
	for doc, fp := range got.Fingerprints() {
		if at+2 > len(all) || all[at] != uint64(doc) || all[at+1] != fp[0] {
			t.Fatalf("%s: document %d has another fingerprint", name, doc)
		}
		at += 2
	}
	if at != len(all) {
		t.Errorf("%s: %d fingerprints, want %d", name, at/2, len(all)/2)
	}
}

// Whatever operation of the disk fails while a stream is written, the error says so, and the next try succeeds. A
// stream that is cancelled ends.
func TestStreamOnAFailingDisk(t *testing.T) {
	t.Parallel()
	layout := Layout{Bits: 64}
	for at := 0; ; at++ {
		ops, broken := 0, errors.New("the disk is broken")
		fsys := &disktest.FS{Base: disk.NewMemory(), Before: func(disktest.Op) (int, error) {
			if ops++; ops-1 == at {
				return 0, broken
			}
			return 0, nil
		}}
		b := NewBuilder(fsys, ".", layout, 0)
		b.Stream(1, 1)
		b.prints = bulk.NewList(fsys, ".", 100)
		streamed(3000, b)
		failed := b.Flush()
		if failed == nil {
			_, failed = b.Write(t.Context(), fsys, ".", "s", WriteOptions{Distance: 3, Threads: 2})
		}
		if failed == nil {
			if at < 10 {
				t.Errorf("%d operations", at)
			}
			break
		}
		if !errors.Is(failed, broken) {
			t.Fatalf("operation %d: %v", at, failed)
		}
		ref, err := b.Write(t.Context(), fsys, ".", "s", WriteOptions{Distance: 3, Threads: 2})
		if err != nil {
			t.Fatalf("operation %d: %v, and then %v", at, failed, err)
		}
		if s, err := Open(fsys, ".", ref, layout, 1<<30); err != nil || s.Documents() != 3000 {
			t.Fatalf("operation %d: %v", at, err)
		}
		_ = b.Close()
	}
	b := NewBuilder(disk.NewMemory(), ".", layout, 0)
	b.Stream(1, 1)
	streamed(3000, b)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if _, err := b.Write(ctx, disk.NewMemory(), ".", "s", WriteOptions{Distance: 3, Threads: 2}); !errors.Is(err, stop) {
		t.Errorf("%v, want %v", err, stop)
	}
}

// Fingerprint is Long for fingerprints of 64 bits.
func (s *Segment) Fingerprint(doc uint32) (fp uint64, ok bool) {
	all, ok := s.Long(doc)
	return all[0], ok
}
