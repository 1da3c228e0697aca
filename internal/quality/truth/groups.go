package truth

import (
	"iter"
	"math"

	"simsearch/internal/ground/ints"
)

// Pairs of near documents come in groups: five copies of a text make ten pairs, which are found or missed together.
// So an interval that counts pairs is too narrow. Here groups count: documents that are joined by pairs near in truth
// or found. The figures are ratios of sums over groups, and their variance is that of groups drawn anew with
// replacement, by its formula (a bootstrap's limit for many draws). Each group is held to the ratio of all others
// (the jackknife): a group with most of the pairs is near the ratio that it makes, and would seem certain. The
// variance says how many independent pairs would be as uncertain; these have Wilson's interval. If the groups are as
// uneven as fewer than fewestGroups of equal size, the figures say nothing of other texts, and none are printed.
//
// An interval for advice is one for other texts: as many others of the same kind are as uncertain as those that were
// measured, so that it is wider by √2 than one for the mean of all such texts, and by half a pair at both ends: of few
// other pairs, all may be found although one was missed here.
//
// Source: W. G. Cochran, "Sampling Techniques", 3rd edition (1977), sections 6.4 and 9A.7; E. L. Korn, B. I.
// Graubard, "Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated from
// Survey Data", Survey Methodology 24 (1998), for the number of independent ones; A. V. Carter, K. T. Schnepel, D. G.
// Steigerwald, "Asymptotic Behavior of a t-Test Robust to Cluster Heterogeneity", Review of Economics and Statistics 99
// (2017), for the effective number of groups.

// A Group is what one group of documents has: pairs found, pairs near in truth, and pairs that are both.
type Group struct{ found, near, right int }

// Groups returns the groups with pairs, of the pairs found below level upTo, and of those that are near in truth.
// They are in the order of their least documents.
func Groups(near iter.Seq2[uint32, uint32], documents int, found []Found, upTo int) []Group {
	union := ints.NewDisjointSets(documents)
	for _, p := range found {
		if int(p.Level) < upTo {
			union.Union(p.A, p.B)
		}
	}
	for a, b := range near {
		union.Union(a, b)
	}
	of := make([]Group, documents)
	for _, p := range found {
		if int(p.Level) >= upTo {
			continue
		}
		g := &of[union.Find(p.A)]
		g.found++
		if p.Near {
			g.right++
		}
	}
	for a := range near {
		of[union.Find(a)].near++
	}
	var out []Group
	for _, g := range of {
		if g != (Group{}) {
			out = append(out, g)
		}
	}
	return out
}

// groupedRate returns the ratio of two sums over n groups, with an interval for as many other texts. counts returns
// the hits and the trials of a group.
func groupedRate(n int, counts func(i int) (hits, trials int)) Rate {
	hits, trials, squares := 0, 0, 0.0
	for i := range n {
		h, t := counts(i)
		hits, trials = hits+h, trials+t
		squares += float64(t) * float64(t)
	}
	if trials == 0 {
		return NewRate(0, 0)
	}
	p := float64(hits) / float64(trials)
	effective := float64(trials) * float64(trials) / squares // groups of equal size that were as uneven
	independent := effective                                 // if all pairs of a group are alike
	if variance := ratioVariance(n, counts); variance > 0 {
		independent = p * (1 - p) / variance
	}
	independent = max(1, independent)
	r := wilson(hits, trials, independent, z*math.Sqrt2)
	r.Low, r.High = max(0, r.Low-1/(2*independent)), min(1, r.High+1/(2*independent))
	r.Groups = effective
	return r
}

// ratioVariance returns the variance of the ratio of two sums over groups, by the jackknife.
func ratioVariance(n int, counts func(i int) (hits, trials int)) float64 {
	hits, trials, with := 0, 0, 0
	for i := range n {
		h, t := counts(i)
		hits, trials = hits+h, trials+t
		if t > 0 {
			with++
		}
	}
	if with < 2 {
		return 0
	}
	p, sum := float64(hits)/float64(trials), 0.0
	for i := range n {
		h, t := counts(i)
		d := (float64(h) - p*float64(t)) / float64(trials-t) // what the ratio is without the group, and with it
		sum += d * d
	}
	return sum * float64(with-1) / float64(with)
}

// PrecisionAndRecall returns both with intervals that count groups.
func PrecisionAndRecall(groups []Group) (precision, recall Rate) {
	return groupedRate(len(groups), func(i int) (int, int) { return groups[i].right, groups[i].found }),
		groupedRate(len(groups), func(i int) (int, int) { return groups[i].right, groups[i].near })
}

// LargestShare returns the share that the largest group has of the pairs found, and of those near in truth.
func LargestShare(groups []Group) (found, near float64) {
	var sum, most Group
	for _, g := range groups {
		sum.found, sum.near = sum.found+g.found, sum.near+g.near
		most.found, most.near = max(most.found, g.found), max(most.near, g.near)
	}
	return NewRate(most.found, sum.found).Share, NewRate(most.near, sum.near).Share
}
