package options

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/fingerprint"
	"simsearch/internal/commandline"
	"simsearch/internal/index"
	"simsearch/internal/results"
)

// nearFlags say which documents are near.
type nearFlags struct {
	K, Nearest, Limit          whole
	EqualBits, Jaccard, Cosine share
	Verify                     commandline.Flag[index.Verification]
	Text, Fingerprint          text // queries, which say what is searched
}

// PredicateFlags returns the flags that say which documents are near.
func (c *Flags) PredicateFlags() []cli.Flag {
	return commandline.InGroup(SearchedGroup, []cli.Flag{
		c.KFlag(), c.EqualBitsFlag(), c.JaccardFlag(), c.RecallFlag(), c.BandsFlag(),
		c.Verify.As("verify", "verify what --jaccard finds by `HOW`: exact (the sets of features), signature (an estimate) or none").Or(index.Exact).By(func(_, s string) (index.Verification, error) { return index.ParseVerification(s) }),
	})
}

// KFlag returns the flag --k.
func (c *nearFlags) KFlag() cli.Flag {
	return c.K.As("k", "near is a Hamming distance of at most `N` bits; with --jaccard, both are wanted").By(ReadBits).Told("what the index is made for")
}

// JaccardFlag returns the flag --jaccard.
func (c *nearFlags) JaccardFlag() cli.Flag {
	return c.Jaccard.As("jaccard", "near is a Jaccard similarity of at least `T`").Alias("threshold").By(commandline.Share).Told("what the index is made for: 0.8")
}

// RecallFlag returns the flag --recall.
func (c *bandFlags) RecallFlag() cli.Flag {
	return c.Recall.As("recall", "search by the bands of MinHash signatures, which find a pair whose Jaccard similarity is the threshold with probability `R`, more similar ones more surely; an index remembers it").By(commandline.Share).Told("what the index is made for: 1, nothing is missed")
}

