package judge

import (
	"unicode/utf8"

	"simsearch/fingerprint"
)

// An opening is three words in a row among the first words of a text. A copy shares one with its original, unless its
// sentences have changed places. Two texts on one subject rarely do. So few pairs are compared, and openings find them.
const openingWords, openingLength = 64, 3

// AppendOpenings appends hashes of the openings of text to dst, ascending, each once. A text of fewer than three words
// has one opening, of all of them.
func AppendOpenings(dst []uint32, text []byte) []uint32 {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	for beginning := 8 * openingWords; ; beginning *= 2 {
		n := min(beginning, len(text))
		for n < len(text) && n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		plain, spans := r.words.Analyze(text[:n]).WordSpans()
		if n == len(text) || len(spans) > openingWords+1 { // the last one may be cut
			r.hashes = fingerprint.Murmur3.SumAll(r.hashes[:0], plain, spans[:min(len(spans), openingWords)])
			return append(dst, r.openings(r.hashes)...)
		}
	}
}

// openings returns the openings of a text that begins with words of the given hashes.
func (r *reader) openings(words []uint64) []uint32 {
	r.chosen = r.chosen[:0]
	words = words[:min(len(words), openingWords)]
	for len(words) > 0 {
		sum := uint64(0)
		for _, h := range words[:min(len(words), openingLength)] {
			sum = (sum ^ h) * 0x9e3779b97f4a7c15
			sum ^= sum >> 32
		}
		r.chosen = append(r.chosen, sum*0x9e3779b97f4a7c15)
		if words = words[1:]; len(words) < openingLength {
			break
		}
	}
	return r.sorted(r.chosen, true)
}

// Compared reports whether two texts are compared that have a share of their words in common, which is the Jaccard
// similarity of their sets: at least Alike, or at least Floor and an opening.
func Compared(a, b *Text, words float64) bool {
	return words >= Alike || words >= Floor && a.opensAs(b)
}

// opensAs reports whether two texts have an opening in common.
func (t *Text) opensAs(b *Text) bool {
	x, y := t.openings, b.openings
	for len(x) > 0 && len(y) > 0 && x[0] != y[0] {
		if x[0] < y[0] {
			x = x[1:]
		} else {
			y = y[1:]
		}
	}
	return len(x) > 0 && len(y) > 0
}
