package options

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/fingerprint"
	"simsearch/internal/commandline"
)

// SimilarityFlag returns the flag --similarity.
func (c *Flags) SimilarityFlag() cli.Flag {
	return c.Similarity.As("similarity", "near are fingerprints of which a share of at least `S` bits is equal: 0.95 is --k 3 of 64 bits").By(commandline.Number("a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 }))
}

// CosineFlag returns the flag --cosine.
func (c *Flags) CosineFlag() cli.Flag {
	return c.Cosine.As("cosine", "near is a cosine of the weighted words of at least `T`, of texts whose fingerprints are near enough to be found: 99 % of those at T, or --recall; without kept texts or sources, the estimate by the fingerprints").By(commandline.Share)
}

// checkExcluding returns an error if c has two flags that exclude each other.
func checkExcluding(c *Flags) error {
	const distances = "--cosine chooses the distance of its candidates"
	for _, e := range []struct {
		a, b commandline.AnyFlag
		why  string
	}{
		{&c.K, &c.Similarity, "both are a distance of fingerprints"},
		{&c.Cosine, &c.K, distances},
		{&c.Cosine, &c.Similarity, distances},
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
func ByDistance(c *Flags) bool { return c.K.Given || c.Similarity.Given }

// distance returns the value of --k, or the distance that --similarity stands for, in [0, bits].
func distance(c *Flags, otherwise, bits int) (int, error) {
	if c.Similarity.Given || c.Similarity.Has() && !c.K.Given {
		return fingerprint.SimilarityDistance(c.Similarity.Value, bits), nil
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

// Given returns what the flags of compare ask for. Fingerprints have the given number of bits. ok is false if
// they ask for nothing.
func Given(c *Flags, bits int) (w Wanted, ok bool, err error) {
	w.Distance = -1
	if commandline.FirstGiven(&c.K, &c.Similarity, &c.Jaccard, &c.Cosine) == "" {
		return w, false, nil
	}
	if err := checkExcluding(c); err != nil {
		return w, false, err
	}
	if ByDistance(c) {
		if w.Distance, err = distance(c, 0, bits); err != nil {
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
