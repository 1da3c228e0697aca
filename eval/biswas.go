package eval

import (
	"context"
	"fmt"
	"math"

	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/tables"
)

// biswas repeats the experiment of a course report, on up to 1,000 texts of the collection.
//
// Source: S. Biswas, "Near Duplicate Detection using SimHash", course report, 2017.
func biswas(ctx context.Context, c *Collection) (*Section, error) {
	const texts, k, rotations, similar = 1000, 3, 25, 0.85
	var docs []uint32
	for doc, set := range c.Sets {
		if len(set) > 0 {
			docs = append(docs, uint32(doc))
		}
	}
	r := c.random("biswas")
	r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	docs = docs[:min(texts, len(docs))]
	n := len(docs)
	s := &Section{Title: "The experiment of the course report"}
	s.Text = append(s.Text, fmt.Sprintf("%d texts, drawn by the seed, and their %d-bit fingerprints. A false positive is a pair within %d bits whose exact cosine is below %.2f, as a share of all pairs; a false negative a pair within %d bits that a search misses. "+
		"The report's texts, machine and program were others, so that its times are beside ours for the record. Its comparison of all pairs is of fingerprints.", n, c.Settings.Bits, k, similar, k))
	values := make([]uint64, n)
	for i, doc := range docs {
		values[i] = c.Fingerprints[doc]
	}
	var want [][2]uint32
	scan := timed(func() { want = comparingAll(values, k) })
	falsePositives := 0
	for _, p := range want {
		if c.cosine(docs[p[0]], docs[p[1]]) < similar {
			falsePositives++
		}
	}
	var rotated [][2]uint32
	rotating := timed(func() { rotated = RotateAndSort(values, c.Settings.Bits, k, rotations) })
	var found int
	var err error
	searching := timed(func() { found, err = countNear(ctx, values, c.Settings.Bits, k) })
	if err != nil {
		return nil, err
	}
	var above, below moments
	for i, a := range docs {
		for _, b := range docs[i+1:] {
			cosine, estimate := c.cosine(a, b), fingerprint.Cosine(c.distance(a, b), c.Settings.Bits)
			if cosine >= similar {
				above.add(cosine, estimate)
			} else {
				below.add(cosine, estimate)
			}
		}
	}
	t := s.AddTable("", "measure", "course report", "here")
	t.Add("texts", 1000, n)
	t.Add("false positives, of all pairs", "0.004 %", NewRate(falsePositives, n*(n-1)/2))
	t.Add("all pairs by brute force, seconds", 625, scan)
	t.Add(fmt.Sprintf("all pairs by %d rotations, seconds", rotations), 2.62, rotating)
	t.Add(fmt.Sprintf("false negatives of %d rotations", rotations), "11.26 %", NewRate(difference(want, rotated), len(want)))
	t.Add("all pairs by tables, seconds", "", searching)
	t.Add("false negatives of tables", "", NewRate(len(want)-found, len(want)))
	t.Add(fmt.Sprintf("error of the estimated cosine, exact %.2f or more", similar), "\"agree\"", root(above))
	t.Add(fmt.Sprintf("error of the estimated cosine, exact below %.2f", similar), "\"scatter\"", root(below))
	return s, nil
}

// root returns the root mean square error, or NaN without values.
func root(m moments) float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return m.error()
}

// countNear returns the number of pairs of values that tables find within distance k. Pairs of equal
// values count, too.
func countNear(ctx context.Context, values []uint64, width, k int) (int, error) {
	docs := make([]uint32, len(values))
	for i := range docs {
		docs[i] = uint32(i)
	}
	sorted := append([]uint64{}, values...)
	g := tables.Group(sorted, docs)
	found := 0
	for i := range g.Values {
		m := len(g.Members(uint32(i)))
		found += m * (m - 1) / 2
	}
	err := tables.Pairs(ctx, g.Values, width, k, tables.PairOptions{Threads: 1}, func(p tables.Pair) error {
		if hamming.Distance(g.Values[p.A], g.Values[p.B]) > k {
			return fmt.Errorf("tables report a pair that is not within %d bits", k)
		}
		found += len(g.Members(p.A)) * len(g.Members(p.B))
		return nil
	})
	return found, err
}
