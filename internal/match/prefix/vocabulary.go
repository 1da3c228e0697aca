package prefix

import "simsearch/internal/ground/section"

// secFeatures is the section of a vocabulary.
const secFeatures = "vocabulary.features"

// loadFeatures loads the feature of each rank. It checks the size, and no contents.
func loadFeatures(f *section.File) section.Array[uint64] {
	size := f.Size(secFeatures)
	if size/8 >= 1<<32 {
		panic(f.Corruptf(secFeatures, 0, "%d features", size/8))
	}
	return section.Integers[uint64](f, secFeatures, size/8)
}
