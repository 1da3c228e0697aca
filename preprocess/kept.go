package preprocess

import "slices"

// AppendKept appends to dst the numbers of the words of doc that are no stop words of a, and returns
// the extended slice. doc has the words of text as an Analyzer with Language "none" and the features
// Words has made them. So one analysis gives the words with and without stop words: the numbers are
// those of the features that a itself, made for Words, would make.
func (a *Analyzer) AppendKept(dst []uint32, doc *Document, text []byte) []uint32 {
	stop := a.stop
	if a.auto != nil {
		if len(text) <= prefixBytes {
			return a.auto.appendKept(dst, doc)
		}
		stop = a.auto.analyzer[a.auto.choose(doc, text)].stop
	}
	for i, w := range doc.words {
		if !stop.contains(doc.text[w[0]:w[1]]) {
			dst = append(dst, uint32(i))
		}
	}
	return dst
}

// appendKept is AppendKept for a text of which all words decide on its language.
func (d *detector) appendKept(dst []uint32, doc *Document) []uint32 {
	from := doc.beginning()
	from.scratch.edges = appendEdges(from.scratch.edges[:0], doc.words)
	from.text, doc.text = doc.text, from.text
	language := d.detect(from, from.scratch.edges)
	from.text, doc.text = doc.text, from.text
	dst = slices.Grow(dst, len(doc.words))
	for i, set := range from.sets[:len(doc.words)] {
		if d.votes.languages[set]>>language&1 == 0 {
			dst = append(dst, uint32(i))
		}
	}
	return dst
}
