package sequences

import (
	"math"
	"slices"
)

// An extension is the memory for extending cores.
type extension struct {
	row, other  []int32 // how many words of one text are reached on each diagonal, from the least one on
	lo          int     // the least diagonal
	room        []int32 // how many edits so many words may have
	left, right []end
	after       []int32 // of each number of words to the right, the best end with so many or more
}

// An end is the best place at which an extension by so many words of one text may end: the words of the other text,
// and the edits.
type end struct{ other, edits int32 }

const never = math.MaxInt32 / 2

// passageOf returns the passage of a core, if there is one, without its Edits.
func passageOf[T unit](e *extension, bounds Bounds, a, b []T, c core) (p Passage, ok bool) {
	q, of, ok := bestSpans(e, bounds, a, b, c)
	swapped, by, also := bestSpans(e, bounds, b, a, core{c.b, c.a, c.n})
	if also && (!ok || by > of) {
		q = Passage{Query: swapped.Document, Document: swapped.Query}
	}
	q.Words = max(q.Query[1]-q.Query[0], q.Document[1]-q.Document[0])
	return q, ok || also
}

// bestSpans returns the spans around a core with the highest score by the words of a, and with enough of them. Of
// several, it returns those with the fewest words of a, and then those that begin last. ok is false if the score is
// below 0.
func bestSpans[T unit](e *extension, bounds Bounds, a, b []T, c core) (p Passage, score int, ok bool) {
	share := bounds.share()
	e.right = extend(e, e.right[:0], bounds, a[c.a+c.n:], b[c.b+c.n:], 1)
	e.left = extend(e, e.left[:0], bounds, a[:c.a], b[:c.b], -1)
	worth := func(ends []end, n int) int { return share*n - scale*int(ends[n].edits) }
	e.after = slices.Grow(e.after[:0], len(e.right))[:len(e.right)]
	for n := len(e.right) - 1; n >= 0; n-- {
		e.after[n] = int32(n)
		if n+1 < len(e.right) && worth(e.right, int(e.after[n+1])) > worth(e.right, n) {
			e.after[n] = e.after[n+1]
		}
	}
	score, l, r := -1, 0, 0
	for n := range e.left {
		least := max(0, bounds.Words-c.n-n)
		if least >= len(e.right) {
			continue
		}
		m := int(e.after[least])
		s := share*c.n + worth(e.left, n) + worth(e.right, m)
		if s > score || s == score && n+m < l+r {
			score, l, r = s, n, m
		}
	}
	before, behind := &e.left[l], &e.right[r]
	return Passage{
		Query:    [2]int{c.a - l, c.a + c.n + r},
		Document: [2]int{c.b - int(before.other), c.b + c.n + int(behind.other)},
	}, score, score >= 0
}

// extend appends the best ends of extensions by 0, 1 and more words of a, from its beginning, or with step -1 from
// its end. Alignments whose score is below the floor are not followed.
//
// It goes from edit to edit instead of from word to word (Ukkonen 1985,
// https://doi.org/10.1016/S0019-9958(85)80046-2). Diagonal k has the places with k words more of b than of a. For
// each diagonal, it keeps the most words of a that an alignment with so many edits reaches. An edit that comes later
// is never worse, since the edits that the floor leaves room for do not become fewer with more words: their number
// grows by one word's share, and the best score by no more. For the same reason, an alignment that has no room for
// its next edit is given up, and so is one that another has overtaken on its diagonal.
func extend[T unit](e *extension, ends []end, bounds Bounds, a, b []T, step int) []end {
	share := bounds.share()
	deepest, fall := -2*share*bounds.Words, 3*share*bounds.Words // see Bounds.floor
	highest, covered := 0, -1
	e.room = append(e.room[:0], int32(-deepest/scale))
	reached := begin(e, a, b, step)
	for edits := int32(0); ; {
		// Each number of words that fewer edits do not reach ends on the diagonal that is nearest to the first one.
		for j := max(0, e.lo, -(e.lo + len(e.row) - 2*pad - 1)); covered < reached; j++ {
			for _, k := range [2]int{-j, j} {
				i := k - e.lo + pad
				if i < pad || i >= len(e.row)-pad {
					continue
				}
				for to := int(e.row[i]); covered < to; {
					covered++
					ends = append(ends, end{int32(covered + k), edits})
					highest = max(highest, share*covered-scale*int(edits))
					e.room = append(e.room, int32(min(never, (share*(covered+1)-max(highest-fall, deepest))/scale)))
				}
			}
		}
		if covered == len(a) {
			return ends
		}
		edits++
		to, more := edit(e, a, b, step, edits, false)
		if !more {
			return ends
		}
		reached = max(reached, to)
	}
}

