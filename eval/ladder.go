package eval

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

// A ladder counts the pairs that searches find, from the narrowest level to the widest: distances of 0, 1, … bits,
// or similarities of 0.9, 0.8, … A level has the pairs of all levels below it. It cannot be better than a lower
// one if it has so many pairs that its F1 were smaller even if all pairs near in truth were among them. So a search
// of wide levels ends early in a collection whose texts have much in common, where it would list nearly all pairs.
//
// More pairs raise F1 if, and only if, more than a share of F1/2 of them is near. The wider a level is, the fewer of
// the pairs that it adds are near. So once too few are, wider levels are not searched.
type ladder struct {
	wanted Demands
	near   int         // pairs that are near in truth
	judged []foundPair // pairs that were found, of the levels that are left
	found  []int       // of each level, without lower ones
	right  []int       // those of them that are near
	done   int         // number of levels whose search has ended
	top    int         // levels from here on are given up
	all    int         // sum of found below top
	most   int         // levels with more pairs are given up
	best   float64     // F1 of the best level that is done and reaches what is wanted
}

// A foundPair is a judged pair that is found from a level on.
type foundPair struct {
	a, b  uint32
	level uint8
	near  bool
}

// maxJudged limits the number of pairs of a ladder, in 12 bytes each.
const maxJudged = 1 << 24

func newLadder(levels, near, most int, wanted Demands) *ladder {
	return &ladder{wanted: wanted, near: near, most: most, found: make([]int, levels), right: make([]int, levels), top: levels}
}

// add counts a judged pair. It returns false if the search can end, since no level that it is for will be the best.
func (l *ladder) add(p foundPair) bool {
	at := int(p.level)
	if at < l.done || at >= l.top {
		return l.top > l.done // an earlier search has found it, or no one wants it
	}
	l.found[at]++
	if p.near {
		l.right[at]++
	}
	l.judged = append(l.judged, p)
	l.all++
	for l.top > l.done && !l.hopeful(l.all) {
		l.top--
		l.all -= l.found[l.top]
	}
	return l.top > l.done
}

// hopeful reports whether a level with so many pairs can be better than the best one that is done.
func (l *ladder) hopeful(found int) bool {
	if found > l.most {
		return false
	}
	return float64(2*l.near) > l.best*float64(l.near+found) && float64(l.near) >= l.wanted.Precision*float64(found)
}

// finish says that the search of all levels below upTo has ended. It returns false if wider ones need no search.
func (l *ladder) finish(upTo int) bool {
	l.done = min(upTo, l.top)
	kept := l.judged[:0]
	for _, p := range l.judged {
		if int(p.level) < l.done {
			kept = append(kept, p)
		}
	}
	l.judged = kept
	found, right := 0, 0
	for level := range l.done {
		found, right = found+l.found[level], right+l.right[level]
		p, r := share(right, found), share(right, l.near)
		if p >= l.wanted.Precision && r >= l.wanted.Recall {
			l.best = math.Max(l.best, F1(p, r))
		}
	}
	l.all = found
	return l.done > 0 && l.done < len(l.found) && l.done == upTo && l.hopeful(found) && l.rising()
}

// fewAdded is the least number of pairs that a level adds, of which the share that is near says something.
const fewAdded = 10

// rising reports whether the last level that is done adds pairs that raise F1, or too few to tell.
func (l *ladder) rising() bool {
	last := l.done - 1
	return l.found[last] < fewAdded || float64(2*l.right[last]) > l.best*float64(l.found[last])
}

func share(hits, trials int) float64 {
	if trials == 0 {
		return 0
	}
	return float64(hits) / float64(trials)
}
