package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/terminal"
	"simsearch/preprocess"
)

// How long shingles should be: so long that a given one is hardly in a document by chance. There are 27^k
// shingles of k letters and spaces, so that a document of n shingles has a given one with a probability of
// 1 − (1 − 27^-k)ⁿ, if all were equally likely. They are not, and texts of a collection have words and
// phrases in common; so the probability is measured, too.
//
// Source: J. Leskovec, A. Rajaraman, J. Ullman, Mining of Massive Datasets, section 3.2.2. It advises to count
// with 20 characters, since most letters are rare.

const (
	shingleDocuments = 200       // that are drawn
	shingleBytes     = 256 << 10 // of a document that are looked at
	likelyShingle    = 0.01      // the largest probability that is advised
	relatedJaccard   = 0.5       // documents that are more similar are no example of chance
)

// A shingleLength is a kind and length of shingles, and how likely a given one is in a document.
type shingleLength struct {
	features preprocess.FeatureSpec
	// by27 and by20 are the means over documents of the probability, if there are 27 or 20 equally likely
	// characters. They are for shingles of characters.
	by27, by20 float64
	// measured is the mean over pairs of documents of the share of the distinct shingles of one that the
	// other has.
	measured float64
	pairs    int
}

func shingleLengths() (out []shingleLength) {
	for n := 2; n <= 12; n++ {
		out = append(out, shingleLength{features: preprocess.FeatureSpec{Kind: preprocess.CharN, N: n}})
	}
	for n := 1; n <= 5; n++ {
		out = append(out, shingleLength{features: preprocess.FeatureSpec{Kind: preprocess.WordN, N: n}})
	}
	return out
}

// inDocument returns the probability that a document of n shingles has a given one of k characters, if each
// of so many characters is equally likely and shingles are independent.
func inDocument(characters float64, k, n int) float64 {
	return -math.Expm1(float64(n) * math.Log1p(-math.Pow(characters, -float64(k))))
}

// shingles returns the section of a report that advises on the length of shingles. It is nil for a collection
// of items, which have no length.
func shingles(ctx context.Context, c *Collection) (*Section, error) {
	if c.Settings.Features.Kind == preprocess.Items {
		return nil, nil
	}
	docs, texts := drawTexts(c)
	s := &Section{Name: "shingles", Title: "Length of shingles"}
	lengths := shingleLengths()
	err := parallel.Ordered(ctx, c.o.Threads, len(lengths), func(ctx context.Context, i int) (struct{}, error) {
		return struct{}{}, measureShingles(ctx, c, &lengths[i], docs, texts)
	}, func(struct{}) error { return nil })
	if err != nil {
		return nil, err
	}
	if lengths[0].pairs == 0 {
		s.Text = append(s.Text, "There are no two unrelated documents to say how long shingles should be.")
		return s, nil
	}
	s.Text = append(s.Text, adviseLength(lengths, len(texts)),
		fmt.Sprintf("Measured is the share of the distinct shingles of a document that another one has, in the mean of %s of documents drawn at random that are not near. Of 27 and of 20 characters is the probability that a document has a given shingle of k characters, 1 − (1 − 27^-k)ⁿ, if 27 or 20 of them were equally likely. "+
			"A longer shingle costs more where texts are rewritten: one changed word changes up to k shingles of k words.", terminal.Plural(lengths[0].pairs, "pair")))
	t := s.AddTable("How likely a given shingle is in a document", "features", "of 27 characters", "of 20 characters", "measured")
	for _, l := range lengths {
		by27, by20 := any("–"), any("–")
		if l.features.Kind == preprocess.CharN {
			by27, by20 = l.by27, l.by20
		}
		t.Add(l.features.String(), by27, by20, l.measured)
	}
	return s, nil
}

// adviseLength returns a sentence that names the shortest shingles that are rarely in a document by chance.
func adviseLength(lengths []shingleLength, documents int) string {
	shortest := func(kind preprocess.Kind, probability func(shingleLength) float64) (l shingleLength, ok bool) {
		for _, of := range lengths {
			if of.features.Kind != kind {
				continue
			}
			if l = of; probability(l) <= likelyShingle {
				return l, true
			}
		}
		return l, false // the longest
	}
	name := func(kind preprocess.Kind) string {
		l, ok := shortest(kind, func(l shingleLength) float64 { return l.measured })
		if !ok {
			return fmt.Sprintf("none up to %s (%.2g), since many documents have phrases in common", l.features, l.measured)
		}
		return fmt.Sprintf("%s (%.2g)", l.features, l.measured)
	}
	text := fmt.Sprintf("The shortest shingles that a document has with a probability of at most %v, if another one has them, measured on %s: of characters %s, of words %s.",
		likelyShingle, terminal.Plural(documents, "document"), name(preprocess.CharN), name(preprocess.WordN))
	if l, ok := shortest(preprocess.CharN, func(l shingleLength) float64 { return l.by27 }); ok {
		text += fmt.Sprintf(" If 27 characters were equally likely, %s would do.", l.features)
	}
	return text
}

// drawTexts returns up to shingleDocuments documents with features, and their texts, in random order.
func drawTexts(c *Collection) (docs []uint32, texts [][]byte) {
	docs = c.shuffled("shingles")
	docs = docs[:min(len(docs), shingleDocuments)]
	for _, doc := range docs {
		text := c.texts.docs[doc].Text
		texts = append(texts, text[:min(len(text), shingleBytes)])
	}
	return docs, texts
}

// measureShingles measures each document against the one before it in the list, and the first against the
// last.
func measureShingles(ctx context.Context, c *Collection, l *shingleLength, docs []uint32, texts [][]byte) error {
	analyzer, err := preprocess.New(preprocess.Options{Features: l.features, Language: preprocess.NoLanguage})
	if err != nil {
		return err
	}
	var d preprocess.Document
	set := func(i int) ([]uint64, int) {
		analyzer.Analyze(&d, texts[i])
		text, spans := d.Features()
		return slices.Compact(slices.Sorted(slices.Values(fingerprint.Murmur3.SumAll(nil, text, spans)))), len(spans)
	}
	if len(docs) < 2 {
		return nil
	}
	before, _ := set(len(docs) - 1)
	for i := range docs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		now, n := set(i)
		if last := docs[(i+len(docs)-1)%len(docs)]; c.jaccard(docs[i], last) < relatedJaccard && len(before) > 0 {
			l.pairs++
			l.measured += float64(ints.Shared(before, now)) / float64(len(before))
			l.by27 += inDocument(27, l.features.N, n)
			l.by20 += inDocument(20, l.features.N, n)
		}
		before = now
	}
	if l.pairs > 0 {
		pairs := float64(l.pairs)
		l.measured, l.by27, l.by20 = l.measured/pairs, l.by27/pairs, l.by20/pairs
	}
	return nil
}
