package labelled

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"simsearch/preprocess"
)

// A Truth knows the pairs of a collection.
type Truth struct {
	*Collection
	Same       []uint64   // hashes of the words of each text, in their order
	Words      [][]uint32 // numbers of the words of each text, ascending
	Vocabulary []string   // the words by their numbers
}

// NewTruth finds the words of the texts.
func NewTruth(c *Collection) (*Truth, error) {
	a, err := preprocess.New(preprocess.Options{Language: "none"})
	if err != nil {
		return nil, err
	}
	t := &Truth{Collection: c}
	numbers := map[string]uint32{}
	var h maphash.Hash
	var doc preprocess.Document
	for _, text := range c.Texts {
		a.Analyze(&doc, text)
		words := make([]uint32, doc.Len())
		for i := range words {
			w := doc.Feature(i)
			n, ok := numbers[string(w)]
			if !ok {
				n = uint32(len(t.Vocabulary))
				numbers[string(w)] = n
				t.Vocabulary = append(t.Vocabulary, string(w))
			}
			words[i] = n
		}
		h.Reset()
		if err := binary.Write(&h, binary.LittleEndian, words); err != nil {
			return nil, err
		}
		t.Same = append(t.Same, h.Sum64())
		slices.Sort(words)
		t.Words = append(t.Words, words)
	}
	return t, nil
}

// Judge reports whether a pair is near. A pair of equal words without a label that it is near does not
// count. Without labels no pair is near.
func (t *Truth) Judge(a, b uint32) (near, known bool) {
	if t.Labels == nil {
		return false, t.Same[a] != t.Same[b]
	}
	near, known = t.Labels.Judge(a, b)
	if !near && t.Same[a] == t.Same[b] {
		return false, false
	}
	return near, known
}
