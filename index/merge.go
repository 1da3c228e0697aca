package index

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"simsearch/internal/mmap"
	"simsearch/internal/segment"
	"simsearch/internal/store"
)

// Segments are merged by size tiers, as log-structured merge trees do (P. O'Neil and others, 1996; the tiers are
// those of Lucene's LogMergePolicy, which merges neighbours only, and so keeps the order of the collection). A segment of
// tier t has up to 1 MiB × 8^t. Neighbours of one tier, with lower ones between or before them, are merged when they are
// mergeAt. Lower ones behind them wait until they are of that tier: a large segment is not written again for the sake of
// small ones. So each byte is written about twice a tier, and an index has about mergeAt segments a tier.

const (
	mergeAt      = 4
	tierBits     = 3       // a tier is 8 times as large as the one below it
	lowestTier   = 1 << 20 // bytes
	mostSegments = 10      // that small changes leave
	// largest is the size in bytes from which a segment is only merged if there are more than mostSegments, or by
	// Compact: merging takes nearly half the time of building, which a small change or a long input should not pay for
	// gigabytes. (TieredMergePolicy of Lucene has such a bound, 5 GB.)
	largest = 2 << 30
)

// tierOf returns the tier of a size in bytes, where those of tier 0 are below lowest.
func tierOf(bytes, lowest uint64) int { return (bits.Len64(bytes/lowest) + tierBits - 1) / tierBits }

// noTier is the tier of what is in none, above all others.
const noTier = 64

// mergeable returns the neighbours [from, to) of segments that should be merged next. None are if to is 0. memory returns how
// many bytes merging takes for a segment: the sum is at most most, unless a single one is written again.
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
	if len(segments) <= mostSegments {
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

// merging returns how much memory merging segments may take.
func (w *Writer) merging() int64 { return w.o.Memory / 2 }

// mergeSmall merges segments until none should be merged.
func (w *Writer) mergeSmall(ctx context.Context) error {
	takes := map[string]int64{}
	for {
		var err error
		from, to := mergeable(w.manifest.Segments, w.merging(), func(i int) int64 {
			n, openErr := w.memoryOf(w.manifest.Segments[i], takes)
			err = errors.Join(err, openErr)
			return n
		})
		if to == 0 || err != nil {
			return err
		}
		if err := w.merge(ctx, from, to); err != nil {
			return err
		}
	}
}

// memoryOf returns how many bytes merging takes for a segment. It keeps the answers in known.
func (w *Writer) memoryOf(ref segment.Ref, known map[string]int64) (int64, error) {
	if n, ok := known[ref.Name]; ok {
		return n, nil
	}
	p, err := openPart(w.fs, w.dir, ref, layout(w.manifest.Settings), verifyAtOpen)
	if err != nil {
		return 0, err
	}
	known[ref.Name] = p.BuildMemory()
	return known[ref.Name], p.release()
}

// Compact merges all segments into one, without the documents that are deleted, or into as few as the memory allows. It does
// nothing if there is one segment and all its documents are live. The errors are those of Commit.
func (w *Writer) Compact(ctx context.Context) error {
	if w.failed != nil {
		return w.failed
	}
	takes := map[string]int64{}
	for from := 0; from < len(w.manifest.Segments); from++ { //nolint:intrange // there are fewer after each merge
		s := w.manifest.Segments[from:]
		n, sum := 0, int64(0)
		for ; n < len(s); n++ {
			bytes, err := w.memoryOf(s[n], takes)
			if err != nil {
				return w.end(err)
			}
			if sum += bytes; n > 0 && sum > w.merging() {
				break
			}
		}
		if n == 1 && s[0].Deleted == nil {
			continue
		}
		if err := w.merge(ctx, from, from+n); err != nil {
			return w.end(err)
		}
	}
	return nil
}

// merge makes one segment of neighbours.
func (w *Writer) merge(ctx context.Context, from, to int) (err error) {
	w.phase("merging segments")
	b := w.newBuilder()
	defer func() { _ = b.Close() }() // losing a temporary file does no harm
	var parts []*part
	defer func() { err = errors.Join(err, releaseAll(parts)) }()
	for _, ref := range w.manifest.Segments[from:to] {
		p, err := openPart(w.fs, w.dir, ref, layout(w.manifest.Settings), verifyAtOpen)
		if err != nil {
			return err
		}
		parts = append(parts, p)
		if err := mmap.Guarded(func() error { return b.AddSegment(ctx, p.Segment) }); err != nil {
			return err
		}
	}
	return w.change(1, func(next *store.Manifest, names *newNames) error {
		before, after := next.Segments[:from:from], next.Segments[to:]
		next.Segments = before
		own := !slices.ContainsFunc(parts, func(p *part) bool { return !w.owned(p.ref.Name) })
		if err := mmap.Guarded(func() error { return w.writeSegment(ctx, next, b, names) }); err != nil {
			return err
		}
		if !own {
			w.owns = w.owns[:len(w.owns)-1]
		}
		next.Segments = append(next.Segments, after...)
		return nil
	})
}
