package results

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
)

// A Comparison is how near two texts are, and why.
type Comparison struct {
	explain.Comparison
	shown  Shown
	near   *bool // nil if nothing is wanted
	wanted string
	given  bool // fingerprints are compared
	turned *int // the least distance of pictures in any position, inside borders or not; nil for others
}

// UsualTop is how many features and passages of two texts are told if nobody says.
const UsualTop = 10

// Compare compares two texts, and tells so many of the features and passages in which they differ.
// Of fingerprints and pictures, it tells the bits in which they differ.
func Compare(a *analysis.Analysis, texts [2]explain.Text, top int) (c Comparison, err error) {
	x, y := texts[0].Given, texts[1].Given
	if (x == nil) != (y == nil) {
		return c, errors.New("one of the two has a text, and the other has none")
	}
	if x != nil {
		c.given, c.A.ID, c.B.ID = true, texts[0].ID, texts[1].ID
		c.Fingerprints(*x, *y, a.Settings().Bits)
		if k := texts[0].Hash; k != 0 {
			c.turned = new(k.Distance(x[:2], y[:2]))
		}
		return c, nil
	}
	if c.Comparison, err = explain.Compare(a, texts[0], texts[1], top); err == nil {
		shower := Shower{Limit: top}
		c.shown = shower.two(string(texts[0].Text), string(texts[1].Text), nil)
	}
	return c, err
}

// Within says whether fingerprints, or pictures in some position, are as near as is wanted.
func (c *Comparison) Within(wanted index.Predicate) error {
	if wanted.Kind != index.Distance {
		return errors.New("fingerprints have no features: say with --k how many bits may differ")
	}
	c.Want(min(c.Distance, *cmp.Or(c.turned, &c.Distance)) <= wanted.Distance, wanted.String())
	return nil
}

// Want says whether the texts are as near as is wanted.
func (c *Comparison) Want(near bool, wanted string) { c.near, c.wanted = &near, wanted }

// IsFar reports whether they are not.
func (c *Comparison) IsFar() bool { return c.near != nil && !*c.near }

// Object returns the object of JSON.
func (c *Comparison) Object() any {
	of, shown := c.Comparison, c.shown
	of.A.ID, of.B.ID = terminal.String.Text(of.A.ID), terminal.String.Text(of.B.ID)
	if c.given {
		return map[string]any{"v": 1, "a": of.A, "b": of.B, "bits": of.Bits, "distance": of.Distance,
			"differing_bits": of.Differ, "similarity": of.Similarity, "turned_distance": c.turned, "near": c.near}
	}
	return struct {
		V int `json:"v"`
		explain.Comparison
		Near            *bool            `json:"near,omitempty"`
		TitleA          string           `json:"a_title"`
		TitleB          string           `json:"b_title"`
		Differences     []explain.Change `json:"differences"`
		MoreDifferences int              `json:"more_differences,omitempty"`
		Remarks         []string         `json:"remarks,omitempty"`
	}{1, of, c.near, shown.TitleA, shown.TitleB, append([]explain.Change{}, shown.Changes...), shown.More, shown.Remarks}
}

// Print prints a text.
func (c *Comparison) Print(out io.Writer, style explain.Style) error {
	if err := c.print(out); err != nil {
		return err
	}
	if c.near != nil {
		fmt.Fprintf(out, "\n%s: wanted is %s\n", map[bool]string{true: "near", false: "not near"}[*c.near], c.wanted)
	}
	if c.given {
		return nil
	}
	_, err := fmt.Fprintf(out, "\nwhere they differ, [-A-] and {+B+}\n%s\n", strings.Join(c.shown.Lines(style), "\n"))
	return err
}

