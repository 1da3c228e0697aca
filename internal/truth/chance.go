package truth

import "math"

// MostChance is the share of the pairs within a distance that may be there by chance if the distance is to be used without
// labels.
const MostChance = 0.1

// A Chance is what the distances of ready-made fingerprints say of a search, without labels.
type Chance struct {
	K, Found int
	Most     float64 // of the pairs found, about as many are there by chance, at most
}

// share returns the share of the pairs found that may be there by chance.
func (c Chance) share() float64 { return c.Most / float64(c.Found) }

// ByChance returns the search with the largest k of whose pairs a share of MostChance may be there by chance, since unrelated
// documents are as near. at has the number of pairs at each distance. If there is none, ok is false, and c is the search with
// the smallest share below 1, or zero.
//
// Unrelated documents have most of their distances near half the bits, and the fewer the smaller. How many have a small one
// does not follow from the mean and the deviation of all distances: bits of real fingerprints depend on each other, and what
// binomial and beta-binomial distributions of these say was measured to be 200 times too low. But the number of pairs falls
// faster and faster toward 0, as those of such distributions do. So if the pairs at k + 1 and k + 2 bits are a share r of
// those at k + 3 and k + 4, at most r + r² + … times as many unrelated pairs are within k bits. Near pairs among them make the
// bound larger.
func ByChance(at []int) (c Chance, ok bool) {
	found := 0
	for k := 0; k+4 < len(at); k++ {
		if found += at[k]; at[k] == 0 {
			continue
		}
		nearer, farther := float64(at[k+1]+at[k+2]), float64(at[k+3]+at[k+4])
		of := Chance{K: k, Found: found}
		if nearer > 0 {
			if of.Most = math.Inf(1); nearer < farther {
				of.Most = nearer * nearer / (farther - nearer) // nearer · (r + r² + …)
			}
		}
		switch {
		case of.share() <= MostChance:
			c, ok = of, true
		case !ok && of.share() < 1 && (c.Found == 0 || of.share() < c.share()):
			c = of
		}
	}
	return c, ok
}
