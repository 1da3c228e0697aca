package segment

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/section"
)

// numberedRows returns a builder of 20,000 documents whose ids are rows of two files, and one of the same documents,
// which is made to spell ids by a last id without a number.
func numberedRows(fsys disk.FS, from int) (rows, spelled *Builder) {
	const n = 20_000
	layout := Layout{Bits: 64}
	rows, spelled = NewBuilder(fsys, ".", layout, 0), NewBuilder(fsys, ".", layout, 0)
	for i := from; i < from+n; i++ {
		name := "a.u64:"
		if i%(2*n/3) < n/3 {
			name = "b.u64:"
		}
		d := &Document{ID: fmt.Append([]byte(name), i), HasFingerprint: true, Fingerprint: uint64(i) * 0x9e3779b97f4a7c15}
		rows.Add(d)
		spelled.Add(d)
	}
	spelled.Add(&Document{ID: []byte("last"), HasFingerprint: true, Fingerprint: 5})
	return rows, spelled
}

// written writes a segment and opens it.
func written(t *testing.T, fsys disk.FS, b *Builder, name string) (*Segment, Ref) {
	t.Helper()
	ref, err := b.Write(t.Context(), fsys, ".", name, WriteOptions{Distance: 3, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(fsys, ".", ref, Layout{Bits: 64}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, ref
}

// Segments whose ids are rows answer as those that spell the same ids, and take no bytes for them.
func TestRowsAnswerAsIDs(t *testing.T) {
	t.Parallel()
	fsys := disk.NewMemory()
	const n = 20_000
	rows, spelled := numberedRows(fsys, 7)
	numbers, rowsRef := written(t, fsys, rows, "rows")
	letters, spelledRef := written(t, fsys, spelled, "spelled")
	if numbers.ids.rows == nil || letters.ids.rows != nil {
		t.Fatalf("%+v and %+v", rowsRef, spelledRef)
	}
	if saved := spelledRef.Bytes - rowsRef.Bytes; saved < 28*n {
		t.Errorf("rows take %d bytes less for %d documents", saved, n)
	}
	for doc := range uint32(n) {
		want := letters.ID(doc)
		got := numbers.ID(doc)
		if !bytes.Equal(got, want) || !bytes.Equal(rows.ID(doc), want) {
			t.Fatalf("document %d is %q, want %q", doc, got, want)
		}
		if found, ok := numbers.Find(want); !ok || found != doc {
			t.Fatalf("%q is document %d, %v", want, found, ok)
		}
	}
	for _, id := range []string{"a.u64:6", "b.u64:20007", "last", "a.u64:", "c.u64:9", "a.u64:007"} {
		if doc, ok := numbers.Find([]byte(id)); ok {
			t.Errorf("%s is document %d", id, doc)
		}
	}

	later, laterSpelled := numberedRows(fsys, 7+n/2)
	for name, asked := range map[string]*Builder{"rows": later, "ids": laterSpelled} {
		var found [2][]uint32
		for i, s := range []*Segment{numbers, letters} {
			s.EachStored(asked, func(doc uint32) { found[i] = append(found[i], doc) })
			slices.Sort(found[i])
		}
		found[1] = slices.DeleteFunc(found[1], func(doc uint32) bool { return doc == n }) // "last"
		if len(found[0]) == 0 || !slices.Equal(found[0], found[1]) {
			t.Errorf("%s: %d documents are found by rows, %d by ids", name, len(found[0]), len(found[1]))
		}
		ids := asked.IDSet()
		for _, doc := range []uint32{0, n / 2, n - 1} {
			id := letters.ID(doc)
			_, stored := numbers.FindStored(id, HashID(id))
			if ids.Has(id) != slices.ContainsFunc(found[0], func(x uint32) bool { return x == doc }) || !stored {
				t.Errorf("%s: whether it has %s is %v", name, id, ids.Has(id))
			}
		}
		repeated := 0
		err := asked.Repeated(func(id []byte) (Identity, bool) {
			doc, ok := numbers.Find(id)
			if !ok {
				return Identity{}, false
			}
			return numbers.Identity(doc), true
		}, func(_ uint32, same, earlier bool) {
			if repeated++; !same || earlier {
				t.Error("another text, or an earlier document of the same builder")
			}
		})
		if err != nil || repeated != len(found[0]) {
			t.Errorf("%s: %d are repeated, want %d; %v", name, repeated, len(found[0]), err)
		}
	}

	laterNumbers, _ := written(t, fsys, later, "later")
	laterLetters, _ := written(t, fsys, laterSpelled, "later spelled")
	deleted := NewDeleted(n)
	for doc := uint32(0); doc < n; doc += 3 {
		deleted.Delete(doc)
	}
	var all []map[string]bool
	for _, pair := range [][2]*Segment{{numbers, laterNumbers}, {numbers, laterLetters}, {letters, laterNumbers}, {letters, laterLetters}} {
		shared := map[string]bool{}
		EachShared([]*Segment{pair[0].Less(deleted), pair[1]}, func(id []byte, _, _ *Segment) {
			if string(id) != "last" {
				shared[string(id)] = true
			}
		})
		if all = append(all, shared); len(shared) == 0 || !maps.Equal(shared, all[0]) {
			t.Errorf("%d ids are shared, want %d", len(shared), len(all[0]))
		}
	}

	merged := NewBuilder(fsys, ".", Layout{Bits: 64}, 0)
	if err := merged.AddSegment(t.Context(), numbers.Less(deleted)); err != nil {
		t.Fatal(err)
	}
	if merged.Len() != n-n/3-1 || merged.rows() != nil {
		t.Errorf("%d documents, and rows of which each third is missing are runs", merged.Len())
	}
	whole := NewBuilder(fsys, ".", Layout{Bits: 64}, 0)
	if err := whole.AddSegment(t.Context(), numbers); err != nil || whole.rows() == nil {
		t.Errorf("%v; rows are none after a merge", err)
	}
	if s, err := Examine(t.Context(), fsys, ".", rowsRef, Layout{Bits: 64}, func(err error) { t.Error(err) }); s == nil || err != nil {
		t.Errorf("%v, %v", s, err)
	} else {
		_ = s.Close()
	}
}

// A document that comes twice is found, though its ids are rows.
func TestRowsThatComeTwice(t *testing.T) {
	t.Parallel()
	fsys := disk.NewMemory()
	b, _ := numberedRows(fsys, 0)
	b.Add(&Document{ID: b.ID(17), HasFingerprint: true, Fingerprint: 1})
	var repeated []uint32
	err := b.Repeated(nil, func(doc uint32, same, earlier bool) {
		if repeated = append(repeated, doc); same || !earlier {
			t.Error("it has another fingerprint, and is of the same builder")
		}
	})
	if err != nil || !slices.Equal(repeated, []uint32{20_000}) {
		t.Fatalf("%v are repeated; %v", repeated, err)
	}
	drop := make([]bool, b.Len())
	drop[20_000] = true
	without, err := b.Without(drop)
	if err != nil {
		t.Fatal(err)
	}
	if s, ref := written(t, fsys, without, "without"); s.ids.rows == nil || s.Documents() != 20_000 {
		t.Errorf("%+v", ref)
	}
}

// Rows that are damaged in one place are read in the other. Damage in both is noticed.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b, _ := numberedRows(disk.OS, 0)
	ref, err := b.Write(t.Context(), disk.OS, dir, "segment", WriteOptions{Distance: 3, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	data, err := disk.OS.ReadFile(filepath.Join(dir, "segment"), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	encoded := b.rows().Encode(nil)
	first, last := bytes.Index(data, encoded), bytes.LastIndex(data, encoded)
	if first == last {
		t.Fatal("the rows stand in one place only")
	}
	for _, c := range []struct {
		at   []int
		fail bool
	}{{nil, false}, {[]int{first}, false}, {[]int{last}, false}, {[]int{first, last}, true}} {
		damaged := slices.Clone(data)
		for _, at := range c.at {
			damaged[at+1] ^= 4
		}
		fsys := disk.NewMemory()
		w, err := disk.CreateAtomic(fsys, "segment")
		if err == nil {
			_, err = w.Write(damaged)
		}
		if err = errors.Join(err, w.Commit()); err != nil {
			t.Fatal(err)
		}
		s, err := Open(fsys, ".", ref, Layout{Bits: 64}, 0)
		if c.fail != errors.Is(err, section.ErrCorrupt) {
			t.Errorf("damaged at %v: %v", c.at, err)
		}
		if err == nil {
			if id := s.ID(12_345); string(id) != string(b.ID(12_345)) {
				t.Errorf("damaged at %v: document 12345 is %q", c.at, id)
			}
			if verified := s.Verify(1); (verified == nil) != (c.at == nil) {
				t.Errorf("damaged at %v: verify says %v", c.at, verified)
			}
			_ = s.Close()
		}
	}
	if _, _, err := DecodeRows(encoded, MaxID); err != nil {
		t.Error(err)
	}
}

// Wide fingerprints are found by ids that are rows, too, and after a merge.
func TestRowsOfWideFingerprints(t *testing.T) {
	t.Parallel()
	fsys, layout := disk.NewMemory(), Layout{Bits: 256}
	const n = 20_000
	printOf := func(i uint64) (uint64, [3]uint64) { return i * 0x9e3779b97f4a7c15, [3]uint64{i, i * i, ^i} }
	b := NewBuilder(fsys, ".", layout, 0)
	for i := range uint64(n) {
		first, more := printOf(i)
		b.Add(&Document{ID: fmt.Appendf(nil, "p.u256:%d", i), HasFingerprint: true, Fingerprint: first, More: more})
	}
	for _, name := range []string{"once", "merged"} {
		ref, err := b.Write(t.Context(), fsys, ".", name, WriteOptions{Distance: 31, Threads: 1})
		if err != nil {
			t.Fatalf("%+v, %v", ref, err)
		}
		s, err := Open(fsys, ".", ref, layout, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(n) {
			first, more := printOf(i)
			doc, ok := s.Find(fmt.Appendf(nil, "p.u256:%d", i))
			if !ok || uint64(doc) != i {
				t.Fatalf("row %d is document %d, %v", i, doc, ok)
			}
			if s.Identity(doc) != b.Identity(uint32(i)) || b.prints.Held(int(i)) != first || b.more[i] != more {
				t.Fatalf("%s: document %d has another fingerprint", name, doc)
			}
		}
		again := NewBuilder(fsys, ".", layout, 0)
		if err := again.AddSegment(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if b = again; s.Close() != nil {
			t.Error("the segment is not closed")
		}
	}
}
