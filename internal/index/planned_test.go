package index

import (
	"testing"

	"simsearch/internal/features/analysis"
	"simsearch/internal/match/lsh"
)

// A new index stores the similarity that it is planned for. What is added later goes by them.
func TestStoredPlan(t *testing.T) {
	t.Parallel()
	texts := nearTexts(60)
	s := minHash(analysis.Both)
	for _, o := range []analysis.Search{
		{Planned: 0.5},
		{Planned: 0.5, Recall: 0.9},
		{Planned: 0.6},
		{},
	} {
		dir := t.TempDir()
		addWith(t, dir, s, WriterOptions{Search: o}, numbered(texts[:30], 0))
		addWith(t, dir, s, WriterOptions{}, numbered(texts[30:], 30))
		ix := mustOpen(t, dir)
		search := ix.Search()
		if search.Planned != o.Planned {
			t.Errorf("%+v: stored is %+v", o, search)
		}
		planned := o.Planned
		if planned == 0 {
			planned = DefaultThreshold
		}
		var bands []lsh.Bands
		for _, seg := range ix.segments {
			if got := seg.Sets().Coded().Plan().Threshold; got != planned {
				t.Errorf("%+v: a segment is planned for %v", o, got)
			}
			bands = append(bands, seg.Bands().Bands())
		}
		if bands[0] != bands[1] {
			t.Errorf("%+v: the bands of the segments are %v", o, bands)
		}
	}
	for _, search := range []analysis.Search{{Planned: 1.5}, {Planned: -1}} {
		if search.Check(s) == nil {
			t.Errorf("%+v passes", search)
		}
	}
	if (analysis.Search{Planned: 0.5}).Check(analysis.Classic()) == nil {
		t.Error("fingerprints are planned for a similarity of sets")
	}
}
