package main

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"
	"time"

	"simsearch/eval"
	"simsearch/hamming"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
	"simsearch/tables"
)

const (
	weakestDistance = 3   // within which fingerprints are near
	weakestQueries  = 500 // texts at most
)

// weakest measures a search that has one sorted list and no tables. It looks up the fingerprint of a query, and then
// that fingerprint with bits flipped that the query's own sums leave uncertain, until the stated share of what may be
// near has been looked up. The exact search by tables stands beside it.
//
// Source: S. Sood and D. Loguinov, "Probabilistic Near-Duplicate Detection Using Simhash", CIKM 2011. In this variant
// the chances of bits follow from a normal distribution (see flipChances), and the number of look-ups from the stated
// share.
func weakest(c *eval.Collection) (*report.Section, error) {
	width, values := c.Settings.Bits, distinctOf(c)
	docs, wants := nearQueries(c, values)
	pairs := 0
	for _, want := range wants {
		pairs += len(want)
	}
	s := &report.Section{Title: "The weakest bits first"}
	if pairs == 0 {
		return s, nil
	}
	t := s.AddTable(fmt.Sprintf("Within %d bits of %s", weakestDistance, terminal.Plural(len(values), "distinct fingerprint")),
		"search", "recall, stated", "recall, measured", "look-ups a query", "µs a query", "bytes a fingerprint")
	row := func(name string, stated float64, bytes int, search func(doc uint32) (found []uint64, lookUps int, err error)) (err error) {
		found, lookUps := make([][]uint64, len(docs)), 0
		start := time.Now()
		for i, doc := range docs {
			n := 0
			if found[i], n, err = search(doc); err != nil {
				return err
			}
			lookUps += n
		}
		taken := time.Since(start).Seconds()
		right := 0
		for i, want := range wants {
			for _, x := range want {
				if slices.Contains(found[i], x) {
					right++
				}
			}
		}
		each := float64(len(docs))
		t.Add(name, stated, truth.NewRate(right, pairs), float64(lookUps)/each, taken/each*1e6, float64(bytes)/float64(len(values)))
		return nil
	}
	design := tables.Choose(width, len(values), weakestDistance, 0).Design
	exact := tables.Build(values, design)
	var matches []hamming.Match
	err := row("tables, "+design.String(), 1, exact.Bytes(), func(doc uint32) (found []uint64, lookUps int, err error) {
		matches, err = exact.Near(matches[:0], c.Fingerprints[doc], weakestDistance)
		for _, m := range matches {
			found = append(found, values[m.Index])
		}
		return found, len(design.Permutations()), err
	})
	if err != nil {
		return nil, err
	}
	list := newSortedList(values, width)
	for _, recall := range []float64{0.9, 0.95, 0.99} {
		_ = row("weakest bits", recall, list.bytes(), func(doc uint32) (found []uint64, lookUps int, err error) {
			for flips := range likelyFlips(flipChances(c, doc), weakestDistance, recall) {
				lookUps++
				if x := c.Fingerprints[doc] ^ flips; list.has(x) {
					found = append(found, x)
				}
			}
			return found, lookUps, nil
		})
	}
	return s, nil
}

// nearQueries returns up to weakestQueries documents, drawn by the seed, that have other values within
// weakestDistance, and these values.
func nearQueries(c *eval.Collection, values []uint64) (docs []uint32, near [][]uint64) {
	drawn := withFeatures(c)
	random("weakest").Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	for _, doc := range drawn {
		var others []uint64
		for _, m := range hamming.Scan(nil, values, c.Fingerprints[doc], weakestDistance) {
			if x := values[m.Index]; x != c.Fingerprints[doc] {
				others = append(others, x)
			}
		}
		if len(others) > 0 {
			docs, near = append(docs, doc), append(near, others)
		}
		if len(docs) == weakestQueries {
			break
		}
	}
	return docs, near
}

