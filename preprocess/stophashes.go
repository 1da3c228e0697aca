package preprocess

import "slices"

// StopHashes drop stop words by the hashes of words: that takes less time than comparing the words does, once they
// are hashed anyway. Two words with one hash of 64 bits count as one.
type StopHashes struct {
	one  *hashTable // of one language; nil if there are no stop words
	auto *detector  // of the language found for each document; nil for one language
}

// NewStopHashes returns the stop words of a language, which Options.Language names, by the hashes that sum appends to
// dst: those of words, which are spans of a text with 16 bytes of capacity behind its end. The error is that of New.
func NewStopHashes(language string, sum func(dst []uint64, text []byte, words [][2]int) []uint64) (*StopHashes, error) {
	s := &StopHashes{}
	switch code := CanonicalLanguage(language); code {
	case NoLanguage:
		return s, nil
	case AutoLanguage:
		var err error
		s.auto, err = newDetector(sum)
		return s, err
	default:
		list, err := stopListOf(code)
		if err != nil || len(list.words) == 0 {
			return s, err
		}
		hashes := hashesOf(list.words, sum)
		slices.Sort(hashes)
		hashes = slices.Compact(hashes)
		s.one = newHashTable(hashes, make([]uint8, len(hashes)))
		return s, nil
	}
}

// Drop moves the hashes of the words that are no stop words to the front, and returns them, in their order. hashes
// are those of the words of doc. doc has all words of text: an Analyzer with Language "none" has made them. What is
// returned may be the memory of doc, which has that of hashes then.
func (s *StopHashes) Drop(doc *Document, text []byte, hashes []uint64) []uint64 {
	if s.one != nil {
		return s.one.others(hashes)
	}
	if s.auto == nil {
		return hashes
	}
	d, n := s.auto, doc.first
	var language int
	if n < 0 {
		language, n = d.choose(doc, text), 0
		doc.kept = doc.kept[:0]
	} else {
		language = d.detect(doc, doc.text, doc.words[:n], hashes[:n])
	}
	doc.kept = append(doc.kept, hashes[n:]...)
	rest := doc.kept[len(doc.kept)-len(hashes)+n:]
	doc.sets = grown(doc.sets, len(rest))
	kept, _ := d.votes.look(doc.sets, rest, rest, language)
	left := doc.kept[:len(doc.kept)-len(rest)+kept]
	doc.kept = hashes
	return left
}
