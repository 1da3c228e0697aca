package index

import (
	"slices"
	"testing"

	"simsearch/internal/segment"
)

// Small additions to a large index, or to none, are written again a few times each, and the large segment is not. There are
// few segments at any time.
func TestMergeable(t *testing.T) {
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
				from, to := mergeable(segments)
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
		if ratio := float64(written) / float64(added+tt.large); ratio > 50 || most > mostSegments {
			t.Errorf("%d bytes, and %d at a time: %.1f times the bytes are written again, %d segments", tt.large, tt.each, ratio, most)
		} else {
			t.Logf("%d bytes, and %d at a time: %.1f times the bytes are written again, %d segments", tt.large, tt.each, ratio, most)
		}
	}
}
