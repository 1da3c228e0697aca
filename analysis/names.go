package analysis

// EachFeature calls do with each feature of the set of text, and its hash in the set, in the order of the text: as often
// as it occurs. The feature is a part of s and valid until s is used again.
func (a *Analysis) EachFeature(s *Scratch, text []byte, do func(hash uint64, feature []byte)) {
	a.Set(s, text)
	for i, hash := range s.hashes {
		do(hash, s.Document.Feature(i))
	}
}
