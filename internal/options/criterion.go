package options

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/fingerprint"
	"simsearch/internal/commandline"
)

// SimilarityFlag returns the flag --similarity.
func SimilarityFlag() cli.Flag {
	return &cli.StringFlag{Name: "similarity", Usage: "near are fingerprints of which a share of at least `S` bits is equal: 0.95 is --k 3 of 64 bits"}
}

// CosineFlag returns the flag --cosine.
func CosineFlag() cli.Flag {
	return &cli.StringFlag{Name: "cosine", Usage: "near is a cosine of the weighted words of at least `T`, of texts whose fingerprints are near enough to be found: 99 % of those at T, or --recall; without kept texts or sources, the estimate by the fingerprints"}
}

// excluding are the flags that cannot be given together, with the reason.
var excluding = []struct{ a, b, why string }{
	{"k", "similarity", "both are a distance of fingerprints"},
	{"cosine", "k", "--cosine chooses the distance of its candidates"},
	{"cosine", "similarity", "--cosine chooses the distance of its candidates"},
	{"cosine", "jaccard", "near is by one or by the other"},
	{"cosine", "nearest", "those within a cosine come the nearest first: use --limit"},
	{"cosine", "fingerprint-field", "fingerprints have no weighted words"},
}

// checkExcluding returns an error if c has two flags that exclude each other.
func checkExcluding(c *cli.Context) error {
	for _, e := range excluding {
		if c.IsSet(e.a) && c.IsSet(e.b) {
			return fmt.Errorf("--%s and --%s exclude each other: %s", e.a, e.b, e.why)
		}
	}
	return nil
}

// ByDistance reports whether the command line asks for a distance of fingerprints.
func ByDistance(c *cli.Context) bool { return c.IsSet("k") || c.IsSet("similarity") }

// distance returns the value of --k, or the distance that --similarity stands for, in [0, bits].
func distance(c *cli.Context, otherwise, bits int) (int, error) {
	if c.IsSet("similarity") || commandline.Has(c, "similarity") && !c.IsSet("k") {
		s, err := unitShare(c, "similarity")
		return fingerprint.SimilarityDistance(s, bits), err
	}
	if !commandline.Has(c, "k") {
		return otherwise, nil
	}
	s := c.String("k")
	k, err := strconv.Atoi(s)
	if err != nil || k < 0 || k > bits {
		return 0, fmt.Errorf("--k %s: want a whole number of bits from 0 to %d", s, bits)
	}
	return k, nil
}

// unitShare returns the value of a flag that is a number in [0, 1].
func unitShare(c *cli.Context, flag string) (float64, error) {
	x, err := strconv.ParseFloat(c.String(flag), 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("--%s %s: want a number from 0 to 1", flag, c.String(flag))
	}
	return x, nil
}

// A Wanted is how near two documents are to be.
type Wanted struct {
	Distance        int // in bits; -1 if it does not matter
	Jaccard, Cosine float64
}

// Given returns what the flags of compare ask for. Fingerprints have the given number of bits. ok is false if
// they ask for nothing.
func Given(c *cli.Context, bits int) (w Wanted, ok bool, err error) {
	flags := []string{"k", "similarity", "jaccard", "cosine"}
	w.Distance = -1
	if !slices.ContainsFunc(flags, c.IsSet) {
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
	for _, of := range []struct {
		flag string
		into *float64
	}{{"jaccard", &w.Jaccard}, {"cosine", &w.Cosine}} {
		if c.IsSet(of.flag) {
			if *of.into, err = commandline.Share(c, of.flag, 0, true); err != nil {
				return w, false, err
			}
		}
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
