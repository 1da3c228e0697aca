package eval

import (
	"context"
	"fmt"
	"math"
	"strings"

	"simsearch/internal/index"
	"simsearch/internal/report"
	"simsearch/internal/terminal"
	"simsearch/internal/truth"
)

// fingerprintVerdict says what distance to use of ready-made fingerprints: by labels, if there are any, and otherwise by how
// many of the pairs within it may be there by chance.
func fingerprintVerdict(ctx context.Context, c *Collection) (*report.Verdict, error) {
	at := make([]int, min(farthest, c.Settings.Bits/4)+1)
	if err := c.within(ctx, len(at)-1, func(_, _ uint32, d int) { at[d]++ }); err != nil {
		return nil, err
	}
	of, ok := truth.ByChance(at)
	if c.Labels == nil {
		v := unlabelledVerdict(c, at, of, ok)
		p, _, err := Judge(ctx, c, c.Settings, index.Within(of.K))
		if v.Commands != nil && err == nil && p.TooFew() {
			v.Commands, v.Text = nil, append([]string{fewGroups, "Here it would be" + strings.TrimPrefix(v.Text[0], "Search")}, v.Text[1:]...)
		}
		return v, err
	}
	best, err := bestSearch(ctx, c)
	if err != nil {
		return nil, err
	}
	v := verdict(c, best)
	if of.Found > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("By the distances alone, of the %s within %s, %s there by chance.", terminal.Plural(of.Found, "pair"), terminal.Plural(of.K, "bit"), byChance(of)))
	}
	return v, nil
}

// unlabelledVerdict is fingerprintVerdict without labels. at, of and ok are those of truth.ByChance.
func unlabelledVerdict(c *Collection, at []int, of truth.Chance, ok bool) *report.Verdict {
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
			fmt.Sprintf("At each distance up to %d bits, more than %.0f %% of the pairs may be there by chance: these fingerprints support no recommendation.", len(at)-5, 100*truth.MostChance),
			fmt.Sprintf("%s within %d bits, %s.", arePairs(sum), len(at)-1, equal),
		}
		if of.Found > 0 {
			v.Text = append(v.Text, fmt.Sprintf("The fewest are there within %s: of %s, %s there by chance.", terminal.Plural(of.K, "bit"), terminal.Plural(of.Found, "pair"), byChance(of)))
		}
		return v
	}
	search := index.Within(of.K)
	best := Choice{Settings: c.Settings, Predicate: search, Search: searchFlags(search)}
	v.Commands = c.commands(best)
	v.Text = []string{
		fmt.Sprintf("Search %s: it is the largest of whose pairs at most %.0f %% may be there by chance.", best.described(c.bare), 100*truth.MostChance),
		fmt.Sprintf("%s within it, %s.", arePairs(of.Found), equal),
		fmt.Sprintf("Of these, %s there by chance.", byChance(of)),
	}
	return v
}

// byChance says how many pairs are there by chance, as the subject and the verb of a sentence.
func byChance(c truth.Chance) string {
	if c.Most < 0.5 {
		return "hardly any is"
	}
	return "at most about " + are(int(math.Ceil(c.Most)))
}

// arePairs returns the beginning of a sentence on some pairs.
func arePairs(n int) string {
	if n == 1 {
		return "1 pair is"
	}
	return terminal.Plural(n, "pair") + " are"
}
