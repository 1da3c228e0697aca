package options

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/internal/results"
)

// PredicateFlags returns the flags that say which documents are near.
func (c *Flags) PredicateFlags() []cli.Flag {
	return commandline.InGroup(SearchedGroup, []cli.Flag{
		c.KFlag(), c.SimilarityFlag(), c.JaccardFlag(), c.RecallFlag(), c.BandsFlag(),
		c.Verify.As("verify", "verify what --jaccard finds by `HOW`: exact (the sets of features), signature (an estimate) or none").Or(index.Exact).By(func(_, s string) (index.Verification, error) { return index.ParseVerification(s) }),
	})
}

// KFlag returns the flag --k.
func (c *Flags) KFlag() cli.Flag {
	return c.K.As("k", "near is a Hamming distance of at most `N` bits; with --jaccard, both are wanted").By(ReadBits).Told("what the index is made for")
}

// JaccardFlag returns the flag --jaccard.
func (c *Flags) JaccardFlag() cli.Flag {
	return c.Jaccard.As("jaccard", "near is a Jaccard similarity of at least `T`").By(commandline.Share).Told("what the index is made for: 0.8")
}

// RecallFlag returns the flag --recall.
func (c *Flags) RecallFlag() cli.Flag {
	return c.Recall.As("recall", "search by the bands of MinHash signatures, which find a pair whose Jaccard similarity is the threshold with probability `R`, more similar ones more surely; an index remembers it").By(commandline.Share).Told("what the index is made for: 1, nothing is missed")
}

// Predicate returns what the flags say is near in an index. Without --k, --similarity, --jaccard and --cosine it
// is what the index is made for.
func Predicate(c *Flags, ix *index.Snapshot) (n results.Nearness, err error) {
	s, in := ix.Settings(), ix.Input()
	if err := checkExcluding(c); err != nil {
		return n, err
	}
	if c.Text.Given {
		if err := in.Refusal([]byte("--text"), false); err != nil {
			return n, err
		}
	}
	n.Predicate = index.Default(s, ix.Search())
	byDistance, bySets := index.Within(cmp.Or(ix.Search().Distance, index.DefaultDistance)), index.Similar(index.DefaultThreshold)
	// The configuration file chooses if it has one of the four.
	configured := [4]bool{c.K.Configured(), c.Similarity.Configured(), c.Jaccard.Configured(), c.Cosine.Configured()}
	switch {
	case c.Cosine.Given && s.Image != 0:
		return n, errors.New("--cosine is about the weighted features of texts: search pictures by --k or --similarity")
	case c.Cosine.Given:
		return cosine(c, n)
	case ByDistance(c) && c.Jaccard.Given:
		n.Predicate, n.WithDistance = index.WithinAndSimilar(byDistance.Distance, bySets.Threshold), true
	case ByDistance(c), c.Fingerprint.Given && !c.Jaccard.Given:
		n.Predicate = byDistance
	case c.Jaccard.Given:
		n.Predicate = bySets
	case configured == [4]bool{3: true} && s.Fingerprints() && s.Image == 0:
		return cosine(c, n)
	case (configured == [4]bool{0: true} || configured == [4]bool{1: true}) && s.Fingerprints():
		n.Predicate = byDistance
	case configured == [4]bool{2: true} && s.Sets():
		n.Predicate = bySets
	default:
		n.WithDistance = n.BySets() && s.Fingerprints()
	}
	if n.Both || !n.BySets() {
		if name := commandline.FirstGiven(&c.Recall, &c.Bands, &c.Verify); name != "" {
			return n, fmt.Errorf("--%s is about --jaccard or --cosine: searches by distance find everything, and nothing else", name)
		}
		if n.Distance, err = distance(c, n.Distance, s.Bits); err != nil {
			return n, err
		}
	}
	if !n.BySets() {
		return n, nil
	}
	if commandline.Put(&c.Jaccard, &n.Threshold); n.Both {
		return n, nil
	}
	n.Verify = c.Verify.Value
	return n, searchBands(c, s, index.Default(s, ix.Search()), &n.Predicate)
}

// cosine returns what --cosine says is near.
func cosine(c *Flags, n results.Nearness) (results.Nearness, error) {
	if c.Verify.Given {
		return n, errors.New("--verify is about --jaccard: the cosine is verified by texts, where there are any")
	}
	n.Predicate = index.SimilarCosine(c.Cosine.Value)
	commandline.Put(&c.Recall, &n.Recall)
	return n, nil
}

// NearestFlag returns the flag --nearest.
func (c *Flags) NearestFlag() cli.Flag {
	return c.Nearest.As("nearest", "near are the `N` nearest documents, however far; --k and --jaccard say how far at most").By(commandline.Count("documents"))
}

// Nearest returns the value of --nearest, or 0 if it is not given.
func Nearest(c *Flags) (int, error) {
	if !c.Nearest.Has() {
		return 0, nil
	}
	if name := commandline.FirstGiven(&c.Limit, &c.Recall, &c.Bands, &c.Verify); name != "" {
		return 0, fmt.Errorf("--nearest and --%s exclude each other: the nearest are as many as wanted, and exact", name)
	}
	return c.Nearest.Value, nil
}

// LimitFlag returns the flag --limit.
func (c *Flags) LimitFlag() cli.Flag {
	return c.Limit.As("limit", "print the `N` nearest of each query only; of those equally near, the first by id").By(commandline.Count("matches")).Told("all").In(OutputGroup)
}
