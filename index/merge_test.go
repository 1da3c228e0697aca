package index

import (
	"fmt"
	"testing"

	"simsearch/internal/segment"
)

// Neighbours of about one size are merged, and large segments only when there are many.
func TestMergeable(t *testing.T) {
	const mib, gib = 1 << 20, 1 << 30
	segments := func(sizes ...uint64) (refs []segment.Ref) {
		for _, size := range sizes {
			refs = append(refs, segment.Ref{Bytes: size, Documents: 10})
		}
		return refs
	}
	half := segments(mib, mib)
	half[1].Deleted = &segment.DeletedRef{Documents: 6}
	many := make([]uint64, 11)
	for i := range many {
		many[i] = 3*gib - uint64(i)
	}
	for _, tt := range []struct {
		of       []segment.Ref
		from, to int
	}{
		{nil, 0, 0},
		{segments(mib, mib, mib), 0, 0},
		{segments(mib, mib, mib, mib), 0, 4},
		{segments(gib, mib, mib, mib, mib), 1, 5},
		{segments(gib, gib, gib, gib), 0, 4},
		{segments(3*gib, 3*gib, 3*gib, 3*gib, 3*gib), 0, 0},
		{segments(3*gib, mib, mib, mib, 3*gib, mib), 0, 0},
		{half, 1, 2},
		{segments(many...), 7, 11},
	} {
		if from, to := mergeable(tt.of); from != tt.from || to != tt.to {
			t.Errorf("%s: [%d, %d), want [%d, %d)", fmt.Sprint(tt.of), from, to, tt.from, tt.to)
		}
	}
}
