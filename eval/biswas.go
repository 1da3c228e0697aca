package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"simsearch/fingerprint"
	"simsearch/hamming"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/report"
	"simsearch/internal/quality/truth"
	"simsearch/tables"
)

// reportSays is what the course report has, and reportRead how the experiment reads it.
const (
	reportSays = "The course report says: it made 64-bit SimHash fingerprints of 1,000 texts by MurmurHash. 0.004 % were false positives. " +
		"Finding all pairs took 625 seconds by brute force, and 2.62 seconds by 25 permutations, with 11.26 % false negatives. " +
		"The method sorts fingerprints, compares neighbours, rotates all to the left and begins again. Estimate and exact cosine " +
		"agree above about 0.85, and scatter below."
	reportRead = "We read that as follows, and each reading may be wrong. Near is within 3 bits. A false positive is a pair within 3 bits " +
		"whose exact cosine is below 0.85, as a share of all pairs of texts. A permutation is a rotation by one bit; the first of " +
		"the 25 leaves the bits as they are. A false negative is a pair within 3 bits that the method misses. Whether the report " +
		"counts pairs of equal fingerprints we do not know, so that its share stands beside both of ours. Brute force compares " +
		"texts there, and fingerprints here. The estimate is 1 − d/f of fingerprints of f bits at distance d, and the exact value " +
		"the cosine of the sets of features."
)

// What the course report did, as we read it: how many texts it had, within how many bits they were near, how often it
// rotated, and from which cosine on two texts were similar.
const (
	reportTexts     = 1000
	reportDistance  = 3
	reportRotations = 25
	reportSimilar   = 0.85
)

// A share of missed pairs needs fewestNear pairs. If the texts of the report have fewer, more are drawn, up to
// mostTexts.
const fewestNear, mostTexts = 50, 16_000

// mostPermutations is the number of rounds up to which misses are counted, and shownPairs the number of pairs whose
// similarities are compared, beside the near ones.
const mostPermutations, shownPairs = 64, 200_000

// biswas repeats the experiments of a course report on some texts of the collection.
//
// Source: S. Biswas, "Near Duplicate Detection using SimHash", course report, 2017.
func biswas(ctx context.Context, c *Collection) (*Section, error) {
	if err := c.Weigh(ctx); err != nil {
		return nil, err
	}
	docs := c.shuffled("biswas")
	widths := []int{64, 32}
	if c.Settings.Bits != 64 {
		widths = []int{c.Settings.Bits}
	}
	n := min(reportTexts, len(docs))
	for n < min(mostTexts, len(docs)) && len(comparingAll(distinctValues(fingerprintsOf(c, docs[:n], widths[0])), reportDistance)) < fewestNear {
		n = min(2*n, mostTexts, len(docs))
	}
	docs = docs[:n]

	s := &Section{Title: "The experiment of the course report"}
	s.Text = append(s.Text, reportSays, reportRead, fmt.Sprintf("Here are %s texts, drawn by the seed. "+
		"They, the machine and the program are others than the report's, so that its times are beside ours for the record.", terminal.Thousands(n)))
	missed := &report.Plot{Title: fmt.Sprintf("Pairs of distinct fingerprints within %d bits that are missed", reportDistance),
		X: report.Axis{Name: "rotations or permutations", Max: mostPermutations}, Y: report.Axis{Name: "share missed", Max: 1}}
	t := s.AddTable("", "measure", "course report, 64 bits")
	few := ""
	for _, width := range widths {
		t.Columns = append(t.Columns, fmt.Sprintf("here, %d bits", width))
		pairs, err := courseTexts{c, docs, width, fingerprintsOf(c, docs, width)}.rows(ctx, t, missed)
		if err != nil {
			return nil, err
		}
		if pairs < fewestNear {
			few += fmt.Sprintf(" Of %d bits, only %s pairs of distinct fingerprints are within %d bits.", width, terminal.Thousands(pairs), reportDistance)
		}
	}
	if few != "" {
		s.Text = append(s.Text, fmt.Sprintf("Too few near pairs:%s A share of them that is missed means little, and is not shown below %d pairs.", few, fewestNear))
	}
	if len(missed.Series) > 0 {
		s.Plots = append(s.Plots, missed)
	}
	s.Text = append(s.Text, "How we explain differences: rotations compare neighbours alone, so that of a group of equal fingerprints "+
		"they find the pairs in a row, and miss the others. Told apart, equal fingerprints are no longer pairs, and the misses of distinct "+
		"ones compare better. "+
		"1 − d/f is not the cosine, but estimates 1 − θ/π of the angle θ, which is larger: two texts with nothing in common have about one half.")
	return s, nil
}

// fingerprintsOf returns the fingerprints of documents with features, of width bits.
func fingerprintsOf(c *Collection, docs []uint32, width int) []uint64 {
	values := make([]uint64, len(docs))
	for i, doc := range docs {
		if values[i] = c.Fingerprints[doc]; width == c.Settings.Bits {
			continue
		}
		var sums fingerprint.Sums
		for j, feature := range c.Features[doc] {
			sums.Add(feature, c.Weights[doc][j])
		}
		values[i], _ = sums.Fingerprint(width)
	}
	return values
}

// courseTexts are the texts of the experiment with their fingerprints of one width.
type courseTexts struct {
	c      *Collection
	docs   []uint32
	width  int
	values []uint64
}

