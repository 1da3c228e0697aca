package passages

import "math"

// An extension is the memory for extending cores. Rows are numbers of words of one text, and columns those of the other one.
type extension struct {
	row, other  []int32 // least edits at columns from on
	left, right []end
	after       []int32 // of each number of words to the right, the best end with so many or more
}

// An end is the best place at which an extension by so many words of one text may end: the words of the other text, and the edits.
type end struct{ other, edits int32 }

const never = math.MaxInt32 / 2

// passageOf returns the passage of a core, if there is one. Its Edits are those of its alignment.
func passageOf[T unit](e *extension, bounds Bounds, a, b []T, c core) (p Passage, ok bool) {
	q, of, ok := bestSpans(e, bounds, a, b, c)
	swapped, by, also := bestSpans(e, bounds, b, a, core{c.b, c.a, c.n})
	if also && (!ok || by > of) {
		q = Passage{Query: swapped.Document, Document: swapped.Query, Edits: swapped.Edits}
	}
	q.Words = max(q.Query[1]-q.Query[0], q.Document[1]-q.Document[0])
	return q, ok || also
}

// bestSpans returns the spans around a core with the highest score by the words of a, and with enough of them. Of several, it
// returns those with the fewest words of a, and then those that begin last. ok is false if the score is below 0.
func bestSpans[T unit](e *extension, bounds Bounds, a, b []T, c core) (p Passage, score int, ok bool) {
	share := bounds.share()
	e.right = extend(e, e.right[:0], bounds, a[c.a+c.n:], b[c.b+c.n:], 1)
	e.left = extend(e, e.left[:0], bounds, a[:c.a], b[:c.b], -1)
	worth := func(ends []end, n int) int { return share*n - scale*int(ends[n].edits) }
	e.after = append(e.after[:0], make([]int32, len(e.right))...)
	for n := len(e.right) - 1; n >= 0; n-- {
		e.after[n] = int32(n)
		if n+1 < len(e.right) && worth(e.right, int(e.after[n+1])) > worth(e.right, n) {
			e.after[n] = e.after[n+1]
		}
	}
	score = -1
	var l, r int
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
	left, right := &e.left[l], &e.right[r]
	return Passage{
		Query:    [2]int{c.a - l, c.a + c.n + r},
		Document: [2]int{c.b - int(left.other), c.b + c.n + int(right.other)},
		Edits:    int(left.edits + right.edits),
	}, score, score >= 0
}

// extend appends the best ends of extensions by 0, 1 and more words of a, from its beginning, or with step -1 from its end. Alignments whose
// score is lower by more than the reach than the best one of shorter extensions are not followed.
func extend[T unit](e *extension, ends []end, bounds Bounds, a, b []T, step int) []end {
	share, reach := bounds.share(), bounds.reach()
	at := func(s []T, i int) T {
		if step < 0 {
			return s[len(s)-1-i]
		}
		return s[i]
	}
	// Columns [lo, hi) of the last row are followed; its first element is that of column lo.
	lo, hi := 0, min(len(b), reach/scale)+1
	last := e.row[:0]
	for q := range hi {
		last = append(last, int32(q))
	}
	ends = append(ends, end{})
	best := 0
	spare := e.other
	for p := 1; p <= len(a) && len(last) > 0; p++ {
		most := int32(min(never-1, (share*p-best+reach)/scale))
		if share*p-best+reach < 0 {
			break
		}
		row := spare[:0]
		x := at(a, p-1)
		first := end{edits: never}
		from := lo
		before := int32(never) // of the column before, in this row
		for q := lo; q <= len(b) && (q <= hi || before < most); q++ {
			cost := before + 1
			if q < hi {
				cost = min(cost, last[q-lo]+1)
			}
			if q > lo && q-1 < hi {
				diagonal := last[q-1-lo]
				if at(b, q-1) != x {
					diagonal++
				}
				cost = min(cost, diagonal)
			}
			if cost > most {
				cost = never
			}
			if before = cost; cost == never && len(row) == 0 {
				from = q + 1
				continue
			}
			row = append(row, cost)
			if cost < first.edits || cost == first.edits && apart(q, p) < apart(int(first.other), p) {
				first = end{int32(q), cost}
			}
		}
		for len(row) > 0 && row[len(row)-1] == never {
			row = row[:len(row)-1]
		}
		if len(row) == 0 {
			break
		}
		lo, hi = from, from+len(row)
		last, spare = row, last
		ends = append(ends, first)
		best = max(best, share*p-scale*int(first.edits))
	}
	e.row, e.other = last, spare
	return ends
}

func apart(x, y int) int { return max(x-y, y-x) }

// distance returns the edit distance of a and b, which is at most limit.
func distance[T unit](a, b []T, limit int) int {
	width := 2*limit + 1
	row, last := make([]int, width), make([]int, width)
	for i := 0; i <= len(a); i++ {
		for d := range width { // the column is i + d - limit
			j := i + d - limit
			switch {
			case j < 0 || j > len(b):
				row[d] = never
				continue
			case i == 0:
				row[d] = j
				continue
			}
			cost := never
			if j > 0 {
				if cost = last[d]; a[i-1] != b[j-1] {
					cost++
				}
				if d > 0 {
					cost = min(cost, row[d-1]+1)
				}
			}
			if d+1 < width {
				cost = min(cost, last[d+1]+1)
			}
			row[d] = cost
		}
		row, last = last, row
	}
	return last[len(b)-len(a)+limit]
}
