package warnings

// Sets have features.
type Sets interface {
	// Features appends the features of a set, ascending: numbers that are equal if the features are. Those that no other set has may be
	// left out, and are counted: alone. It returns the extended slice.
	Features(dst []uint64, set uint32) (features []uint64, alone int, err error)
}

const (
	// leastForm and mostForm are how many sets of a group show whether they are one form.
	leastForm, mostForm = 3, 50
	// otherFacts is the least share of the features of a form that are of one set alone. Versions of a text, each with its number,
	// have less.
	otherFacts = 0.04
	// ownShare is the share of the sets of a form that have features of their own, and lostShare how many features of the form they
	// lack, at most, for each of those.
	ownShare, lostShare = 0.9, 1.0 / 3
)

// IsForm reports whether sets of a group are one form filled in with other facts, such as the manual page of each command: nearly each
// has features that no other one of them has, some of a hundred at least, and the rest is the same. Edits of one text differ in that:
// each of them lacks something that the others have. Of fewer than three sets, nobody can tell. The first sets are looked at.
func IsForm(sets Sets, group []uint32) (bool, error) {
	if len(group) < leastForm {
		return false, nil
	}
	group = group[:min(len(group), mostForm)]
	counts, features, own := map[uint64]int{}, make([][]uint64, len(group)), make([]int, len(group))
	for i, set := range group {
		var err error
		if features[i], own[i], err = sets.Features(nil, set); err != nil {
			return false, err
		}
		for _, f := range features[i] {
			counts[f]++
		}
	}
	lost, all, having, sizes := 0, 0, 0, 0
	for _, n := range counts {
		if 2*n > len(group) {
			lost += len(group) - n
		}
	}
	for i := range group {
		sizes += len(features[i]) + own[i]
		for _, f := range features[i] {
			if counts[f] == 1 {
				own[i]++
			}
		}
		if all += own[i]; own[i] > 0 {
			having++
		}
	}
	if float64(all) < otherFacts*float64(sizes) {
		return false, nil
	}
	return float64(having) >= ownShare*float64(len(group)) && float64(lost) <= lostShare*float64(all), nil
}
