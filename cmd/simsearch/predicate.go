package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"simsearch/analysis"
	"simsearch/index"
)

// predicateFlags say which documents are near.
func predicateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "k", Usage: "near is a Hamming distance of at most `N` bits", DefaultText: "3 where there are fingerprints"},
		&cli.StringFlag{Name: "jaccard", Usage: "near is a Jaccard similarity of at least `T`", DefaultText: "0.8 where there are none"},
		recallFlag(),
		&cli.StringFlag{Name: "verify", Value: index.Exact.String(), Usage: "verify what --jaccard finds by `HOW`: exact (the sets of features), signature (an estimate) or none"},
	}
}

func recallFlag() cli.Flag {
	return &cli.StringFlag{Name: "recall", Usage: "find a pair whose Jaccard similarity is the threshold with probability `R`, more similar ones more surely", DefaultText: "0.95"}
}

// predicate returns what the flags say is near in an index of such settings.
func predicate(c *cli.Context, s analysis.Settings) (index.Predicate, error) {
	bySets := c.IsSet("jaccard") || !c.IsSet("k") && !s.Fingerprints()
	if !bySets {
		for _, name := range []string{"recall", "verify"} {
			if c.IsSet(name) {
				return index.Predicate{}, fmt.Errorf("--%s is about --jaccard: searches by distance find everything, and nothing else", name)
			}
		}
		k, err := distance(c, s.Bits)
		return index.Within(k), err
	}
	if c.IsSet("k") {
		return index.Predicate{}, errors.New("--k and --jaccard exclude each other")
	}
	threshold, err := share(c, "jaccard", index.DefaultThreshold, true)
	if err != nil {
		return index.Predicate{}, err
	}
	out := index.Similar(threshold)
	if out.Recall, err = share(c, "recall", out.Recall, false); err != nil {
		return out, err
	}
	out.Verify, err = index.ParseVerification(c.String("verify"))
	return out, err
}

// distance returns the value of --k, in [0, bits].
func distance(c *cli.Context, bits int) (int, error) {
	if !c.IsSet("k") {
		return index.DefaultDistance, nil
	}
	s := c.String("k")
	k, err := strconv.Atoi(s)
	if err != nil || k < 0 || k > bits {
		return 0, fmt.Errorf("--k %s: want a whole number of bits from 0 to %d", s, bits)
	}
	return k, nil
}

// limit returns the value of --limit, 0 if it is not given.
func limit(c *cli.Context) (int, error) {
	if !c.IsSet("limit") {
		return 0, nil
	}
	n, err := strconv.Atoi(c.String("limit"))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("--limit %s: want a whole number of matches, 1 or more", c.String("limit"))
	}
	return n, nil
}

// share returns the value of a flag, in (0, 1) or, where one is right, (0, 1].
func share(c *cli.Context, name string, otherwise float64, one bool) (float64, error) {
	if !c.IsSet(name) {
		return otherwise, nil
	}
	x, err := strconv.ParseFloat(c.String(name), 64)
	if err != nil || !(x > 0 && (x < 1 || one && x == 1)) {
		upTo := "less than 1"
		if one {
			upTo = "at most 1"
		}
		return 0, fmt.Errorf("--%s %s: want a number more than 0 and %s", name, c.String(name), upTo)
	}
	return x, nil
}
