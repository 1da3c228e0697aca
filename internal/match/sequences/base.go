package sequences

// A Base is texts that everybody has, such as a task or a licence: what others share of them does not count. It must
// not be used by several goroutines at once: each has a Clone. A nil Base has nothing.
type Base []*Query

// NewBase returns a Base of texts, whose passages are those within b, which are right.
func NewBase(texts []string, b Bounds) (all Base) {
	for _, text := range texts {
		all = append(all, NewQuery(NewText([]byte(text)), b))
	}
	return all
}

// Clone returns a Base of the same texts with memory of its own.
func (b Base) Clone() (all Base) {
	for _, q := range b {
		all = append(all, q.Clone())
	}
	return all
}

// In returns which words of a text lie in passages of the base; nil if there is none.
func (b Base) In(text *Text) (words []bool) {
	if len(b) > 0 {
		words = make([]bool, len(text.Words))
	}
	for _, q := range b {
		for _, p := range q.Find(text) {
			Mark(words, p.Document)
		}
	}
	return words
}

// Counts reports whether a passage of a query and a document counts: so many words are left of it without those that
// the base has of either. inQuery and inDocument are what Base.In returns.
func (p *Passage) Counts(words int, inQuery, inDocument []bool) bool {
	if inQuery == nil {
		return true
	}
	return p.Words-max(Unmarked(inQuery[p.Query[0]:p.Query[1]], nil), Unmarked(inDocument[p.Document[0]:p.Document[1]], nil)) >= words
}

// Mark marks a span of words.
func Mark(words []bool, span [2]int) {
	for i := span[0]; i < span[1]; i++ {
		words[i] = true
	}
}

// Unmarked returns how many of words are marked, but not in base, which may be nil.
func Unmarked(words, base []bool) (n int) {
	for i, is := range words {
		if is && (base == nil || !base[i]) {
			n++
		}
	}
	return n
}
