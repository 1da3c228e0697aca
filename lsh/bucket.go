package lsh

// A bucket holds the sets that agree on one band. They may be quite dissimilar otherwise: a heading
// or a licence that thousands of documents share fills some positions of each signature. Comparing
// all pairs of such a bucket would take time quadratic in its size. So a large bucket is split by
// bands of its own, which are cut from the positions that discriminate between its sets. The
// buckets of these bands are split in turn. Package tables treats headers that many fingerprints share in
// the same way, by the bits that discriminate.

const (
	// maxBucket is the largest bucket of which all pairs are compared: that takes some milliseconds.
	maxBucket = 512
	// bucketRecall is the recall, at the threshold, of the bands that split a bucket. Pairs that share
	// a small bucket of another band do not depend on it.
	bucketRecall = 0.995
	// maxShare is the largest share of a bucket's sets that may have the same byte at a discriminating
	// position.
	maxShare = 0.25
	// minThreshold is the similarity in the discriminating positions below which splitting does not
	// pay: nearly all pairs of the bucket are similar then.
	minThreshold = 0.25
	// maxNesting is how often the buckets of a bucket are split.
	maxNesting = 3

	// checkEvery is after how many pairs a worker looks at its context. Accepting a pair of long
	// documents takes a tenth of a millisecond.
	checkEvery = 1 << 8
)

// A pairFunc takes the sets of a pair.
type pairFunc func(x, y uint32) error

// eachPair calls do with all pairs of the sets of a bucket. Where the bucket is large, it calls do
// with nearly all pairs that are similar. level is how often the bucket has been split.
func (w *worker) eachPair(sets []uint32, level int, do pairFunc) error {
	if len(sets) > maxBucket && level < maxNesting {
		if discriminating, b, ok := w.subBands(sets); ok {
			return w.split(sets, discriminating, b, level, do)
		}
	}
	for i, x := range sets {
		for _, y := range sets[i+1:] {
			if w.steps++; w.steps%checkEvery == 0 && w.ctx.Err() != nil {
				return w.ctx.Err()
			}
			if err := do(x, y); err != nil {
				return err
			}
		}
	}
	return nil
}

// subBands returns the positions that discriminate between sets, and bands of these positions that
// find the similar pairs. ok is false if there are none.
func (w *worker) subBands(sets []uint32) (discriminating []int, b Bands, ok bool) {
	positions := w.s.positions
	counts := make([][256]uint32, positions)
	for _, set := range sets {
		for p, v := range w.s.Of(set) {
			counts[p][v]++
		}
	}
	for p := range counts {
		most := uint32(0)
		for _, n := range counts[p] {
			most = max(most, n)
		}
		if float64(most) <= maxShare*float64(len(sets)) {
			discriminating = append(discriminating, p)
		}
	}
	// A pair agrees in nearly all other positions: it is similar with fewer of these.
	alike := float64(positions - len(discriminating))
	threshold := (w.threshold*float64(positions) - alike) / float64(len(discriminating))
	if len(discriminating) == 0 || threshold < minThreshold {
		return nil, b, false
	}
	b, err := Choose(Requirements{Threshold: threshold, Recall: bucketRecall, Positions: len(discriminating)})
	return discriminating, b, err == nil
}

// split is eachPair by bands of the discriminating positions.
func (w *worker) split(sets []uint32, discriminating []int, b Bands, level int, do pairFunc) error {
	columns := make([]byte, 0, len(sets)*len(discriminating))
	place := make(map[uint32]uint32, len(sets))
	for i, set := range sets {
		place[set] = uint32(i)
		s := w.s.Of(set)
		for _, p := range discriminating {
			columns = append(columns, s[p])
		}
	}
	of := func(i uint32) []byte { return columns[int(i)*len(discriminating):][:len(discriminating)] }
	entries := make([]uint64, len(sets))
	var alike []uint32
	for band := range b.Bands {
		at := band * b.Rows
		for i := range entries {
			entries[i] = hash(of(uint32(i))[at:at+b.Rows])&^setMask | uint64(i)
		}
		err := eachBucket(entries, func(bucket []uint64) error {
			alike = alike[:0]
			for _, e := range bucket {
				alike = append(alike, sets[e&setMask])
			}
			return w.eachPair(alike, level+1, func(x, y uint32) error {
				if first(of(place[x]), of(place[y]), b, band) != band {
					return nil
				}
				return do(x, y)
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
