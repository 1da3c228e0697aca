package options

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"simsearch/index"
	"simsearch/internal/commandline"
	"simsearch/internal/results"
)

// PredicateFlags returns the flags that say which documents are near.
func PredicateFlags() []cli.Flag {
	return commandline.InGroup(SearchedGroup, []cli.Flag{
		KFlag(),
		SimilarityFlag(),
		JaccardFlag(),
		RecallFlag(), BandsFlag(),
		&cli.StringFlag{Name: "verify", Value: index.Exact.String(), Usage: "verify what --jaccard finds by `HOW`: exact (the sets of features), signature (an estimate) or none"},
	})
}

// KFlag returns the flag --k.
func KFlag() cli.Flag {
	return &cli.StringFlag{Name: "k", Usage: "near is a Hamming distance of at most `N` bits; with --jaccard, both are wanted", DefaultText: "what the index is made for"}
}

// JaccardFlag returns the flag --jaccard.
func JaccardFlag() cli.Flag {
	return &cli.StringFlag{Name: "jaccard", Usage: "near is a Jaccard similarity of at least `T`", DefaultText: "what the index is made for: 0.8"}
}

// RecallFlag returns the flag --recall.
func RecallFlag() cli.Flag {
	return &cli.StringFlag{Name: "recall", Usage: "search by the bands of MinHash signatures, which find a pair whose Jaccard similarity is the threshold with probability `R`, more similar ones more surely; an index remembers it", DefaultText: "what the index is made for: 1, nothing is missed"}
}

// Predicate returns what the flags say is near in an index. Without --k, --similarity, --jaccard and --cosine it
// is what the index is made for.
func Predicate(c *cli.Context, ix *index.Snapshot) (n results.Nearness, err error) {
	s, in := ix.Settings(), ix.Input()
	if err := checkExcluding(c); err != nil {
		return n, err
	}
	if c.IsSet("text") {
		if err := in.Refusal([]byte("--text"), false); err != nil {
			return n, err
		}
	}
	n.Predicate = index.Default(s, ix.Search())
	byDistance, bySets := index.Within(cmp.Or(ix.Search().Distance, index.DefaultDistance)), index.Similar(index.DefaultThreshold)
	// The configuration file chooses if it has one of the four.
	prefers := func(flag string) bool {
		for _, other := range []string{"k", "similarity", "jaccard", "cosine"} {
			if commandline.IsConfigured(c, other) != (other == flag) {
				return false
			}
		}
		return true
	}
	switch {
	case c.IsSet("cosine") && s.Image != 0:
		return n, errors.New("--cosine is about the weighted features of texts: search pictures by --k or --similarity")
	case c.IsSet("cosine"):
		return cosine(c, n)
	case ByDistance(c) && c.IsSet("jaccard"):
		n.Predicate, n.WithDistance = index.WithinAndSimilar(byDistance.Distance, bySets.Threshold), true
	case ByDistance(c), c.IsSet("fingerprint") && !c.IsSet("jaccard"):
		n.Predicate = byDistance
	case c.IsSet("jaccard"):
		n.Predicate = bySets
	case prefers("cosine") && s.Fingerprints() && s.Image == 0:
		return cosine(c, n)
	case (prefers("k") || prefers("similarity")) && s.Fingerprints():
		n.Predicate = byDistance
	case prefers("jaccard") && s.Sets():
		n.Predicate = bySets
	default:
		n.WithDistance = n.BySets() && s.Fingerprints()
	}
	if n.Both || !n.BySets() {
		for _, name := range []string{"recall", "bands", "verify"} {
			if c.IsSet(name) {
				return n, fmt.Errorf("--%s is about --jaccard or --cosine: searches by distance find everything, and nothing else", name)
			}
		}
		if n.Distance, err = distance(c, n.Distance, s.Bits); err != nil {
			return n, err
		}
	}
	if !n.BySets() {
		return n, nil
	}
	if n.Threshold, err = commandline.Share(c, "jaccard", n.Threshold, true); err != nil {
		return n, err
	}
	if n.Both {
		return n, nil
	}
	if err := searchBands(c, s, index.Default(s, ix.Search()), &n.Predicate); err != nil {
		return n, err
	}
	n.Verify, err = index.ParseVerification(c.String("verify"))
	return n, err
}

// cosine returns what --cosine says is near.
func cosine(c *cli.Context, n results.Nearness) (_ results.Nearness, err error) {
	if c.IsSet("verify") {
		return n, errors.New("--verify is about --jaccard: the cosine is verified by texts, where there are any")
	}
	n.Predicate = index.SimilarCosine(0)
	if n.Cosine, err = commandline.Share(c, "cosine", 0, true); err != nil {
		return n, err
	}
	n.Recall, err = commandline.Share(c, "recall", n.Recall, true)
	return n, err
}

// Limit returns the value of --limit, or 0 if it is not given.
func Limit(c *cli.Context) (int, error) {
	if !commandline.Has(c, "limit") {
		return 0, nil
	}
	return count(c, "limit", "matches")
}

// NearestFlag returns the flag --nearest.
func NearestFlag() cli.Flag {
	return &cli.StringFlag{Name: "nearest", Usage: "near are the `N` nearest documents, however far; --k and --jaccard say how far at most"}
}

// Nearest returns the value of --nearest, or 0 if it is not given.
func Nearest(c *cli.Context) (int, error) {
	if !commandline.Has(c, "nearest") {
		return 0, nil
	}
	for _, name := range []string{"limit", "recall", "bands", "verify"} {
		if c.IsSet(name) {
			return 0, fmt.Errorf("--nearest and --%s exclude each other: the nearest are as many as wanted, and exact", name)
		}
	}
	return count(c, "nearest", "documents")
}

// count returns the value of a flag that is a number of things, 1 or more.
func count(c *cli.Context, flag, things string) (int, error) {
	n, err := strconv.Atoi(c.String(flag))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("--%s %s: want a whole number of %s, 1 or more", flag, c.String(flag), things)
	}
	return n, nil
}
