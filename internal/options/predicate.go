package options

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"simsearch/fingerprint"
	"simsearch/internal/analysis"
	"simsearch/internal/commandline"
	"simsearch/internal/dedup"
	"simsearch/internal/index"
	"simsearch/internal/results"
)

// nearFlags say which documents are near.
type nearFlags struct {
	K, Nearest, Limit whole
	EqualBits         share // --k by another name
	Jaccard           share // which dedup and eval have, too
	Contained         share // which dedup has, too
	others            map[*index.Kind]*share
	Verify            commandline.Flag[index.Verification]
	Text, Fingerprint text // queries, which say what is searched
}

// PredicateFlags returns the flags that say which documents are near. Documents that arrive are answered by some kinds of nearness only.
func (c *Flags) PredicateFlags(arrive bool) []cli.Flag {
	flags := c.KindFlags(arrive)
	return commandline.InGroup(SearchedGroup, append(flags, c.RecallFlag(), c.BandsFlag(),
		c.Verify.As("verify", "verify what --jaccard finds by `HOW`: exact (the sets), signature (an estimate) or none").
			Or(index.Exact).By(func(_, s string) (index.Verification, error) { return index.ParseVerification(s) }),
	))
}

// KindFlags returns the flags that say by which kind of nearness documents are near, and from which value on.
func (c *nearFlags) KindFlags(arrive bool) []cli.Flag {
	flags := []cli.Flag{
		c.K.As("k", "near is a Hamming distance of at most `N` bits").By(ReadBits).
			Told("3 in an index of fingerprints alone"),
		c.EqualBits.As("equal-bits", "near is a share of at least `S` equal bits; 0.95 is --k 3 of 64 bits").
			By(commandline.Number("a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 })),
	}
	for _, k := range index.Kinds() {
		if !k.HasFlag() || arrive && k.NoWatch != "" {
			continue
		}
		read := commandline.Share
		if k.Whole {
			read = commandline.Number("a whole number, 1 or more", func(x float64) bool { return x >= 1 && x == math.Trunc(x) && x <= math.MaxInt32 })
		}
		flags = append(flags, c.Least(k).As(k.Key, k.Usage).Alias(k.Aliases...).By(read).Told(k.Told))
	}
	return flags
}

// kinds returns the flags that choose a kind of nearness, each with its kind.
func (c *nearFlags) kinds() (all []chooser) {
	all = []chooser{{&c.EqualBits, index.Distance}, {&c.K, index.Distance}}
	for _, k := range index.Kinds() {
		if k.HasFlag() {
			all = append(all, chooser{c.Least(k), k})
		}
	}
	return all
}

type chooser struct {
	commandline.AnyFlag
	kind *index.Kind
}

// Least returns the flag that gives the least value of a kind of nearness.
func (c *nearFlags) Least(k *index.Kind) *share {
	switch k.Key {
	case index.Jaccard.Key:
		return &c.Jaccard
	case index.Contained.Key:
		return &c.Contained
	}
	if c.others == nil {
		c.others = map[*index.Kind]*share{}
	}
	if c.others[k] == nil {
		c.others[k] = new(share)
	}
	return c.others[k]
}

// RecallFlag returns the flag --recall.
func (c *bandFlags) RecallFlag() cli.Flag {
	return c.Recall.As("recall", "find a pair at the threshold with probability `R`, by bands of MinHash signatures; an index remembers it").By(commandline.Share).
		Told("that of the index: usually 1, nothing is missed")
}

// Predicate returns what the flags say is near in an index. If they name no kind of nearness, it is what the index is made for.
func (c *Flags) Predicate(ix *index.Snapshot) (n results.Nearness, err error) {
	s, in := ix.Settings(), ix.Input()
	kind, err := c.asked()
	if err != nil {
		return n, err
	}
	if c.Text.Given {
		if err := in.Refusal([]byte("--text"), false); err != nil {
			return n, err
		}
	}
	switch {
	case kind == nil && c.Fingerprint.Given:
		kind = index.Distance
	case kind == nil:
		kind = c.configured(s)
	}
	stored := index.Default(s, ix.Search())
	if n.Predicate = stored; kind != nil {
		n.Predicate = kind.Predicate(index.DefaultThreshold, cmp.Or(ix.Search().Distance, index.DefaultDistance))
	}
	n.WithDistance = n.Kind.Fingerprints || kind == nil && s.Fingerprints()
	if err := cmp.Or(c.exactly(n.Kind), c.values(&n.Predicate, s.Bits)); err != nil {
		return n, err
	}
	if n.Kind.Banded {
		n.Verify = c.Verify.Value
		return n, c.searchBands(s, stored, &n.Predicate)
	}
	if n.Kind.Missable() {
		commandline.Put(&c.Recall, &n.Recall)
	}
	return n, nil
}

// values sets how near documents are to be by p, as the flags say. Fingerprints have the given number of bits.
func (c *Flags) values(p *index.Predicate, bits int) (err error) {
	if p.Kind.Within {
		p.Distance, err = c.distance(p.Distance, bits)
	}
	if !p.Kind.Bare {
		commandline.Put(c.Least(p.Kind), &p.Threshold)
	}
	return err
}

// exactly returns an error if flags are given that are about what another kind of nearness finds and verifies.
func (c *Flags) exactly(by *index.Kind) error {
	name, of := commandline.FirstGiven(&c.Bands, &c.Verify), func(k *index.Kind) bool { return k.Banded }
	if c.Recall.Given && !by.Missable() {
		name, of = "recall", (*index.Kind).Missable
	}
	if name == "" || of(by) {
		return nil
	}
	var about []string
	for _, k := range index.Kinds() {
		if k.HasFlag() && of(k) {
			about = append(about, "--"+k.Key)
		}
	}
	return fmt.Errorf("--%s is about %s: %s", name, strings.Join(about, " or "), by.Exactly)
}

// NearestFlag returns the flag --nearest.
func (c *nearFlags) NearestFlag() cli.Flag {
	return c.Nearest.As("nearest", "find the `N` nearest documents, however far they are; --k and --jaccard say how far at most").By(commandline.Count("documents"))
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
	return c.Limit.As("limit", "print only the `N` nearest matches of each query, or pairs; of groups, the N largest").By(commandline.Count("results")).Told("all").In(OutputGroup)
}

// asked returns the kind of nearness that the command line asks for, or nil if it asks for none. It returns an error if flags
// exclude each other.
func (c *Flags) asked() (kind *index.Kind, err error) {
	exclude := func(a, b commandline.AnyFlag, why string) {
		if err == nil && why != "" && a.IsSet() && b.IsSet() {
			err = fmt.Errorf("--%s and --%s exclude each other: %s", a.Names()[0], b.Names()[0], why)
		}
	}
	var given []chooser
	for _, f := range c.kinds() {
		if !f.IsSet() {
			continue
		}
		for _, e := range given {
			switch {
			case e.kind == f.kind:
				exclude(f, e, "both are a distance of fingerprints")
			case e.kind != index.Distance:
				exclude(f, e, "near is by one or by the other")
			default:
				exclude(f, e, f.kind.NoDistance)
			}
		}
		exclude(f, &c.Nearest, f.kind.NoNearest)
		if f.kind.Weighted != "" {
			exclude(f, &c.FingerprintField, "fingerprints have no "+f.kind.Weighted)
		}
		if given, kind = append(given, f), f.kind; kind != index.Distance && given[0].kind == index.Distance {
			kind = kind.WithDistance
		}
	}
	return kind, err
}

// configured returns the kind of nearness that the configuration file chooses for an index with settings s: the one that it has a
// flag of, if it has one such flag only. It returns nil if it chooses none.
func (c *nearFlags) configured(s analysis.Settings) (kind *index.Kind) {
	flags := 0
	for _, f := range c.kinds() {
		if f.Has() && !f.IsSet() {
			kind = f.kind
			flags++
		}
	}
	if flags != 1 || kind.Predicate(1, 0).Check(s) != nil {
		return nil
	}
	return kind
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
	return commandline.Whole(bitsUpTo(dedup.MaxDistance+1), 0, dedup.MaxDistance+1)(name, text)
}

// bitsUpTo says which distances are wanted of fingerprints of so many bits.
func bitsUpTo(bits int) string { return fmt.Sprintf("a whole number of bits from 0 to %d", bits) }

// Wanted returns how near the flags of compare want two documents to be. Fingerprints have the given number of bits. ok is false if
// they want nothing.
func (c *Flags) Wanted(bits int) (p index.Predicate, ok bool, err error) {
	kind, err := c.asked()
	if err != nil || kind == nil {
		return p, false, err
	}
	p = kind.Predicate(0, 0)
	return p, true, c.values(&p, bits)
}