// mayExtend reports whether a core may lie in spans that agree. It is extended once for both texts, by the words of
// the longer one. If two texts agree within the bounds, some parts of fewer than 2L words do, as filter says, and
// these have a core. So as many edits are enough as fewer than 2L words may have, and of two texts that have a
// passage, a core is said to have one.
func mayExtend[T unit](e *extension, bounds Bounds, a, b []T, c core) bool {
	share := bounds.share()
	most := share * (2*bounds.Words - 1) / scale // edits
	enough := func(words, edits int) bool { return words >= bounds.Words && share*words >= scale*edits }
	reach := e.after[:0] // of each number of edits to the right, the most words
	for step := 1; step >= -1; step -= 2 {
		x, y := a[c.a+c.n:], b[c.b+c.n:]
		if step < 0 {
			x, y = a[:c.a], b[:c.b]
		}
		reached, more := begin(e, x, y, step), true
		for edits := 0; ; {
			if step > 0 {
				reach = append(reach, int32(reached))
				if enough(c.n+reached, edits) {
					return true
				}
			} else {
				for also, words := range reach {
					if enough(c.n+reached+int(words), edits+also) {
						e.after = reach
						return true
					}
				}
			}
			if edits++; edits > most || !more {
				break
			}
			var to int
			to, more = edit(e, x, y, step, int32(edits), true)
			reached = max(reached, to)
		}
	}
	e.after = reach
	return false
}

// e.row has the diagonals from e.lo on, between two times pad elements that are none.
const pad, none = 2, math.MinInt32 / 2

// begin sets e to an extension without edits, and returns how many words it has.
func begin[T unit](e *extension, a, b []T, step int) int {
	reached := slide(a, b, step, 0, 0)
	e.lo, e.row = 0, append(e.row[:0], none, none, int32(reached), none, none)
	return reached
}

// edit continues e with the next edit, as far as e.room lets words of a have so many. It returns how many words are
// reached: words of a, or of the longer side, whose edits have no bound. more is false if no diagonal goes on.
func edit[T unit](e *extension, a, b []T, step int, edits int32, longer bool) (reached int, more bool) {
	last, next := e.row, append(e.other[:0], none, none)
	k, most := e.lo-1, 0 // the diagonal, and behind the last one that goes on
	for i := 1; i+1 < len(last); i++ {
		// One word is replaced, or the word is only in b, or only in a. A diagonal that has come to an end has
		// nothing to add.
		row, to, beside := int(max(last[i]+1, last[i-1], last[i+1]+1)), none, 0
		if longer {
			beside = max(0, k)
		}
		if row >= 0 && row <= min(len(a), len(b)-k) && (longer || edits <= e.room[row]) {
			to = slide(a, b, step, row, row+k)
			reached = max(reached, to+beside)
			if len(next) == pad {
				e.lo = k
			}
			most = len(next) + 1
		}
		if most > 0 {
			next = append(next, int32(to))
		}
		k++
	}
	e.row, e.other = append(next[:max(most, pad)], none, none), last
	return reached, most > 0
}

// slide returns to which word of a equal words lead from words i and j on.
func slide[T unit](a, b []T, step, i, j int) int {
	if step > 0 {
		for i < len(a) && j < len(b) && a[i] == b[j] {
			i, j = i+1, j+1
		}
		return i
	}
	for i < len(a) && j < len(b) && a[len(a)-1-i] == b[len(b)-1-j] {
		i, j = i+1, j+1
	}
	return i
}

// distance returns the edit distance of a and b.
func distance[T unit](e *extension, a, b []T) int {
	begin(e, a, b, 1)
	for edits := 0; ; edits++ {
		at := len(b) - len(a) - e.lo + pad
		if at >= pad && at < len(e.row)-pad && int(e.row[at]) == len(a) {
			return edits
		}
		edit(e, a, b, 1, 0, true)
	}
}
