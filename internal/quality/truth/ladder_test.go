package truth

import (
	"slices"
	"testing"
)

// A pair counts once, at its level, though every search finds those of lower levels again. Levels with too many pairs
// are given up.
func TestLadder(t *testing.T) {
	pairs := []Found{{0, 1, 0, true}, {0, 2, 1, true}, {1, 2, 1, false}, {0, 3, 2, true}}
	l := NewLadder(3, 3, 4, Demands{})
	for upTo := 1; upTo <= 3; upTo++ {
		for _, p := range pairs {
			if int(p.Level) < upTo && !l.Add(p) {
				t.Errorf("up to level %d: no more pairs than %v", upTo, l.Judged)
			}
		}
		if goOn := l.Finish(upTo); goOn != (upTo < 3) {
			t.Errorf("up to level %d: go on: %v", upTo, goOn)
		}
	}
	if !slices.Equal(l.Found, []int{1, 2, 1}) || !slices.Equal(l.Right, []int{1, 1, 1}) || !slices.Equal(l.Judged, pairs) {
		t.Errorf("found %v, right %v, judged %v", l.Found, l.Right, l.Judged)
	}
	l = NewLadder(3, 3, 2, Demands{})
	for _, p := range pairs {
		l.Add(p)
	}
	if goOn := l.Finish(3); goOn || l.Done != 1 || !slices.Equal(l.Judged, pairs[:1]) {
		t.Errorf("two pairs at most: go on: %v, %d levels, %v", goOn, l.Done, l.Judged)
	}
}
