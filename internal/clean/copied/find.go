package copied

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"simsearch/fingerprint"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/match/sequences"
	"simsearch/preprocess"
)

// An engine finds what submissions share.
type engine struct {
	ctx   context.Context
	o     Options
	did   func(done, all int)
	words sequences.Text   // whose memory is used again
	texts []*text          // in the order in which they are read
	units []*unit          // in the order of their first texts
	pairs map[[2]int]*Pair // by submissions
	many  int              // so many submissions have what does not count; 0 is none
	left  []Common         // what that is
	more  []Common         // what is not left out and may have been given to those that have it
	whole int              // submissions that consist for more than a half of what so many have
}

// A Named text is a submission, such as a document of a collection.
type Named struct {
	Name string // and that of its file
	Text string
}

// Common is a passage that many submissions have, as less than half of their words, such as a task or a source that
// they were given.
type Common struct {
	Submissions int    `json:"submissions"`
	Words       int    `json:"words"`
	Text        string `json:"text"`
	In          string `json:"in"` // a document that has it
	begins      string
}

// Many is how many of all submissions have what does not count. It is a share of them, or a number from 3 on, and 3 at
// least. If it is 0, that is half of them, and ten at least. If it is less, all counts, and Many returns 0.
func Many(all int, is float64) int {
	switch {
	case is < 0:
		return 0
	case is == 0:
		return max(10, (all+1)/2)
	case is < 1:
		is = math.Ceil(is * float64(all))
	}
	return int(min(max(3, is), float64(all+1)))
}

// Several is how many of all submissions have what may have been given to them: a tenth of them, and ten at least, or
// half of few, and three at least.
func Several(all int) int { return min(max(10, all/10), max(3, (all+1)/2)) }

// OfTexts returns the pairs of texts that share more than independent ones do, as Run does: those that are shown,
// then those that are listed besides. What many of the texts have is left out, unless many is 0. It returns that, and
// what is not left out and which several have.
func OfTexts(ctx context.Context, texts []Named, o Options, many int) (pairs []Pair, left, more []Common, err error) {
	e := engine{ctx: ctx, o: o, did: func(int, int) {}, many: many, pairs: map[[2]int]*Pair{}}
	for i, n := range texts {
		t := &text{Text: &sequences.Text{Raw: []byte(n.Text)}, id: n.Name, unit: i}
		e.divide(t, n.Name)
		e.texts, e.units = append(e.texts, t), append(e.units, &unit{name: n.Name, texts: []int{i}, words: len(t.Words)})
	}
	err = e.compare()
	return e.ranked(), e.left, e.more, err
}

// compare finds what submissions share.
func (e *engine) compare() error {
	for _, code := range []bool{false, true} {
		if !slices.ContainsFunc(e.texts, func(t *text) bool { return t.code == code }) {
			continue
		}
		if err := e.weigh(code); err != nil {
			return err
		}
	}
	return nil
}

const (
	textSeed, codeSeed = 2, 8 // words or tokens of a seed
	codeGram           = 3    // tokens of what is compared in no order
	fewWords           = 20   // with which a text is too short to tell
	fewGrams           = 60   // different ones, with which a source without literals cannot be told from others

	// shown is how many pairs of independent submissions there are for one that shares as much as a pair that is
	// shown, at least, and listed that of pairs which are listed below them, if there are not more than mostListed
	// submissions.
	shown, listed = 1000, 10
	mostListed    = 500
)

// A class is the submissions as far as they are sources, or as far as they are not.
type class struct {
	*sequences.Class
	*sequences.Finder         // of a clone
	texts             [][]int // of each submission
	words             []int   // how many each submission has
	grams, literals   *sequences.Bags
}

// weigh finds the pairs of submissions that share what independent ones seldom do, of sources or of texts.
func (e *engine) weigh(code bool) error {
	c := e.class(code)
	least := int64(listed)
	if len(e.units) > mostListed {
		least = shown
	}
	type judged struct {
		sequences.Shared
		evidence
	}
	found := make([][]judged, len(e.units))
	var mu sync.Mutex // held to take the next submission: some take very long, and the others go on
	next := 0
	find := func(ctx context.Context, _ int) (is struct{}, _ error) {
		for c := c.clone(); ; {
			mu.Lock()
			a := next
			next = min(a+1, len(found))
			e.did(a, len(found))
			mu.Unlock()
			if a == len(found) || ctx.Err() != nil {
				return is, context.Cause(ctx)
			}
			for _, s := range c.Of(a, func(s *sequences.Shared) bool { return c.seldom(a, s, least).OnceIn >= least }) {
				if is := c.seldom(a, &s, least); is.OnceIn >= least {
					found[a] = append(found[a], judged{s, is})
				}
			}
		}
	}
	threads := max(1, e.o.Threads)
	if err := parallel.Ordered(e.ctx, threads, threads, find, func(struct{}) error { return nil }); err != nil {
		return err
	}
	for a, all := range found {
		for _, s := range all {
			p := e.pair(a, s.Other)
			if p.evidence.rank < s.rank {
				p.evidence, p.Shown = s.evidence, s.OnceIn >= shown
			}
			for _, x := range s.Passages {
				e.share(p, c.texts[a][x.Texts[0]], c.texts[s.Other][x.Texts[1]], x.Passage)
			}
		}
	}
	return nil
}

