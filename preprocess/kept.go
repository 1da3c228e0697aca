package preprocess

// AppendKept appends to dst the numbers of the words of doc that are no stop words of a, and returns
// the extended slice. doc has the words of text as an Analyzer with Language "none" and the features
// Words has made them. So one analysis gives the words with and without stop words: the numbers are
// those of the features that a itself, made for Words, would make.
func (a *Analyzer) AppendKept(dst []uint32, doc *Document, text []byte) []uint32 {
	stop := a.stop
	if a.auto != nil {
		language, _ := a.auto.choose(doc, text)
		stop = a.auto.analyzer[language].stop
	}
	for i, w := range doc.words {
		if !stop.contains(doc.text[w[0]:w[1]]) {
			dst = append(dst, uint32(i))
		}
	}
	return dst
}
