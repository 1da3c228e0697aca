package eval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/fingerprint"
	"simsearch/internal/report"
	"simsearch/internal/svg"
	"simsearch/internal/terminal"
	"simsearch/tables"
)

// ErrNotFingerprint is returned by LoadFingerprints for a document that is no ready-made fingerprint.
var ErrNotFingerprint = errors.New("a document without a fingerprint")

// LoadFingerprints reads a collection of ready-made fingerprints of so many bits, for the experiments that have
// Fingerprints set. Of several with one id it takes the first. Near in truth is what labels say; there are no exact
// similarities. The error is that of documents, ErrNotFingerprint or ErrEmpty. Close has nothing to remove.
func LoadFingerprints(documents iter.Seq2[*document.Document, error], bits int, o LoadOptions) (*Collection, error) {
	c := newCollection(&Texts{ids: map[string]uint32{}}, o)
	c.Settings, c.Floor, c.bare = analysis.Classic(), 1, true
	c.Settings.Bits = bits
	for d, err := range documents {
		switch {
		case err != nil:
			return nil, err
		case !d.HasFingerprint:
			return nil, ErrNotFingerprint
		}
		if _, known := c.texts.ids[string(d.ID)]; known {
			continue
		}
		c.texts.ids[string(d.ID)] = uint32(len(c.Sets))
		c.Sets = append(c.Sets, []uint64{d.Fingerprint}) // so that each has a feature
		c.Fingerprints = append(c.Fingerprints, d.Fingerprint)
	}
	if c.Len() == 0 {
		return nil, ErrEmpty
	}
	return c, nil
}

// fingerprintFacts is facts of a collection of ready-made fingerprints.
func fingerprintFacts(c *Collection) []report.Fact {
	facts := []report.Fact{{Name: "documents", Value: fmt.Sprintf("%s of %d bits, %s of them distinct", terminal.Plural(c.Len(), "ready-made fingerprint"), c.Settings.Bits, terminal.Thousands(len(distinctOf(c))))}}
	if l := c.Labels; l != nil {
		facts = append(facts, report.Fact{Name: "labels", Value: fmt.Sprintf("%s labelled near, %s not near", terminal.Plural(l.Near, "pair"), terminal.Thousands(l.Apart))})
	}
	return facts
}

// byDesign compares, for each distance, the pairs that each search design finds with all pairs within it.
func byDesign(ctx context.Context, c *Collection) (*Section, error) {
	values := drawnValues(c)
	bits := c.Settings.Bits
	s := &Section{Title: "What search designs find"}
	s.Text = append(s.Text, fmt.Sprintf("Near in truth is a distance of at most k bits, a similarity of 1 − k/%d or more, found by comparing all pairs of %s. Rotating and sorting compares neighbours only; the other designs are tables of sorted permuted fingerprints, of which G blocks with g in the header find every pair up to G − g bits. "+
		"False positives must be 0, since distances are verified. %s", bits, terminal.Plural(len(values), "distinct fingerprint"), aboutFalseRates))
	t := s.AddTable("", columnsOfRates("k", "similarity", "design", "in truth")...)
	plot := &svg.Plot{Title: "Pairs that each design misses", X: svg.Axis{Name: "k"}, Y: svg.Axis{Name: falseNegativeRate, Max: 1}}
	all := len(values) * (len(values) - 1) / 2
	for _, k := range []int{1, 2, 3, 4, 6, 8, 10} {
		want := comparingAll(values, k)
		for _, d := range comparedDesigns(bits, len(values), k) {
			found, err := d.pairs(ctx, values, k)
			if err != nil {
				return nil, err
			}
			right := len(found) - difference(found, want)
			t.Add(append([]any{k, fingerprint.Similarity(k, bits), d.name, len(want)}, rates(len(found), right, len(want), all-len(want))...)...)
			if len(want) > 0 {
				addPoint(plot, d.name, float64(k), NewRate(len(want)-right, len(want)).Share)
			}
		}
	}
	if len(plot.Series) > 0 {
		s.Plots = append(s.Plots, plot)
	}
	return s, nil
}

// drawnValues returns the distinct fingerprints, or joinMost of them.
func drawnValues(c *Collection) []uint64 {
	values := distinctOf(c)
	if len(values) > joinMost {
		r := c.random("join")
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		values = values[:joinMost]
		slices.Sort(values)
	}
	return values
}

// A comparedDesign finds pairs of ascending fingerprints, as ascending indices.
type comparedDesign struct {
	name  string
	pairs func(ctx context.Context, values []uint64, k int) ([][2]uint32, error)
}

// comparedDesigns returns the plan for a distance, tables of a few fixed numbers of blocks, and rotating.
func comparedDesigns(bits, n, k int) []comparedDesign {
	by := func(d tables.Design) func(context.Context, []uint64, int) ([][2]uint32, error) {
		return func(ctx context.Context, values []uint64, k int) ([][2]uint32, error) {
			return pairsBy(ctx, values, d, k)
		}
	}
	out := []comparedDesign{{"the planner's", by(tables.Choose(bits, n, k, 0).Design)}}
	for _, blocks := range [][2]int{{4, 1}, {6, 3}} {
		if d, err := tables.NewDesign(bits, blocks[0], blocks[1]); err == nil {
			out = append(out, comparedDesign{fmt.Sprintf("G = %d, g = %d, planned for %d", blocks[0], blocks[1], blocks[0]-blocks[1]), by(d)})
		}
	}
	const rotations = 25
	return append(out, comparedDesign{fmt.Sprintf("rotate and sort, %d times", rotations), func(_ context.Context, values []uint64, k int) ([][2]uint32, error) {
		return RotateAndSort(values, bits, k, min(rotations, bits)), nil
	}})
}

// addPoint appends a point to the series of a name, which may be a new one.
func addPoint(p *svg.Plot, name string, x, y float64) {
	at := slices.IndexFunc(p.Series, func(s svg.Series) bool { return s.Name == name })
	if at < 0 {
		p.Series = append(p.Series, svg.Series{Name: name, Line: true})
		at = len(p.Series) - 1
	}
	p.Series[at].Points = append(p.Series[at].Points, [2]float64{x, y})
}
