package lsh

// Sets that agree on one band may be quite dissimilar otherwise: a heading or a licence that
// thousands of documents share fills some positions of each. Comparing each with each would
// take the square of their number. So a crowd is compared by bands of its own, cut from those
// positions that tell its sets apart; and so are the crowds among these.

const (
	// crowd is more sets than are compared each with each: that takes some milliseconds.
	crowd = 512
	// crowdRecall is what bands of a crowd must find of its pairs at the threshold. Only pairs
	// that no small bucket shows depend on it.
	crowdRecall = 0.995
	// tellingShare is up to what share of a crowd may have the same byte at a position that
	// tells.
	tellingShare = 0.25
	// leastThreshold is the similarity in the telling positions below which bands are not worth
	// it: nearly all sets of the crowd are similar then, and all pairs are wanted.
	leastThreshold = 0.25
	// maxCrowds is how many crowds may be in one another.
	maxCrowds = 3

	// lookEvery is after how many pairs a worker looks whether they are still wanted. Accepting a
	// pair of long documents takes a tenth of a millisecond.
	lookEvery = 1 << 8
)

// A pairing takes the sets of a pair.
type pairing func(x, y uint32) error

// each calls do with the pairs of sets, all of them or, where sets are a crowd, nearly all
// that are similar; inside how many crowds it is one says level.
func (w *worker) each(sets []uint32, level int, do pairing) error {
	if len(sets) > crowd && level < maxCrowds {
		if telling, b, ok := w.crowdBands(sets); ok {
			return w.crowd(sets, telling, b, level, do)
		}
	}
	for i, x := range sets {
		for _, y := range sets[i+1:] {
			if w.steps++; w.steps%lookEvery == 0 && w.ctx.Err() != nil {
				return w.ctx.Err()
			}
			if err := do(x, y); err != nil {
				return err
			}
		}
	}
	return nil
}

// crowdBands returns the positions that tell sets apart, and bands of these that find their
// similar pairs; ok is false if there are none.
func (w *worker) crowdBands(sets []uint32) (telling []int, b Bands, ok bool) {
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
		if float64(most) <= tellingShare*float64(len(sets)) {
			telling = append(telling, p)
		}
	}
	// Where pairs agree in all other positions, they need not agree in as many of these.
	alike := float64(positions - len(telling))
	threshold := (w.threshold*float64(positions) - alike) / float64(len(telling))
	if len(telling) == 0 || threshold < leastThreshold {
		return nil, b, false
	}
	b, err := Choose(Wanted{Threshold: threshold, Recall: crowdRecall, Positions: len(telling)})
	return telling, b, err == nil
}

// crowd is each by bands of the telling positions.
func (w *worker) crowd(sets []uint32, telling []int, b Bands, level int, do pairing) error {
	told := make([]byte, 0, len(sets)*len(telling))
	place := make(map[uint32]uint32, len(sets))
	for i, set := range sets {
		place[set] = uint32(i)
		s := w.s.Of(set)
		for _, p := range telling {
			told = append(told, s[p])
		}
	}
	of := func(i uint32) []byte { return told[int(i)*len(telling):][:len(telling)] }
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
			return w.each(alike, level+1, func(x, y uint32) error {
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
