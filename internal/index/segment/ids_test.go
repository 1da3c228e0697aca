package segment

import (
	"fmt"
	"maps"
	"testing"

	"simsearch/internal/ground/disk"
)

// EachStored finds what FindStored finds of each id, few or many.
func TestEachStored(t *testing.T) {
	fsys := disk.NewMemory()
	id := func(i int) *Document { return &Document{ID: fmt.Appendf(nil, "id%d", i)} }
	b := NewBuilder(fsys, ".", Layout{}, 0)
	for i := range 3000 {
		b.Add(id(i))
	}
	ref, err := b.Write(t.Context(), fsys, ".", "segment", WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(fsys, ".", ref, Layout{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for _, n := range []int{0, 1, 10, 2000} {
		asked := NewBuilder(fsys, ".", Layout{}, 0)
		want := map[uint32]bool{}
		for i := range n {
			d := id(2990 - i*7%5000)
			asked.Add(d)
			if doc, ok := s.FindStored(d.ID, HashID(d.ID)); ok {
				want[doc] = true
			}
		}
		got := map[uint32]bool{}
		s.EachStored(asked, func(doc uint32) { got[doc] = true })
		if !maps.Equal(got, want) || n > 0 && len(got) == 0 {
			t.Errorf("%d of %d ids are found, want %d", len(got), n, len(want))
		}
	}
}
