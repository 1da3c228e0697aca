// Package sequences has what searches for sequences of words share, and finds the passages that two texts share, but
// for some edits of words, without a miss.
//
// A word is what preprocess makes of a text without stop words: case and punctuation do not count, and the runs of
// scripts without spaces are overlapping pairs of characters. Stop words stay. Two words with one hash of 64 bits
// count as one, as everywhere.
//
// Bounds name a length L in words and a share e of edits. Two spans of words, one of each text, agree within the
// bounds if the longer one has w words, w is at least L, and their edit distance by words is at most e·w: a word that
// is replaced, added or missing is one edit. They are usually many, since a span that agrees has others inside and
// around it. So a few are chosen:
//
//   - The longer of two such spans has w words, of which at most e·w are not equal to their partners. The others are divided into at
//     most e·w + 1 runs. One of these has Bounds.Run words or more: the least of ⌈(w − ⌊ew⌋) / (⌊ew⌋ + 1)⌉ over all w from L on, 6
//     for 50 words and 15 %. A run of so many equal words that is extended as far as words are equal is a core.
//   - The score of two spans is e times the words of one of them, less their edits. Each core is extended to both sides as long as
//     the score stays within 3·e·L of the best one on the way, and within 2·e·L of that of the core (floor), once by the words of the
//     query and once by those of the document. Of all spans that a core is extended to and that have L words or more, those with the
//     highest score are the passage of the core, if it is not below 0: those agree within the bounds.
//   - Cores are taken from the longest to the shortest, equally long ones by their order in the query, then in the document. One all
//     of whose words lie in passages, on both sides, is passed over. Passages that lie in another one on both sides are left out.
//
// This is what is guaranteed: each passage agrees within the bounds, and any two spans that agree within them have
// words in passages on both sides, as many as a core has at least. Let W be two such spans, and M the stretch of
// their alignment with the highest score. If M falls by more than 2·e·L somewhere inside, what is before the fall
// scores as much, so take that for M. The longest run of M is a core. If M has L words, extending its core finds a
// score that is not below that of M. Otherwise M scores less than e·L, and so does any stretch of W; hence nothing
// from M to an end of W falls by 2·e·L, and extending finds W, or something that scores e·L more and has L words
// itself.
//
// Reference does the same without seeds, and with whole tables.
package sequences

import (
	"errors"
	"fmt"
	"math"
)

// Bounds say which passages count.
type Bounds struct {
	Words int     // of the longer side, at least
	Edits float64 // share of its words that may differ
}

// Usual are the bounds that commands have if nobody says otherwise.
var Usual = Bounds{Words: 50, Edits: 0.15}

// leastRun is the shortest run that is looked for. Shorter ones are in any two texts.
const leastRun = 3

// mostWords is the largest Bounds.Words.
const mostWords = 1 << 20

// Check returns an error unless passages within b can be found.
func (b Bounds) Check() error {
	switch {
	case b.Words < leastRun || b.Words > mostWords:
		return fmt.Errorf("passages have %d words or more, and %d at most", leastRun, mostWords)
	case !(b.Edits >= 0 && b.Edits < 1):
		return errors.New("the share of edits is 0 or more, and less than 1")
	case b.Run() < leastRun:
		return fmt.Errorf("passages of %d words with %g %% of edits may have no %d equal words behind one another; ask for longer ones, or for fewer edits",
			b.Words, 100*b.Edits, leastRun)
	}
	return nil
}

// scale is the score of one word. Shares of edits are multiples of its inverse.
const scale = 10000

// share returns the share of edits in units of 1/scale.
func (b Bounds) share() int { return int(math.Round(b.Edits * scale)) }

// Run returns how many equal words follow each other in any two spans that agree within b, at least.
func (b Bounds) Run() int {
	share, least := b.share(), math.MaxInt
	if share == 0 {
		return b.Words
	}
	// With k edits, the least w is the worst one: max(L, the first w with ⌊ew⌋ = k). As k grows, that tends to 1/e − 1.
	first := share * b.Words / scale
	for k := first; k <= first+4*scale/share+4; k++ {
		w := max(b.Words, (k*scale+share-1)/share)
		least = min(least, w/(k+1)) // ⌈(w − k) / (k + 1)⌉
	}
	return least
}

// floor returns the least score at which an extension is followed, if best is that of the best shorter one, 0 at least.
func (b Bounds) floor(best int) int { return max(best-3*b.share()*b.Words, -2*b.share()*b.Words) }

// A Passage is a stretch of a query that agrees with one of a document.
type Passage struct {
	Query, Document [2]int // words, the last one exclusive
	Words, Edits    int    // of the longer side, and their edit distance
}

// Bytes returns p in bytes of the texts.
func (p Passage) Bytes(query, document *Text) Passage {
	p.Query[0], p.Query[1] = query.Bytes(p.Query[0], p.Query[1])
	p.Document[0], p.Document[1] = document.Bytes(p.Document[0], p.Document[1])
	return p
}

// in reports whether p lies in o on both sides.
func (p *Passage) in(o *Passage) bool {
	return within(p.Query, o.Query) && within(p.Document, o.Document)
}

func within(a, b [2]int) bool { return b[0] <= a[0] && a[1] <= b[1] }
