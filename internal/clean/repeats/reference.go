package repeats

import (
	"slices"

	"simsearch/internal/match/sequences"
)

// reference finds what engine.find finds, from the definition: it remembers each sequence of n words. It is what the
// tests compare find with. It returns the pieces of each document, whose sources are documents and words of them.
func reference(documents [][]uint64, n int) (all [][]referencePiece) {
	first := map[string][2]int{} // where each sequence first occurs: a document, and a word of it
	for d, words := range documents {
		var list []referencePiece
		for i := 0; i+n <= len(words); i++ {
			sequence := string(encoded(words[i : i+n]))
			if _, ok := first[sequence]; !ok {
				first[sequence] = [2]int{d, i}
			}
			doc, at := first[sequence][0], first[sequence][1]
			if doc == d && at+n > i {
				continue // it is the first, or overlaps that
			}
			if k := len(list) - 1; k >= 0 && list[k].to+1 == i+n && list[k].doc == doc && list[k].at+list[k].to-list[k].from+1 == at+n {
				list[k].to++
			} else {
				list = append(list, referencePiece{i, i + n, doc, at})
			}
		}
		for i := 1; i+1 < len(list); { // what its neighbours cover is left out
			if list[i+1].from <= list[i-1].to {
				list = slices.Delete(list, i, i+1)
			} else {
				i++
			}
		}
		all = append(all, list)
	}
	return all
}

// A referencePiece is the words [from, to) of a document, which repeat those of doc from at on.
type referencePiece struct{ from, to, doc, at int }

// referenceTexts returns what is left of texts, and after how many passes nothing is cut.
func referenceTexts(texts [][]byte, n int) (left [][]byte, passes int) {
	left = slices.Clone(texts)
	w := new(sequences.Words)
	for {
		var documents [][]uint64
		for _, text := range left {
			documents = append(documents, w.AppendTo(nil, text))
		}
		some := false
		for d, list := range reference(documents, n) {
			if len(list) == 0 {
				continue
			}
			var pieces []piece
			for _, p := range list {
				pieces = append(pieces, piece{from: uint32(p.from), to: uint32(p.to)})
			}
			cut, _ := spansOf(pieces, w.Places(left[d]))
			was := len(left[d])
			left[d] = sequences.Without(nil, left[d], cut)
			some = some || len(left[d]) < was
		}
		if !some {
			return left, passes
		}
		passes++
	}
}
