package index

import (
	"fmt"
	"slices"
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/preprocess"
)

// Documents exactly at the threshold are near, by Pairs and by Near. At a threshold just above
// they are not.
func TestTheThresholdIsIncluded(t *testing.T) {
	t.Parallel()
	const each = 20
	for _, tt := range []struct {
		common, more int // words of both texts, and words of only one
		threshold    float64
	}{{3, 1, 0.75}, {1, 1, 0.5}, {4, 1, 0.8}, {9, 1, 0.9}} {
		var texts []string
		for i := range each {
			text := ""
			for w := range tt.common {
				text += fmt.Sprintf("p%dw%d ", i, w)
			}
			texts = append(texts, text)
			for w := range tt.more {
				text += fmt.Sprintf("p%dx%d ", i, w)
			}
			texts = append(texts, text)
		}
		s := minHash(analysis.MinHash)
		s.Features, s.SetFeatures = preprocess.FeatureSpec{}, preprocess.FeatureSpec{}
		dir := t.TempDir()
		addWith(t, dir, s, WriterOptions{Search: analysis.Search{Planned: tt.threshold}}, numbered(texts, 0))
		ix := mustOpen(t, dir)
		for _, at := range []bool{true, false} {
			c := Similar(tt.threshold)
			if !at {
				c = Similar(tt.threshold + 1e-9)
			}
			pairs := similarPairs(t, ix, c, PairOptions{Threads: 1})
			near := nearPairs(t, ix, texts, c)
			for how, got := range map[string][]Pair{"pairs": pairs, "near": near} {
				got = slices.DeleteFunc(got, func(p Pair) bool { return p.A%2 != 0 || p.B != p.A+1 || p.Value != tt.threshold })
				if at && len(got) < each*4/5 || !at && len(got) > 0 {
					t.Errorf("%s at %v: %d pairs of %d, %d of them of a similarity of %v", how, c.Threshold, len(got), each, len(got), tt.threshold)
				}
			}
		}
	}
}
