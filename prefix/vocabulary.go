package prefix

import "simsearch/section"

// Names of the sections of a vocabulary. Files of the format before have the features in the order of their hashes, and
// their ranks.
const (
	secFeatures = "vocabulary.features"
	secHashes   = "vocabulary.hashes"
	secRanks    = "vocabulary.ranks"
)

// loadFeatures loads the feature of each rank. It checks sizes, and no contents unless they are in another order.
func loadFeatures(f *section.File) (section.Array[uint64], error) {
	if f.Has(secHashes) {
		return oldFeatures(f)
	}
	size, err := f.Size(secFeatures)
	if err != nil {
		return section.Array[uint64]{}, err
	}
	if size/8 >= 1<<32 {
		return section.Array[uint64]{}, f.Corruptf(secFeatures, 0, "%d features", size/8)
	}
	return section.Integers[uint64](f, secFeatures, size/8)
}

// oldFeatures puts the features of a file of the format before in the order of their ranks.
func oldFeatures(f *section.File) (features section.Array[uint64], err error) {
	size, err := f.Size(secHashes)
	if err != nil {
		return features, err
	}
	n := size / 8
	hashes, err := f.Uint64s(secHashes, n)
	if err != nil {
		return features, err
	}
	ranks, err := f.Uint32s(secRanks, n)
	if err != nil {
		return features, err
	}
	by := make([]uint64, n)
	for i, rank := range ranks {
		if uint64(rank) >= n {
			return features, f.Corruptf(secRanks, uint64(4*i), "rank %d of %d", rank, n)
		}
		by[rank] = hashes[i]
	}
	return section.Checked(by), nil
}
