package truth

import (
	"fmt"
	"math"
)

// Demands are the least precision and recall that a recommendation must have; 0 demands nothing.
type Demands struct {
	Precision, Recall float64
}

// String returns what is demanded in words.
func (d Demands) String() string {
	switch {
	case d.Recall == 0:
		return fmt.Sprintf("a precision of at least %.2f", d.Precision)
	case d.Precision == 0:
		return fmt.Sprintf("a recall of at least %.2f", d.Recall)
	}
	return fmt.Sprintf("a precision of at least %.2f and a recall of at least %.2f", d.Precision, d.Recall)
}

// A Ladder counts the pairs that searches find, from the narrowest level to the widest: distances of 0, 1, … bits,
// or similarities of 0.9, 0.8, … A level has the pairs of all levels below it. It cannot be better than a lower
// one if it has so many pairs that its F1 were smaller even if all pairs near in truth were among them. So a search
// of wide levels ends early in a collection whose texts have much in common, where it would list nearly all pairs.
//
// More pairs raise F1 if, and only if, more than a share of F1/2 of them is near. The wider a level is, the fewer of
// the pairs that it adds are near. So once too few are, wider levels are not searched.
type Ladder struct {
	wanted Demands
	Near   int     // pairs that are near in truth
	Judged []Found // pairs that were found, of the levels that are left
	Found  []int   // of each level, without lower ones
	Right  []int   // those of them that are near
	Done   int     // number of levels whose search has ended
	top    int     // levels from here on are given up
	all    int     // sum of found below top
	most   int     // levels with more pairs are given up
	best   float64 // F1 of the best level that is done and reaches what is wanted
}

// A Found is a judged pair that is found from a level on.
type Found struct {
	A, B  uint32
	Level uint8
	Near  bool
}

// MaxJudged limits the number of pairs of a ladder, in 12 bytes each.
const MaxJudged = 1 << 24

// NewLadder returns a ladder of so many levels. Levels with more than most pairs are given up.
func NewLadder(levels, near, most int, wanted Demands) *Ladder {
	return &Ladder{wanted: wanted, Near: near, most: most, Found: make([]int, levels), Right: make([]int, levels), top: levels}
}

// Add counts a judged pair. It returns false if the search can end, since no level that it is for will be the best.
func (l *Ladder) Add(p Found) bool {
	at := int(p.Level)
	if at < l.Done || at >= l.top {
		return l.top > l.Done // an earlier search has found it, or no one wants it
	}
	l.Found[at]++
	if p.Near {
		l.Right[at]++
	}
	l.Judged = append(l.Judged, p)
	l.all++
	for l.top > l.Done && !l.hopeful(l.all) {
		l.top--
		l.all -= l.Found[l.top]
	}
	return l.top > l.Done
}

// hopeful reports whether a level with so many pairs can be better than the best one that is done.
func (l *Ladder) hopeful(found int) bool {
	if found > l.most {
		return false
	}
	return float64(2*l.Near) > l.best*float64(l.Near+found) && float64(l.Near) >= l.wanted.Precision*float64(found)
}

// Finish says that the search of all levels below upTo has ended. It returns false if wider ones need no search.
func (l *Ladder) Finish(upTo int) bool {
	l.Done = min(upTo, l.top)
	kept := l.Judged[:0]
	for _, p := range l.Judged {
		if int(p.Level) < l.Done {
			kept = append(kept, p)
		}
	}
	l.Judged = kept
	found, right := 0, 0
	for level := range l.Done {
		found, right = found+l.Found[level], right+l.Right[level]
		p, r := NewRate(right, found).Share, NewRate(right, l.Near).Share
		if p >= l.wanted.Precision && r >= l.wanted.Recall {
			l.best = math.Max(l.best, F1(p, r))
		}
	}
	l.all = found
	return l.Done > 0 && l.Done < len(l.Found) && l.Done == upTo && l.hopeful(found) && l.rising()
}

// fewAdded is the least number of pairs that a level adds, of which the share that is near says something.
const fewAdded = 10

// rising reports whether the last level that is done adds pairs that raise F1, or too few to tell. Until a recall that
// is wanted is reached, what a level adds does not count.
func (l *Ladder) rising() bool {
	last := l.Done - 1
	unreached := l.best == 0 && l.wanted.Recall > 0
	return unreached || l.Found[last] < fewAdded || float64(2*l.Right[last]) > l.best*float64(l.Found[last])
}
