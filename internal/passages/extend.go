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

// extend appends the best ends of extensions by 0, 1 and more words of a, from its beginning, or with step -1 from its end.
// Alignments whose score is below the floor are not followed.
func extend[T unit](e *extension, ends []end, bounds Bounds, a, b []T, step int) []end {
	share := bounds.share()
	ia, ib := 0, 0
	if step < 0 {
		ia, ib = len(a)-1, len(b)-1
	}
	// Columns [lo, hi) of the last row are followed; its first element is that of column lo.
	lo, hi, best := 0, min(len(b), -bounds.floor(0)/scale)+1, 0
	last, spare := e.row[:0], e.other
	for q := range hi {
		last = append(last, int32(q))
	}
	whole := last[:0] // the memory of last
	ends = append(ends, end{})
	for p := 1; p <= len(a); p++ {
		room := share*p - bounds.floor(best)
		if room < 0 {
			break
		}
		most := int32(min(never-1, room/scale))
		if cap(spare) <= len(last)+1 {
			spare = make([]int32, 2*len(last)+64)
		}
		row := spare[:len(last)+1]
		x := a[ia+step*(p-1)]
		first := end{edits: never}
		before, diagonal := int32(never), int32(never) // the column before: in this row, and in the last one
		for i, above := range last {
			cost := min(before, above) + 1
			if q := lo + i; q > 0 {
				if b[ib+step*(q-1)] != x {
					diagonal++
				}
				cost = min(cost, diagonal)
			}
			diagonal = above
			if cost > most {
				cost = never
			} else if cost <= first.edits && (cost < first.edits || apart(lo+i, p) < apart(int(first.other), p)) {
				first = end{int32(lo + i), cost}
			}
			row[i], before = cost, cost
		}
		row = row[:len(last)]
		for q := hi; q <= len(b); q++ {
			cost := before + 1
			if q == hi {
				if b[ib+step*(q-1)] != x {
					diagonal++
				}
				cost = min(cost, diagonal)
			}
			if cost > most {
				break
			}
			if cost < first.edits || cost == first.edits && apart(q, p) < apart(int(first.other), p) {
				first = end{int32(q), cost}
			}
			row = append(row, cost)
			before = cost
		}
		if first.edits == never {
			break
		}
		from := 0
		for row[from] == never {
			from++
		}
		for row[len(row)-1] == never {
			row = row[:len(row)-1]
		}
		lo, hi = lo+from, lo+len(row)
		last, spare = row[from:], whole
		whole = row[:0]
		ends = append(ends, first)
		best = max(best, share*p-scale*int(first.edits))
	}
	e.row, e.other = whole, spare[:0]
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
