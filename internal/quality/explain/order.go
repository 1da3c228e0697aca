package explain

import (
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/ground/ints"
	"simsearch/internal/match/sequences"
)

// Words alone say nothing of their order: "I went to work today" has the words of "today I went to work", and two
// tables of numbers may well have the same ones. Runs of three words tell such texts apart.
const (
	sameWords   = 0.8 // least similarity of the sets of words of texts that have the same words, or nearly
	otherOrder  = 0.2 // similarity of the sets of runs of three words below which texts have another order
	orderedRuns = 3   // words of a run
)

// Reordered reports whether two texts have sets of words that are near, and hardly a run in common. That their words
// are the same, each as often, is a fact. Of texts that are too long for a comparison by words, it is not known.
func Reordered(a, b string) bool {
	if len(a)+len(b) > wordBytes {
		return false
	}
	x, y := ordered(a), ordered(b)
	return !slices.Equal(x.words, y.words) && ints.Jaccard(x.set, y.set) >= sameWords && ints.Jaccard(x.runs, y.runs) < otherOrder
}

// An orderedText is a text by hashes: of its words in their order, and of the distinct ones and the distinct runs,
// ascending.
type orderedText struct{ words, set, runs []uint64 }

func ordered(text string) (x orderedText) {
	x.words = sequences.NewText([]byte(text)).Words
	x.set = slices.Compact(sorted(x.words))
	x.runs = slices.Compact(sorted(fingerprint.AppendWordGrams(nil, x.words, orderedRuns)))
	return x
}

func sorted(hashes []uint64) []uint64 { return slices.Sorted(slices.Values(hashes)) }
