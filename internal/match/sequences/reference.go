package sequences

import "slices"

// Reference returns what Query.Find does. It compares each word with each, and keeps whole tables.
func Reference(query, document *Text, b Bounds) []Passage {
	return reference(query.Words, document.Words, b)
}

func reference[T unit](a, b []T, bounds Bounds) []Passage {
	var cores []core
	run := bounds.Run()
	for x := range a {
		for y := range b {
			if x > 0 && y > 0 && a[x-1] == b[y-1] {
				continue
			}
			n := 0
			for x+n < len(a) && y+n < len(b) && a[x+n] == b[y+n] {
				n++
			}
			if n >= run {
				cores = append(cores, core{x, y, n})
			}
		}
	}
	sortCores(cores)
	var found []Passage
	inA, inB := make([]bool, len(a)), make([]bool, len(b)) // words of passages
	for _, c := range cores {
		if !slices.Contains(inA[c.a:c.a+c.n], false) && !slices.Contains(inB[c.b:c.b+c.n], false) {
			continue
		}
		p, score := referenceSpans(a, b, c, bounds)
		q, other := referenceSpans(b, a, core{c.b, c.a, c.n}, bounds)
		if other > score {
			p, score = Passage{Query: q.Document, Document: q.Query}, other
		}
		if score >= 0 {
			x, y := a[p.Query[0]:p.Query[1]], b[p.Document[0]:p.Document[1]]
			p.Words = max(len(x), len(y))
			p.Edits = int(table(x, y, nil)[len(x)][len(y)])
			found = append(found, p)
			for i := range x {
				inA[p.Query[0]+i] = true
			}
			for i := range y {
				inB[p.Document[0]+i] = true
			}
		}
	}
	return outermost(found)
}

// referenceSpans is bestSpans with whole tables.
func referenceSpans[T unit](a, b []T, c core, bounds Bounds) (p Passage, score int) {
	right := referenceEnds(a[c.a+c.n:], b[c.b+c.n:], bounds)
	x, y := slices.Clone(a[:c.a]), slices.Clone(b[:c.b])
	slices.Reverse(x)
	slices.Reverse(y)
	left := referenceEnds(x, y, bounds)
	score = -1
	words := 0
	for l := range left {
		for r := range right {
			n := l + c.n + r
			s := bounds.share()*n - scale*int(left[l].edits+right[r].edits)
			if n >= bounds.Words && (s > score || s == score && n < words) {
				score, words = s, n
				p.Query = [2]int{c.a - l, c.a + c.n + r}
				p.Document = [2]int{c.b - int(left[l].other), c.b + c.n + int(right[r].other)}
			}
		}
	}
	return p, score
}

// referenceEnds is extend with a whole table.
func referenceEnds[T unit](a, b []T, bounds Bounds) (ends []end) {
	best := 0
	score := func(i int, edits int32) int { return bounds.share()*i - scale*int(edits) }
	table(a, b, func(i int, row []int32) bool {
		first := end{edits: never}
		for j := range row {
			if row[j] >= never || score(i, row[j]) < bounds.floor(best) {
				row[j] = never
			} else if row[j] < first.edits || row[j] == first.edits && apart(i, j) < apart(i, int(first.other)) {
				first = end{int32(j), row[j]}
			}
		}
		if first.edits < never {
			ends = append(ends, first)
			best = max(best, score(i, first.edits))
		}
		return first.edits < never
	})
	return ends
}

func apart(x, y int) int { return max(x-y, y-x) }

// table returns the table of the edit distances of all beginnings of a and b. more, if it is not nil, is called with
// each row, which it may change, and says whether there is another one.
func table[T unit](a, b []T, more func(i int, row []int32) bool) [][]int32 {
	t := make([][]int32, len(a)+1)
	for i := range t {
		t[i] = make([]int32, len(b)+1)
		for j := range t[i] {
			least := int32(never)
			if i == 0 && j == 0 {
				least = 0
			}
			if i > 0 {
				least = min(least, t[i-1][j]+1)
			}
			if j > 0 {
				least = min(least, t[i][j-1]+1)
			}
			if i > 0 && j > 0 {
				same := t[i-1][j-1]
				if a[i-1] != b[j-1] {
					same++
				}
				least = min(least, same)
			}
			t[i][j] = least
		}
		if more != nil && !more(i, t[i]) {
			break
		}
	}
	return t
}

// classReference returns what a Finder finds of two submissions of c, if it is asked for all, if few have each seed,
// and if none has a seed more than mostInOne times. It compares each word with each.
func (c *Class) classReference(a, b int) Shared {
	var anchors []anchor
	for x := range c.bounds[a+1] - c.bounds[a] {
		for y := range c.bounds[b+1] - c.bounds[b] {
			if id := c.ids[c.bounds[a]+x]; id > 0 && id == c.ids[c.bounds[b]+y] {
				anchors = append(anchors, anchor{x, y})
			}
		}
	}
	f := c.NewFinder()
	if f.anchors = anchors; len(anchors) > 0 {
		f.begins(c, a)
		f.chain(c, a, b, anchors)
	}
	return f.shared(a, b)
}