func (c *Comparison) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\tA\tB\ndocument\t%s\t%s\n", terminal.Plain(c.A.ID), terminal.Plain(c.B.ID))
	if !c.given {
		fmt.Fprintf(w, "features\t%s, %s distinct\t%s, %s distinct\n",
			terminal.Thousands(int(c.A.Features)), terminal.Thousands(c.A.Distinct), terminal.Thousands(int(c.B.Features)), terminal.Thousands(c.B.Distinct))
	}
	fmt.Fprintf(w, "fingerprint\t%s\t%s\n", c.A.Fingerprint, c.B.Fingerprint)
	if err := w.Flush(); err != nil {
		return err
	}
	bits := cmp.Or(strings.Trim(fmt.Sprint(c.Differ), "[]"), "none")
	fmt.Fprintf(w, "\ndistance\t%d of %d bits\t(differing: %s)\n", c.Distance, c.Bits, bits)
	fmt.Fprintf(w, "equal bits\t%.4f\t(share of all bits)\n", c.Similarity)
	if c.turned != nil {
		fmt.Fprintf(w, "turned\t%d of %d bits\t(in the nearest position, inside borders or not)\n", *c.turned, c.Bits)
	}
	if c.given {
		return w.Flush()
	}
	fmt.Fprintf(w, "\n\texact\testimate\n")
	fmt.Fprintf(w, "cosine\t%s\t%s\tfrom the distance, cos(π·d/%d)\n", terminal.Similarity(c.Cosine.Exact), terminal.Similarity(c.Cosine.Estimate), c.Bits)
	fmt.Fprintf(w, "Jaccard\t%s\t%s\tfrom MinHash signatures, %s\n", terminal.Similarity(c.Jaccard.Exact),
		terminal.Similarity(c.Jaccard.Estimate), jaccardRange(&c.Comparison))
	fmt.Fprintf(w, "A in B\t%s\t%s\tfrom that and the sizes: the share of A's features that B has\n", terminal.Similarity(c.AInB.Exact),
		terminal.Similarity(c.AInB.Estimate))
	fmt.Fprintf(w, "B in A\t%s\t%s\n", terminal.Similarity(c.BInA.Exact), terminal.Similarity(c.BInA.Estimate))
	if c.Words != "" {
		fmt.Fprintf(w, "words\t%s\n", c.Words)
	}
	fmt.Fprintf(w, "\nverdict\t%s\t", c.Verdict)
	if len(c.Facts) > 0 {
		fmt.Fprintf(w, "(the texts differ in %s)", strings.Join(c.Facts, ", "))
	}
	fmt.Fprintf(w, "\ncopy\t%s\t(the probability that one text was made from the other%s)\n", terminal.Similarity(c.Copy),
		terminal.If(c.NotJudged != "", "; no search judges them: %s", c.NotJudged))
	fmt.Fprintf(w, "\tvalue\tweighs\n")
	for _, j := range c.Judged {
		fmt.Fprintf(w, "  %s\t%s\t%.2f\n", j.Measure, terminal.Similarity(j.Value), j.Weight)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	printWeights(w, fmt.Sprintf("heaviest of %s", terminal.Plural(c.Shared, "shared feature")), c.Heaviest)
	printWeights(w, "features that differ most", c.Differing)
	return w.Flush()
}

// jaccardRange says where the similarity lies by its estimate.
func jaccardRange(c *explain.Comparison) string {
	if c.JaccardLow == c.JaccardHigh {
		return "exact, since these have all features"
	}
	return fmt.Sprintf("with 95 %% confidence %s to %s", terminal.Similarity(c.JaccardLow), terminal.Similarity(c.JaccardHigh))
}

func printWeights(w io.Writer, title string, features []explain.Weights) {
	if len(features) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\tA\tB\n", title)
	for _, f := range features {
		fmt.Fprintf(w, "  %s\t%.3g\t%.3g\n", terminal.Plain(f.Feature), f.A, f.B)
	}
}

// Find returns the document of an index that a user names by its id, as a list or a terminal prints it or as it stands.
func Find(ix *index.Snapshot, printed []byte) (doc uint32, known bool, err error) {
	for _, id := range [][]byte{terminal.List.AppendID(nil, printed), terminal.Terminal.AppendID(nil, printed), printed} {
		if doc, known, err = ix.Find(id); known || err != nil {
			break
		}
	}
	return doc, known, err
}

// Named is Find for --id, which names a document that the index has.
func Named(ix *index.Snapshot, id string) (doc uint32, err error) {
	doc, known, err := Find(ix, []byte(id))
	if err == nil && !known {
		err = fmt.Errorf("the index has no document %s: --id takes an id as near and pairs print it", terminal.Plain(id))
	}
	return doc, err
}

// itself returns the document of an index that a query called id is, or nil if it is none of them.
func itself(ix *index.Snapshot, id string, own bool) (*uint32, error) {
	if !own {
		return nil, nil
	}
	doc, known, err := Find(ix, []byte(id))
	if !known {
		return nil, err
	}
	return &doc, err
}
