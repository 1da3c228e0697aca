// Package review asks a person whether near documents are: it chooses a sample of pairs, of all similarities,
// writes a page on which each is marked by a key, and says by the marks how many of all pairs are right.
//
//	sample := review.Sample{Command: "simsearch dedup", Population: review.Population{What: "removals", Same: 7}}
//	sample.Strata, chosen = review.Choose(candidates, 60)
//	marks, err := review.ReadMarks(strings.NewReader(saved(sample)))
//	fmt.Println(marks.Result(), err)
package review

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/truth"
)

// A Population is all pairs that a sample is of.
type Population struct {
	What   string    `json:"what"`   // the pairs are called, such as "removals"
	Same   int       `json:"same"`   // pairs of equal texts, which are right; they are in no stratum
	Strata []Stratum `json:"strata"` // the others
}

// All returns how many pairs there are.
func (p *Population) All() int {
	n := p.Same
	for _, stratum := range p.Strata {
		n += stratum.Pairs
	}
	return n
}

// A Stratum is the pairs whose similarity is from From to To.
type Stratum struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Pairs int     `json:"pairs"`
}

// A Candidate is a pair that a person may be asked about. It has a number, and that of the group to which it belongs.
type Candidate struct {
	Similarity  float64
	Group, Pair uint32
	Stratum     int // set by Choose
	shown       float64
}

// bands is into how many strata the similarities below 1 are divided, evenly.
const bands = 4

// Choose divides candidates into strata by their similarity, and chooses n of them, or all if there are fewer. Of
// each stratum, some are drawn at even steps, from a random beginning, in the order of the groups: all candidates
// of a stratum are equally likely, and of a group one is chosen, unless the group has more candidates than a step.
// The chosen ones come in an order in which the first of them are of all strata, too. Choose sorts all. The same
// candidates give the same choice.
func Choose(all []Candidate, n int) (strata []Stratum, chosen []Candidate) {
	slices.SortFunc(all, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Similarity, b.Similarity), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Pair, b.Pair))
	})
	parts := banded(all)
	var sizes []int
	for _, part := range parts {
		strata = append(strata, Stratum{part[0].Similarity, part[len(part)-1].Similarity, len(part)})
		sizes = append(sizes, len(part))
	}
	r := rand.New(rand.NewPCG(uint64(len(all)), uint64(n)))
	for i, count := range truth.Allocate(sizes, n) {
		part := parts[i]
		slices.SortFunc(part, func(a, b Candidate) int {
			return cmp.Or(cmp.Compare(a.Group, b.Group),
				cmp.Compare(a.Pair, b.Pair))
		})
		step := float64(len(part)) / float64(count)
		from := r.Float64() * step
		drawn := make([]Candidate, count)
		for j := range drawn {
			drawn[j] = part[min(len(part)-1, int(from+float64(j)*step))]
			drawn[j].Stratum = i
		}
		r.Shuffle(count, func(a, b int) { drawn[a], drawn[b] = drawn[b], drawn[a] })
		for j := range drawn {
			drawn[j].shown = (float64(j) + 0.5) / float64(count)
		}
		chosen = append(chosen, drawn...)
	}
	slices.SortStableFunc(chosen, func(a, b Candidate) int { return cmp.Compare(a.shown, b.shown) })
	return strata, chosen
}

// banded returns the candidates of each band, in order, of which none is empty. Those with a similarity of 1 are one.
func banded(all []Candidate) (parts [][]Candidate) {
	band := func(c Candidate) int {
		if c.Similarity >= 1 {
			return bands
		}
		least := all[0].Similarity
		return int(min(bands-1, bands*(c.Similarity-least)/(1-least)))
	}
	from := 0
	for i := range all {
		if i+1 == len(all) || band(all[i]) != band(all[i+1]) {
			parts = append(parts, all[from:i+1])
			from = i + 1
		}
	}
	return parts
}

// A Result says how many of all pairs are right, by the marks of a person.
type Result struct {
	What   string `json:"what"`
	Pairs  int    `json:"pairs"` // all of them
	Same   int    `json:"same"`  // of Pairs: with equal texts
	Marked int    `json:"marked"`
	Right  int    `json:"right"`
	Wrong  int    `json:"wrong"`
	Unsure int    `json:"unsure"` // count neither as right nor as wrong
	// All is the share of all pairs that is right, and Near that of those with other texts; nil if no mark tells of
	// some similarities.
	All  *Share `json:"all,omitempty"`
	Near *Share `json:"near,omitempty"`
}

// A Share has an interval of 95 %.
type Share struct {
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// String returns the share in percent, such as "99.1 % (97.0 to 99.8)".
func (s *Share) String() string {
	return fmt.Sprintf("%s %% (%s to %s)", truth.Percent(s.Share), truth.Percent(s.Low), truth.Percent(s.High))
}

// String returns what is known, in a sentence or two.
func (r Result) String() string {
	marked := fmt.Sprintf("%s marked, %s right and %s wrong", terminal.Thousands(r.Marked), terminal.Thousands(r.Right),
		terminal.Thousands(r.Wrong))
	if r.Unsure > 0 {
		marked += fmt.Sprintf(", %s unsure, which do not count", terminal.Thousands(r.Unsure))
	}
	if r.All == nil {
		return fmt.Sprintf("%s: too few to tell how many of all %s are right; mark some of each similarity", marked, r.What)
	}
	text := fmt.Sprintf("of the %s %v were right", r.What, r.All)
	if r.Same > 0 {
		text += fmt.Sprintf(", of those with other texts %v", r.Near)
	}
	return text + " (" + marked + ")"
}
