package store

import (
	"math/bits"
	"slices"

	"simsearch/internal/index/segment"
)

// Segments are merged by size tiers, as log-structured merge trees do (P. O'Neil and others, 1996; the tiers are
// those of Lucene's LogMergePolicy, which merges neighbours only, and so keeps the order of the collection). A
// segment of tier t has up to 1 MiB × 8^t. Neighbours of one tier, with lower ones between or before them, are merged
// when they are mergeAt. Lower ones behind them wait until they are of that tier: a large segment is not written
// again for the sake of small ones. So each byte is written about twice a tier, and an index has about mergeAt
// segments a tier.

const (
	mergeAt    = 4
	tierBits   = 3       // a tier is 8 times as large as the one below it
	lowestTier = 1 << 20 // bytes
	// MostSegments is how many segments small changes leave.
	MostSegments = 10
	// largest is the size in bytes from which a segment is only merged if there are more than MostSegments, or by
	// Compact: merging takes nearly half the time of building, which a small change or a long input should not pay for
	// gigabytes. (TieredMergePolicy of Lucene has such a bound, 5 GB.)
	largest = 2 << 30
)

// tierOf returns the tier of a size in bytes, where those of tier 0 are below lowest.
func tierOf(bytes, lowest uint64) int { return (bits.Len64(bytes/lowest) + tierBits - 1) / tierBits }

// noTier is the tier of what is in none, above all others.
const noTier = 64

// mergeable returns the neighbours [from, to) of segments that should be merged next. None are if to is 0. memory
// returns how many bytes merging takes for a segment: the sum is at most most, unless a single one is written again.
func mergeable(segments []segment.Ref, most int64, memory func(i int) int64) (from, to int) {
	left := make([]bool, len(segments)) // those that are too large to be merged
	for {
		if from, to = mergeableOf(segments, left); to-from < 2 {
			return from, to
		}
		sum := int64(0)
		for i := from; i < to; i++ {
			sum += memory(i)
		}
		if sum <= most {
			return from, to
		}
		for i := from; i < to; i++ {
			left[i] = true
		}
	}
}

// mergeableOf is mergeable without the segments that are left out.
func mergeableOf(segments []segment.Ref, left []bool) (from, to int) {
	tiers := make([]int, len(segments))
	for i, s := range segments {
		if tiers[i] = tierOf(s.Bytes, lowestTier); s.Bytes >= largest || left[i] {
			tiers[i] = noTier
		}
	}
	if from, to = sameTier(tiers, mergeAt); to > 0 {
		return from, to
	}
	for i, s := range segments {
		if s.Deleted != nil && 2*s.Deleted.Documents > s.Documents {
			return i, i + 1
		}
	}
	if len(segments) <= MostSegments {
		return 0, 0
	}
	least := ^uint64(0)
	for i := range len(segments) - mergeAt + 1 {
		if slices.Contains(left[i:i+mergeAt], true) {
			continue
		}
		sum := uint64(0)
		for _, s := range segments[i : i+mergeAt] {
			sum += s.Bytes
		}
		if sum < least {
			least, from, to = sum, i, i+mergeAt
		}
	}
	return from, to
}

// sameTier returns the first neighbours [from, to), at least as many as given, of which the last is of the highest tier
// among them. Those of the lowest tier come first, and noTier is left out. None are if to is 0.
func sameTier(tiers []int, least int) (from, to int) {
	for t := range min(slices.Max(append(tiers, 0))+1, noTier) {
		for from = 0; from < len(tiers); from++ {
			end := from
			for to = from; end < len(tiers) && tiers[end] <= t; end++ {
				if tiers[end] == t {
					to = end + 1
				}
			}
			if to-from >= least {
				return from, to
			}
			from = end
		}
	}
	return 0, 0
}
