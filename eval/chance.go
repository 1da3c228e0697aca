package eval

import (
	"context"
	"fmt"
	"math"

	"simsearch/internal/index"
	"simsearch/internal/report"
	"simsearch/internal/terminal"
)

// mostChance is the share of the pairs within a distance that may be there by chance if the distance is to be used without
// labels.
const mostChance = 0.1

// A chance is what the distances of ready-made fingerprints say of a search, without labels.
type chance struct {
	k, found int
	most     float64 // of the pairs found, about as many are there by chance, at most
}

// share returns the share of the pairs found that may be there by chance.
func (c chance) share() float64 { return c.most / float64(c.found) }

// byChance returns the search with the largest k of whose pairs a share of mostChance may be there by chance, since unrelated
// documents are as near. at has the number of pairs at each distance. If there is none, ok is false, and c is the search with
// the smallest share below 1, or zero.
//
// Unrelated documents have most of their distances near half the bits, and the fewer the smaller. How many have a small one
// does not follow from the mean and the deviation of all distances: bits of real fingerprints depend on each other, and what
// binomial and beta-binomial distributions of these say was measured to be 200 times too low. But the number of pairs falls
// faster and faster toward 0, as those of such distributions do. So if the pairs at k + 1 and k + 2 bits are a share r of
// those at k + 3 and k + 4, at most r + r² + … times as many unrelated pairs are within k bits. Near pairs among them make the
// bound larger.
func byChance(at []int) (c chance, ok bool) {
	found := 0
	for k := 0; k+4 < len(at); k++ {
		if found += at[k]; at[k] == 0 {
			continue
		}
		nearer, farther := float64(at[k+1]+at[k+2]), float64(at[k+3]+at[k+4])
		of := chance{k: k, found: found}
		if nearer > 0 {
			if of.most = math.Inf(1); nearer < farther {
				of.most = nearer * nearer / (farther - nearer) // nearer · (r + r² + …)
			}
		}
		switch {
		case of.share() <= mostChance:
			c, ok = of, true
		case !ok && of.share() < 1 && (c.found == 0 || of.share() < c.share()):
			c = of
		}
	}
	return c, ok
}

// fingerprintVerdict says what distance to use of ready-made fingerprints: by labels, if there are any, and otherwise by how
// many of the pairs within it may be there by chance.
func fingerprintVerdict(ctx context.Context, c *Collection) (*report.Verdict, error) {
	at := make([]int, min(farthest, c.Settings.Bits/4)+1)
	if err := c.within(ctx, len(at)-1, func(_, _ uint32, d int) { at[d]++ }); err != nil {
		return nil, err
	}
	of, ok := byChance(at)
	if c.Labels == nil {
		return unlabelledVerdict(c, at, of, ok), nil
	}
	best, err := bestSearch(ctx, c)
	if err != nil {
		return nil, err
	}
	v := verdict(c, best)
	if of.found > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("By the distances alone, of the %s within %s, %s there by chance.", terminal.Plural(of.found, "pair"), terminal.Plural(of.k, "bit"), of.text()))
	}
	return v, nil
}

// unlabelledVerdict is fingerprintVerdict without labels. at, of and ok are those of byChance.
func unlabelledVerdict(c *Collection, at []int, of chance, ok bool) *report.Verdict {
	sum := 0
	for _, n := range at {
		sum += n
	}
	if sum == 0 {
		return &report.Verdict{Text: []string{fmt.Sprintf("No two of these fingerprints are within %d bits: there is nothing to find.", len(at)-1)}}
	}
	v := &report.Verdict{Notes: []string{
		"Pairs by chance are of unrelated documents. They are estimated from the pairs that are up to four bits farther apart, since unrelated pairs become fewer and fewer toward small distances. A pair that is not there by chance may still be no copy, such as two texts of one kind.",
		"No distance says which pairs are near: labels of your own (--truth) give precision and recall.",
	}}
	equal := terminal.Thousands(at[0]) + " of them of equal fingerprints"
	if !ok {
		v.Text = []string{
			fmt.Sprintf("At each distance up to %d bits, more than %.0f %% of the pairs may be there by chance: these fingerprints support no recommendation.", len(at)-5, 100*mostChance),
			fmt.Sprintf("%s within %d bits, %s.", arePairs(sum), len(at)-1, equal),
		}
		if of.found > 0 {
			v.Text = append(v.Text, fmt.Sprintf("The fewest are there within %s: of %s, %s there by chance.", terminal.Plural(of.k, "bit"), terminal.Plural(of.found, "pair"), of.text()))
		}
		return v
	}
	search := index.Within(of.k)
	best := Choice{Settings: c.Settings, Predicate: search, Search: searchFlags(search)}
	v.Commands = commands(best, c.inputs)
	v.Text = []string{
		fmt.Sprintf("Search %s: it is the largest of whose pairs at most %.0f %% may be there by chance.", best.described(), 100*mostChance),
		fmt.Sprintf("%s within it, %s.", arePairs(of.found), equal),
		fmt.Sprintf("Of these, %s there by chance.", of.text()),
	}
	return v
}

// text says how many pairs are there by chance, as the subject and the verb of a sentence.
func (c chance) text() string {
	if c.most < 0.5 {
		return "hardly any is"
	}
	return "at most about " + are(int(math.Ceil(c.most)))
}

// arePairs returns the beginning of a sentence on some pairs.
func arePairs(n int) string {
	if n == 1 {
		return "1 pair is"
	}
	return terminal.Plural(n, "pair") + " are"
}