// clone returns c for another goroutine, with a Finder.
func (c *class) clone() *class {
	is := *c
	is.Finder = c.NewFinder()
	if c.grams != nil {
		is.grams, is.literals = c.grams.Clone(), c.literals.Clone()
	}
	return &is
}

// class returns the submissions as far as they are sources, or as far as they are not.
func (e *engine) class(code bool) *class {
	c := &class{texts: make([][]int, len(e.units)), words: make([]int, len(e.units))}
	all := make([][]sequences.ClassText, len(e.units))
	for i, t := range e.texts {
		if t.code != code {
			continue
		}
		u := t.unit
		c.texts[u], c.words[u] = append(c.texts[u], i), c.words[u]+len(t.Words)
		all[u] = append(all[u], sequences.ClassText{Words: t.Words, Stop: t.Stop})
	}
	seed, gram, least, base := textSeed, commonGram, leastCommon, e.baseOf(code)
	if code {
		seed, gram, least = codeSeed, commonCode, leastCode
	}
	several := Several(len(e.units))
	g := sequences.NewGiven(all, gram, least, min(several, cmp.Or(e.many, several)), base)
	var given []sequences.GivenPassage
	if e.many > 0 {
		var whole int
		given, whole = g.Of(e.many, e.o.Common > 0)
		e.whole += whole
		e.left = append(e.left, e.common(c, given)...)
	}
	c.Class = sequences.NewClass(all, seed, base, given)
	grams, literals := make([][]uint64, len(e.units)), make([][]uint64, len(e.units))
	for u, texts := range c.texts {
		for k, i := range texts {
			t := e.texts[i]
			t.base, t.in = c.Base(u, k, len(t.Words)), make([]int32, len(t.Words))
			base := sequences.Unmarked(t.base, nil)
			e.units[u].base, c.words[u] = e.units[u].base+base, c.words[u]-base
			if code {
				grams[u], literals[u] = t.appendOwn(grams[u], literals[u])
			}
			t.Words, t.Stop, t.Literals = nil, nil, nil // c has what is asked of them
		}
	}
	may, _ := g.Of(several, false)
	for _, p := range may {
		t := e.texts[c.texts[p.Submission][p.Text]]
		if t.given == nil {
			t.given = make([]bool, len(t.in))
		}
		sequences.Mark(t.given, p.Words)
	}
	e.more = append(e.more, e.common(c, may)...)
	if code {
		c.grams, c.literals = sequences.NewBags(grams), sequences.NewBags(literals)
	}
	for u := range e.units {
		e.units[u].long = e.units[u].long || !c.isShort(u)
	}
	return c
}

// common returns what submissions were given, each passage once, without what is left out already: that first which
// most have.
func (e *engine) common(c *class, given []sequences.GivenPassage) (all []Common) {
	for _, p := range given {
		t := e.texts[c.texts[p.Submission][p.Text]]
		from, to := p.Words[0], p.Words[1]
		if !p.First || t.base != nil && 2*sequences.Unmarked(t.base[from:to], nil) >= to-from {
			continue
		}
		start, end := t.Bytes(from, to)
		_, begins := t.Bytes(from, from+leastCommon)
		text, first := string(t.Raw[start:end]), terminal.OneLine(string(t.Raw[start:begins]))
		all = append(all, Common{p.Having, to - from, text, t.id, first})
	}
	slices.SortStableFunc(all, func(x, y Common) int {
		return cmp.Or(cmp.Compare(y.Submissions, x.Submissions), cmp.Compare(y.Words, x.Words))
	})
	return all
}

// isShort reports whether a submission is too short to tell.
func (c *class) isShort(u int) bool {
	if c.grams == nil {
		return c.words[u] < fewWords
	}
	return c.literals.Len(u) == 0 && c.grams.Len(u) < fewGrams
}

// appendOwn appends the sequences of tokens and the literals of a source that the base does not have.
func (t *text) appendOwn(grams, literals []uint64) (g, l []uint64) {
	for _, l := range t.Literals {
		if t.base == nil || !t.base[l.Word] {
			literals = append(literals, l.Hash)
		}
	}
	for from := 0; from < len(t.Words); from++ {
		to := from
		for to < len(t.Words) && (t.base == nil || !t.base[to]) {
			to++
		}
		if to-from >= codeGram {
			grams = fingerprint.AppendWordGrams(grams, t.Words[from:to], codeGram)
		}
		from = to
	}
	return grams, literals
}

// baseOf returns the words of the base, as far as it is sources, or as far as it is not.
func (e *engine) baseOf(code bool) (words [][]uint64) {
	for _, base := range e.o.Base {
		language := preprocess.CodeOf(base.Name)
		if (language != nil) != code {
			continue
		}
		var t sequences.Text
		if t.Read([]byte(base.Text)); code {
			t.ReadCode([]byte(base.Text), language)
		}
		words = append(words, t.Words)
	}
	return words
}