// flipChances returns the chance of each bit of a document's fingerprint to be another one in that of a near text, in
// [0, 0.5]. The vector of weights of the near text is taken to have the cosine ρ with that of the document, by which
// weakestDistance bits differ, and to differ in a random direction. A sum V has then a normal distribution around ρV,
// with a deviation of √(1−ρ²) times the length of the vector.
func flipChances(c *eval.Collection, doc uint32) []float64 {
	var sums [64]float64
	square := 0.0
	for i, hash := range c.Features[doc] {
		weight := float64(c.Weights[doc][i])
		square += weight * weight
		for bit := range sums {
			sums[bit] += weight * float64(int64(hash>>bit&1)*2-1)
		}
	}
	angle := math.Pi * weakestDistance / float64(c.Settings.Bits)
	chances := make([]float64, c.Settings.Bits)
	for bit := range chances {
		chances[bit] = math.Erfc(math.Abs(sums[bit])/(math.Tan(angle)*math.Sqrt(2*square))) / 2
	}
	return chances
}

// likelyFlips yields sets of up to most bits, the most likely first, beginning with none. Bits have chances in [0,
// 0.5], independent of each other. It ends when the chances of the sets add up to a share of those of all such sets.
func likelyFlips(chances []float64, most int, share float64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		order := make([]int, len(chances))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(chances[b], chances[a]), cmp.Compare(a, b)) })
		odds, ways := make([]float64, len(order)), make([]float64, most+1) // ways[n]: the odds of all sets of n bits together
		ways[0] = 1
		for i, bit := range order {
			odds[i] = chances[bit] / (1 - chances[bit])
			for n := most; n > 0; n-- {
				ways[n] += ways[n-1] * odds[i]
			}
		}
		left := 0.0
		for _, odds := range ways {
			left += odds
		}
		left *= share
		next := flipQueue{{odds: 1, last: -1}}
		for len(next) > 0 && left > 0 {
			is := heap.Pop(&next).(flipSet)
			if left -= is.odds; !yield(is.flips) {
				return
			}
			after := is.last + 1
			if after == len(order) || odds[after] == 0 {
				continue
			}
			if bits.OnesCount64(is.flips) < most { // one bit more
				heap.Push(&next, flipSet{is.odds * odds[after], is.flips | 1<<order[after], after})
			}
			if is.last >= 0 { // another last bit
				heap.Push(&next, flipSet{is.odds / odds[is.last] * odds[after], is.flips ^ 1<<order[is.last] ^ 1<<order[after], after})
			}
		}
	}
}

// A flipSet is a set of bits, and its odds against none. Last is the place of its least likely bit in their order.
type flipSet struct {
	odds  float64
	flips uint64
	last  int
}

// A flipQueue is a heap, the likeliest first.
type flipQueue []flipSet

func (q flipQueue) Len() int           { return len(q) }
func (q flipQueue) Less(i, j int) bool { return q[i].odds > q[j].odds }
func (q flipQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *flipQueue) Push(x any)        { *q = append(*q, x.(flipSet)) }
func (q *flipQueue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// A sortedList has values, ascending, and where those begin that have the same first bits: about eight of them.
type sortedList struct {
	values []uint64
	starts []uint32
	shift  int
}

func newSortedList(values []uint64, width int) *sortedList {
	first := max(0, bits.Len(uint(len(values)))-3)
	l := &sortedList{values, make([]uint32, 1<<first+1), width - first}
	for i, x := range values {
		l.starts[x>>l.shift+1] = uint32(i + 1)
	}
	for i := range 1 << first {
		l.starts[i+1] = max(l.starts[i], l.starts[i+1])
	}
	return l
}

func (l *sortedList) bytes() int { return 8*len(l.values) + 4*len(l.starts) }

func (l *sortedList) has(x uint64) bool {
	_, is := slices.BinarySearch(l.values[l.starts[x>>l.shift]:l.starts[x>>l.shift+1]], x)
	return is
}