// rows repeats the experiments. It adds a column to the table, and curves to the plot if
// there are enough pairs of distinct fingerprints that are near, whose number it returns.
func (x courseTexts) rows(ctx context.Context, t *report.Table, plot *report.Plot) (pairs int, err error) {
	c, docs, width, values := x.c, x.docs, x.width, x.values
	next := 0
	add := func(measure string, report, here any) {
		if next == len(t.Rows) {
			t.Add(measure, report)
		}
		t.Rows[next] = append(t.Rows[next], here)
		next++
	}
	n := len(docs)
	var want [][2]uint32
	var rotated map[[2]uint32]int
	scan := timed(func() { want = comparingAll(values, reportDistance) })
	rotating := timed(func() { rotated = neighbours(values, reportRotations, rotation(width)) })
	found := 0
	searching := timed(func() { found, err = x.countNear(ctx) })
	if err != nil {
		return 0, err
	}
	falsePositives := 0
	for _, p := range want {
		if c.cosine(docs[p[0]], docs[p[1]]) < reportSimilar {
			falsePositives++
		}
	}
	distinct := distinctValues(values)
	pairs = len(comparingAll(distinct, reportDistance))
	missedBy := func(name string, of view) []int {
		missed := missedAfter(neighbours(distinct, mostPermutations, of), pairs, mostPermutations)
		if pairs < fewestNear {
			return missed
		}
		curve := report.Series{Name: fmt.Sprintf("%s, %d bits", name, width), Line: true, Small: true}
		for i, n := range missed {
			curve.Points = append(curve.Points, [2]float64{float64(i + 1), float64(n) / float64(pairs)})
		}
		plot.Series = append(plot.Series, curve)
		return missed
	}
	rotations := missedBy("rotations", rotation(width))
	permutations := missedBy("random permutations", permutation(c.random("permutations"), width, mostPermutations))
	above, below := x.agreement()

	add("texts", reportTexts, n)
	add("false positives, of all pairs", "0.004 %", truth.NewRate(falsePositives, n*(n-1)/2))
	add(fmt.Sprintf("pairs within %d bits", reportDistance), "", len(want))
	add("of them, pairs of distinct fingerprints", "", pairs)
	add("all pairs by brute force, seconds", 625, scan)
	add(fmt.Sprintf("all pairs by %d rotations, seconds", reportRotations), 2.62, rotating)
	add("all pairs by block-permuted sorted tables, seconds", "", searching)
	add(fmt.Sprintf("false negatives of %d rotations, equal fingerprints included", reportRotations), "11.26 %", missedShare(len(want)-len(rotated), len(want)))
	add(fmt.Sprintf("false negatives of %d rotations, of distinct fingerprints", reportRotations), "11.26 %", missedShare(rotations[reportRotations-1], pairs))
	add(fmt.Sprintf("false negatives of %d random permutations, of distinct fingerprints", reportRotations), "", missedShare(permutations[reportRotations-1], pairs))
	add("false negatives of block-permuted sorted tables", "", missedShare(len(want)-found, len(want)))
	for i, measure := range []string{"1 − d/f as the cosine of sets", "cos(πd/f) as the cosine of weights"} {
		said := [][2]string{{"\"agree\"", "\"scatter\""}, {"", ""}}[i]
		add(fmt.Sprintf("error of %s, exact %.2f or more", measure, reportSimilar), said[0], above[i].RootMeanSquare())
		add(fmt.Sprintf("error of %s, exact below %.2f", measure, reportSimilar), said[1], below[i].RootMeanSquare())
	}
	return pairs, nil
}

// missedShare returns the share of pairs that are missed, or says that there are too few.
func missedShare(missed, pairs int) any {
	if pairs < fewestNear {
		return fmt.Sprintf("%s of %s: too few", terminal.Thousands(missed), terminal.Thousands(pairs))
	}
	return truth.NewRate(missed, pairs)
}

// agreement returns, for up to shownPairs pairs, evenly spaced, and all others within a quarter of the bits, whose
// exact cosine is at least reportSimilar and below it, how far estimates are from it: the first by 1 − d/f of the
// cosine of sets, the second by the cosine of the angle of the cosine of weights.
func (x courseTexts) agreement() (above, below [2]truth.Moments) {
	add := func(i int, exact, estimate float64) {
		if exact >= reportSimilar {
			above[i].Add(exact, estimate)
		} else {
			below[i].Add(exact, estimate)
		}
	}
	every := 1 + len(x.docs)*(len(x.docs)-1)/2/shownPairs
	at := 0
	for i, a := range x.docs {
		for j, b := range x.docs[:i] {
			d := hamming.Distance(x.values[i], x.values[j])
			if at++; at%every != 0 && d > x.c.Settings.Bits/4 {
				continue
			}
			setA, setB := x.c.Features[a], x.c.Features[b]
			add(0, float64(ints.Shared(setA, setB))/math.Sqrt(float64(len(setA)*len(setB))), 1-float64(d)/float64(x.width))
			add(1, x.c.cosine(a, b), fingerprint.Cosine(d, x.width))
		}
	}
	return above, below
}

// countNear returns the number of pairs of fingerprints that tables find within reportDistance. Pairs of equal ones
// count, too.
func (x courseTexts) countNear(ctx context.Context) (found int, err error) {
	all := &Collection{Settings: analysis.Settings{Bits: x.width}, o: LoadOptions{Threads: 1}}
	groups := tables.Group(slices.Clone(x.values), 1, slices.Sorted(slices.Values(x.docs))) // any numbers that ascend do
	err = eachWithin(ctx, all, groups, reportDistance, true, func(uint32, uint32, int) bool {
		found++
		return true
	})
	return found, err
}