// evidence says how seldom independent submissions share so much.
type evidence struct {
	// OnceIn is how many pairs of independent submissions there are for one that shares as much, about: of texts on
	// one subject, or of programs with different purposes.
	OnceIn    int64   `json:"once_in"`
	Structure float64 `json:"structure,omitempty"` // of sources: cosine of sequences of three tokens, in any order
	Literals  float64 `json:"literals,omitempty"`  // of sources: cosine of what is quoted

	rank float64 // the logarithm of OnceIn before that is cut at 10⁹ and rounded
}

// seldom returns how seldom independent submissions share as much as s says, which is what they share, or the most that
// they can. What is certain to be below least may come back as less than it is. Of sources, structure and literals of
// the whole decide, or the passage that has most different sequences of eight tokens. Both bounds are chosen such that
// of 30 sets of 60 programs of Go's library, pairs of one form alone are shown: bench/copies counts them.
func (c *class) seldom(a int, s *sequences.Shared, least int64) (e evidence) {
	if c.grams == nil {
		smaller := 0
		if c.words[s.Other] < c.words[a] {
			smaller = 1
		}
		e.rank = rankOfTexts(s.Shares[smaller], s.Heaviest, c.words[a], c.words[s.Other])
		if c.isShort(a) || c.isShort(s.Other) {
			e.rank = min(e.rank, 2) // it is listed
		}
		return e.once()
	}
	quoting := c.literals.Len(a) > 0 && c.literals.Len(s.Other) > 0
	if !quoting && min(c.grams.Len(a), c.grams.Len(s.Other)) < fewGrams {
		e.Structure = rounded(c.grams.Cosine(a, s.Other))
		e.rank = min(2, 5*e.Structure-3) // too little to tell, such as a table of numbers: it is listed
		return e.once()
	}
	e.rank = .02 * float64(s.Distinct-80)
	if e.Literals = rounded(c.literals.Cosine(a, s.Other)); quoting && max(e.rank, 2.5*(1+e.Literals)) < math.Log10(float64(least))-.1 {
		return e.once()
	}
	e.Structure = rounded(c.grams.Cosine(a, s.Other))
	literals := e.Literals
	if !quoting {
		literals = e.Structure
	}
	e.rank = max(e.rank, 2.5*(e.Structure+literals))
	return e.once()
}

// once sets e.OnceIn.
func (e evidence) once() evidence {
	x := math.Pow(10, min(9, max(0, e.rank)))
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	e.OnceIn = int64(math.Round(x/unit) * unit) // of two digits
	return e
}

// rankOfTexts returns the logarithm of how many pairs of independent texts on one subject there are for one that shares
// so much, about: a share of the smaller text, or a heaviest chain.
//
// Both are fitted to 3,195 pairs of reviews of one film each: bench/copies has the table. The share of texts of n
// words has a spread of 1/√n until what is said of one subject anyway outweighs chance. The heaviest chain grows with
// the logarithm of the pairs of words, as that of local alignments does (Karlin and Altschul, PNAS 87, 1990).
func rankOfTexts(share, heaviest float64, a, b int) float64 {
	if share == 0 && heaviest == 0 {
		return 0 // nothing is shared, however short they are
	}
	byShare := .3 + 1.7*share*math.Sqrt(float64(min(a, b, 250)))
	byChain := .44*heaviest + 4.41 - math.Log10(float64(max(a, 1))*float64(max(b, 1)))
	return max(byShare, byChain)
}

func rounded(x float64) float64 { return math.Floor(x*10000) / 10000 }

// A cover is the words of texts that lie in passages.
type cover map[*text][][2]int

// add adds words of a text.
func (c cover) add(t *text, span [2]int) { c[t] = append(c[t], span) }

// each calls do with each word, without those that the base has.
func (c cover) each(do func(t *text, word int)) {
	for t, spans := range c {
		slices.SortFunc(spans, func(x, y [2]int) int { return cmp.Compare(x[0], y[0]) })
		at := 0
		for _, span := range spans {
			for at = max(at, span[0]); at < span[1]; at++ {
				if t.base == nil || !t.base[at] {
					do(t, at)
				}
			}
		}
	}
}

// count returns how many words there are, and how many beside what several submissions may have been given.
func (c cover) count() (n, own int) {
	c.each(func(t *text, word int) {
		if n++; t.given == nil || !t.given[word] {
			own++
		}
	})
	return n, own
}

// tell counts the words for their texts.
func (c cover) tell() { c.each(func(t *text, word int) { t.in[word]++ }) }

// share returns the part of a submission's words, beside those that the base has, with four digits, which is never 1
// for less.
func (u *unit) share(words int) float64 {
	if u.words == u.base {
		return 0
	}
	return float64(words*10000/(u.words-u.base)) / 10000
}
