package main

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"simsearch/preprocess"
)

// A judge knows the pairs of a collection.
type judge struct {
	*collection
	same  []uint64   // hashes of the words of each text, in their order
	words [][]uint32 // numbers of the words of each text, ascending
	kinds []wordKind // of each word
}

// newTruth finds the words of the texts.
func newJudge(c *collection) (*judge, error) {
	a, err := preprocess.New(preprocess.Options{Language: "none"})
	if err != nil {
		return nil, err
	}
	t := &judge{collection: c}
	numbers := map[string]uint32{}
	var h maphash.Hash
	var doc preprocess.Document
	for _, text := range c.texts {
		a.Analyze(&doc, text)
		words := make([]uint32, doc.Len())
		for i := range words {
			w := doc.Feature(i)
			n, ok := numbers[string(w)]
			if !ok {
				n = uint32(len(t.kinds))
				numbers[string(w)] = n
				t.kinds = append(t.kinds, kindOf(string(w)))
			}
			words[i] = n
		}
		h.Reset()
		if err := binary.Write(&h, binary.LittleEndian, words); err != nil {
			return nil, err
		}
		t.same = append(t.same, h.Sum64())
		slices.Sort(words)
		t.words = append(t.words, words)
	}
	return t, nil
}

// judge reports whether a pair is near. A pair of equal words without a label that it is near does not
// count. Without labels no pair is near.
func (t *judge) judge(a, b uint32) (near, known bool) {
	if t.labels == nil {
		return false, t.same[a] != t.same[b]
	}
	near, known = t.labels.Judge(a, b)
	if !near && t.same[a] == t.same[b] {
		return false, false
	}
	return near, known
}
