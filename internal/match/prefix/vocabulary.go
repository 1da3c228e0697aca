package prefix

import "simsearch/internal/ground/section"

// secFeatures is the section of a vocabulary.
const secFeatures = "vocabulary.features"

// loadFeatures loads the feature of each rank. It checks the size, and no contents.
func loadFeatures(f *section.File) (section.Array[uint64], error) {
	size, err := f.Size(secFeatures)
	if err != nil {
		return section.Array[uint64]{}, err
	}
	if size/8 >= 1<<32 {
		return section.Array[uint64]{}, f.Corruptf(secFeatures, 0, "%d features", size/8)
	}
	return section.Integers[uint64](f, secFeatures, size/8)
}
