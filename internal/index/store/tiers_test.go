package store

import (
	"fmt"
	"slices"
	"testing"

	"simsearch/internal/index/segment"
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
		if from, to := mergeable(tt.of, 1<<60, func(int) int64 { return 1 }); from != tt.from || to != tt.to {
			t.Errorf("%s: [%d, %d), want [%d, %d)", fmt.Sprint(tt.of), from, to, tt.from, tt.to)
		}
	}
}

// Small additions to a large index, or to none, are written again a few times each, and the large segment is not.
// There are few segments at any time.
func TestMergesOfSmallAdditions(t *testing.T) {
	for _, tt := range []struct{ large, each uint64 }{{0, 4 << 10}, {1 << 30, 4 << 10}, {1 << 30, 300 << 10}, {64 << 20, 2 << 20}} {
		var segments []segment.Ref
		if tt.large > 0 {
			segments = []segment.Ref{{Documents: tt.large, Bytes: tt.large}}
		}
		added, written, most := uint64(0), uint64(0), 0
		for range 3000 {
			segments = append(segments, segment.Ref{Documents: 1, Bytes: tt.each})
			added += tt.each
			for {
				from, to := mergeable(segments, 1<<60, func(int) int64 { return 1 })
				if to == 0 {
					break
				}
				merged := segment.Ref{}
				for _, s := range segments[from:to] {
					merged.Documents, merged.Bytes = merged.Documents+s.Documents, merged.Bytes+s.Bytes
				}
				written += merged.Bytes
				segments = slices.Replace(segments, from, to, merged)
			}
			most = max(most, len(segments))
		}
		if ratio := float64(written) / float64(added+tt.large); ratio > 50 || most > MostSegments {
			t.Errorf("%d bytes, and %d at a time: %.1f times the bytes are written again, %d segments", tt.large, tt.each, ratio, most)
		} else {
			t.Logf("%d bytes, and %d at a time: %.1f times the bytes are written again, %d segments", tt.large, tt.each, ratio, most)
		}
	}
}