// Predicate returns what the flags say is near in an index. Without --k, --equal-bits, --jaccard and --cosine it
// is what the index is made for.
func (c *Flags) Predicate(ix *index.Snapshot) (n results.Nearness, err error) {
	s, in := ix.Settings(), ix.Input()
	if err := c.checkExcluding(); err != nil {
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
	configured := [4]bool{c.K.Configured(), c.EqualBits.Configured(), c.Jaccard.Configured(), c.Cosine.Configured()}
	switch {
	case c.Cosine.Given && s.Image != 0:
		return n, errors.New("--cosine is about the weighted features of texts: search pictures by --k or --equal-bits")
	case c.Cosine.Given:
		return c.byCosine(n)
	case c.ByDistance() && c.Jaccard.Given:
		n.Predicate, n.WithDistance = index.WithinAndSimilar(byDistance.Distance, bySets.Threshold), true
	case c.ByDistance(), c.Fingerprint.Given && !c.Jaccard.Given:
		n.Predicate = byDistance
	case c.Jaccard.Given:
		n.Predicate = bySets
	case configured == [4]bool{3: true} && s.Fingerprints() && s.Image == 0:
		return c.byCosine(n)
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
		if n.Distance, err = c.distance(n.Distance, s.Bits); err != nil {
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
	return n, c.searchBands(s, index.Default(s, ix.Search()), &n.Predicate)
}

// byCosine returns what --cosine says is near.
func (c *Flags) byCosine(n results.Nearness) (results.Nearness, error) {
	if c.Verify.Given {
		return n, errors.New("--verify is about --jaccard: the cosine is verified by texts, where there are any")
	}
	n.Predicate = index.SimilarCosine(c.Cosine.Value)
	commandline.Put(&c.Recall, &n.Recall)
	return n, nil
}

// NearestFlag returns the flag --nearest.
func (c *nearFlags) NearestFlag() cli.Flag {
	return c.Nearest.As("nearest", "near are the `N` nearest documents, however far; --k and --jaccard say how far at most").By(commandline.Count("documents"))
}

// NearestWanted returns the value of --nearest, or 0 if it is not given.
func (c *Flags) NearestWanted() (int, error) {
	if !c.Nearest.Has() {
		return 0, nil
	}
	if name := commandline.FirstGiven(&c.Limit, &c.Recall, &c.Bands, &c.Verify); name != "" {
		return 0, fmt.Errorf("--nearest and --%s exclude each other: the nearest are as many as wanted, and exact", name)
	}
	return c.Nearest.Value, nil
}

// LimitFlag returns the flag --limit.
func (c *nearFlags) LimitFlag() cli.Flag {
	return c.Limit.As("limit", "print the `N` nearest of each query only; of those equally near, the first by id").By(commandline.Count("matches")).Told("all").In(OutputGroup)
}

// EqualBitsFlag returns the flag --equal-bits.
func (c *nearFlags) EqualBitsFlag() cli.Flag {
	return c.EqualBits.As("equal-bits", "near are fingerprints of which a share of at least `S` bits is equal: 0.95 is --k 3 of 64 bits").By(commandline.Number("a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 }))
}

// CosineFlag returns the flag --cosine.
func (c *nearFlags) CosineFlag() cli.Flag {
	return c.Cosine.As("cosine", "near is a cosine of the weighted words of at least `T`, of texts whose fingerprints are near enough to be found: 99 % of those at T, or --recall; without kept texts or sources, the estimate by the fingerprints").By(commandline.Share)
}

// checkExcluding returns an error if c has two flags that exclude each other.
func (c *Flags) checkExcluding() error {
	const distances = "--cosine chooses the distance of its candidates"
	for _, e := range []struct {
		a, b commandline.AnyFlag
		why  string
	}{
		{&c.K, &c.EqualBits, "both are a distance of fingerprints"},
		{&c.Cosine, &c.K, distances},
		{&c.Cosine, &c.EqualBits, distances},
		{&c.Cosine, &c.Jaccard, "near is by one or by the other"},
		{&c.Cosine, &c.Nearest, "those within a cosine come the nearest first: use --limit"},
		{&c.Cosine, &c.FingerprintField, "fingerprints have no weighted words"},
	} {
		if e.a.IsSet() && e.b.IsSet() {
			return fmt.Errorf("--%s and --%s exclude each other: %s", e.a.Names()[0], e.b.Names()[0], e.why)
		}
	}
	return nil
}

// ByDistance reports whether the command line asks for a distance of fingerprints.
func (c *nearFlags) ByDistance() bool { return c.K.Given || c.EqualBits.Given }

// distance returns the value of --k, or the distance that --equal-bits stands for, in [0, bits].
func (c *nearFlags) distance(otherwise, bits int) (int, error) {
	if c.EqualBits.Given || c.EqualBits.Has() && !c.K.Given {
		return fingerprint.SimilarityDistance(c.EqualBits.Value, bits), nil
	}
	if !c.K.Has() {
		return otherwise, nil
	}
	if c.K.Value > bits {
		return 0, fmt.Errorf("--k %d: want %s", c.K.Value, bitsUpTo(bits))
	}
	return c.K.Value, nil
}

// ReadBits reads a distance in bits.
func ReadBits(name, text string) (int, error) {
	return commandline.Whole(bitsUpTo(64), 0, 64)(name, text)
}

// bitsUpTo says which distances are wanted of fingerprints of so many bits.
func bitsUpTo(bits int) string { return fmt.Sprintf("a whole number of bits from 0 to %d", bits) }

// A Wanted is how near two documents are to be.
type Wanted struct {
	Distance        int // in bits; -1 if it does not matter
	Jaccard, Cosine float64
}

// Wanted returns what the flags of compare ask for. Fingerprints have the given number of bits. ok is false if
// they ask for nothing.
func (c *Flags) Wanted(bits int) (w Wanted, ok bool, err error) {
	w.Distance = -1
	if commandline.FirstGiven(&c.K, &c.EqualBits, &c.Jaccard, &c.Cosine) == "" {
		return w, false, nil
	}
	if err := c.checkExcluding(); err != nil {
		return w, false, err
	}
	if c.ByDistance() {
		if w.Distance, err = c.distance(0, bits); err != nil {
			return w, false, err
		}
	}
	if c.Jaccard.Given {
		w.Jaccard = c.Jaccard.Value
	}
	if c.Cosine.Given {
		w.Cosine = c.Cosine.Value
	}
	return w, true, nil
}

// String says what is wanted.
func (w Wanted) String() string {
	var parts []string
	if w.Distance >= 0 {
		parts = append(parts, fmt.Sprintf("a distance of at most %d bits", w.Distance))
	}
	if w.Jaccard > 0 {
		parts = append(parts, fmt.Sprintf("a Jaccard similarity of at least %v", w.Jaccard))
	}
	if w.Cosine > 0 {
		parts = append(parts, fmt.Sprintf("a cosine of at least %v", w.Cosine))
	}
	return strings.Join(parts, " and ")
}
