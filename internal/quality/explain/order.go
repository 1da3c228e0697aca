package explain

import (
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/ground/ints"
	"simsearch/internal/match/sequences"
)

// Words alone say nothing of their order: "I went to work today" has the words of "today I went to work", and two tables of numbers
// may well have the same ones. Runs of three words tell such texts apart.
const (
	sameWords   = 0.8 // least similarity of the sets of words of texts that have the same words, or nearly
	otherOrder  = 0.2 // similarity of the sets of runs of three words below which texts have another order
	orderedRuns = 3   // words of a run
)

// An order says how the words of two texts stand.
type order uint8

const (
	inOrder   order = iota // as far as is known
	permuted               // the texts have the same words, each as often, in another order
	reordered              // the texts have most words in common, and hardly a run of them
)

// remark returns what is to be said of two texts, or "".
func (o order) remark() string {
	return [...]string{"", "the words are the same, in another order", "most words are the same, in another order"}[o]
}

// Reordered reports whether two texts differ in Order: they have the same words, each as often, or sets of them that are near with
// hardly a run in common. CompareTexts says which.
func Reordered(a, b string) bool { return orderOf(a, b) != inOrder }

// orderOf compares the order of the words of two texts. Of texts that are too long for a comparison by words, it is not known.
func orderOf(a, b string) order {
	if len(a)+len(b) > wordBytes {
		return inOrder
	}
	x, y := ordered(a), ordered(b)
	if slices.Equal(x.words, y.words) {
		return inOrder
	}
	if len(x.words) == len(y.words) && slices.Equal(sorted(x.words), sorted(y.words)) {
		return permuted
	}
	if ints.Jaccard(x.set, y.set) >= sameWords && ints.Jaccard(x.runs, y.runs) < otherOrder {
		return reordered
	}
	return inOrder
}

// An orderedText is a text by hashes: of its words in their order, and of the distinct ones and the distinct runs, ascending.
type orderedText struct{ words, set, runs []uint64 }

func ordered(text string) (x orderedText) {
	x.words = sequences.NewText([]byte(text)).Words
	x.set = slices.Compact(sorted(x.words))
	x.runs = slices.Compact(sorted(fingerprint.AppendWordGrams(nil, x.words, orderedRuns)))
	return x
}

func sorted(hashes []uint64) []uint64 { return slices.Sorted(slices.Values(hashes)) }
