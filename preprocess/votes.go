package preprocess

import (
	"cmp"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// The language of a text is voted for by its stop words. All words are looked up once, in a table of the stop words of
// all languages, which has for each the number of the set of languages that have it. A short text has about as many
// words as there are languages, so that the votes of four languages are added at a time.

// share is the vote of a word, of which the languages that have the word get equal shares: it is divisible by 1 to 10.
const share = 2520

const (
	lane         = 16                      // bits of the votes of a language in a voteSet
	lanes        = 64 / lane               // in each of its elements
	votesATime   = (1<<lane - 1) / share   // words whose votes do not overflow
	maxLanguages = lanes * len(voteSet{})  // and no language
	languageBits = 5                       // of the number of a language
	_            = uint(32 - maxLanguages) // languages are bits of a uint32
	_            = uint(1<<languageBits - maxLanguages)
)

// A voteSet has the votes of a word for each language, lanes of them in an element.
type voteSet [7]uint64

// A voteTable is a perfect hash table of the stop words of all languages, and immutable. A word is looked up without a
// branch.
//
// Source: hash and displace (Belazzougui, Botelho and Dietzfelbinger, "Hash, Displace, and Compress", ESA 2009), without
// compressing.
type voteTable struct {
	displace []uint32 // of each bucket
	places   []votePlace
	long     map[string]uint16 // the sets of words of more than 16 bytes
	longest  int               // the length of the longest of them in bytes

	languages []uint32  // of each set: bit i stands for language i; set 0 is empty
	latin     []voteSet // the votes of each set among the languages in Latin script
}

type votePlace struct {
	word stopWord
	set  uint16
}

// Buckets have about 4 words, and there are twice to four times as many places as words.
const (
	bucketBits = 12
	placeBits  = 15
)

func bucketOf(hash uint64) uint64 { return hash >> (64 - bucketBits) }

func placeOf(hash uint64, displace uint32) uint64 {
	return (hash ^ uint64(displace)) * 0x9e3779b97f4a7c15 >> (64 - placeBits)
}

func hashWord(w stopWord) uint64 {
	h := (w.a ^ w.b*0xc2b2ae3d27d4eb4f) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// newVoteTable returns the table of words, which has the languages of each: bit i stands for language i. latin are the
// languages in Latin script.
func newVoteTable(words map[string]uint32, latin uint32) *voteTable {
	t := &voteTable{
		displace: make([]uint32, 1<<bucketBits), places: make([]votePlace, 1<<placeBits),
		long: map[string]uint16{}, languages: []uint32{0}, latin: make([]voteSet, 1),
	}
	sets := map[uint32]uint16{0: 0}
	buckets := make([][]votePlace, 1<<bucketBits)
	for word, languages := range words {
		set, ok := sets[languages]
		if !ok {
			set = uint16(len(t.languages))
			sets[languages] = set
			t.languages = append(t.languages, languages)
			t.latin = append(t.latin, votesOf(languages&latin))
		}
		if len(word) > 16 {
			t.long[word] = set
			t.longest = max(t.longest, len(word))
			continue
		}
		w := halves([]byte(word))
		b := bucketOf(hashWord(w))
		buckets[b] = append(buckets[b], votePlace{w, set})
	}
	order := make([]int, len(buckets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(len(buckets[y]), len(buckets[x])) })
	for _, b := range order {
		for !t.put(buckets[b], t.displace[b]) {
			t.displace[b]++
		}
	}
	return t
}

// put puts the words of a bucket into places, and reports whether these were free.
func (t *voteTable) put(words []votePlace, displace uint32) bool {
	for i, w := range words {
		p := &t.places[placeOf(hashWord(w.word), displace)]
		if *p != (votePlace{}) {
			for _, w := range words[:i] {
				t.places[placeOf(hashWord(w.word), displace)] = votePlace{}
			}
			return false
		}
		*p = w
	}
	return true
}

// votesOf returns equal shares of a vote for languages.
func votesOf(languages uint32) (votes voteSet) {
	n := bits.OnesCount32(languages)
	for ; languages != 0; languages &= languages - 1 {
		i := bits.TrailingZeros32(languages)
		votes[i/lanes] |= uint64(share/n) << (i % lanes * lane)
	}
	return votes
}

// look appends the set of each word of text.
func (t *voteTable) look(sets []uint16, text []byte, words []span) []uint16 {
	n := len(sets)
	sets = slices.Grow(sets, len(words))[:n+len(words)]
	out := sets[n:]
	text = text[:cap(text)]
	displace, places := t.displace[:1<<bucketBits], t.places[:1<<placeBits]
	for i, w := range words {
		word := text[w[0]:w[1]]
		if len(word) > 16 {
			out[i] = 0
			if len(word) <= t.longest {
				out[i] = t.long[string(word)]
			}
			continue
		}
		x := halves(word)
		hash := hashWord(x)
		p := &places[placeOf(hash, displace[bucketOf(hash)])]
		differs := x.a ^ p.word.a | x.b ^ p.word.b
		// The highest bit of x|-x is set exactly where x is not zero.
		out[i] = p.set & (uint16((differs|-differs)>>63) - 1)
	}
	return sets
}

// best returns the language with most votes by the sets of words, the first of several, or -1 if none has any. Only those
// of candidates count.
func (t *voteTable) best(sets []uint16, candidates, latin uint32) int {
	var votes [maxLanguages]uint32
	if candidates == latin {
		t.addLatin(&votes, sets)
	} else {
		for _, set := range sets {
			languages := t.languages[set] & candidates
			n := bits.OnesCount32(languages)
			for ; languages != 0; languages &= languages - 1 {
				votes[bits.TrailingZeros32(languages)] += share / uint32(n)
			}
		}
	}
	best := uint32(0)
	for i, n := range votes {
		best = max(best, n<<languageBits|uint32(1<<languageBits-1-i))
	}
	if best>>languageBits == 0 {
		return -1
	}
	return 1<<languageBits - 1 - int(best&(1<<languageBits-1))
}

// addLatin adds the votes of words for languages in Latin script.
func (t *voteTable) addLatin(votes *[maxLanguages]uint32, sets []uint16) {
	for len(sets) > 0 {
		n := min(len(sets), votesATime)
		var a, b, c, d, e, f, g uint64
		for _, set := range sets[:n] {
			v := &t.latin[set]
			a, b, c, d, e, f, g = a+v[0], b+v[1], c+v[2], d+v[3], e+v[4], f+v[5], g+v[6]
		}
		for i, v := range (voteSet{a, b, c, d, e, f, g}) {
			votes[lanes*i] += uint32(v & (1<<lane - 1))
			votes[lanes*i+1] += uint32(v >> lane & (1<<lane - 1))
			votes[lanes*i+2] += uint32(v >> (2 * lane) & (1<<lane - 1))
			votes[lanes*i+3] += uint32(v >> (3 * lane))
		}
		sets = sets[n:]
	}
}

// keep removes from words those that are stop words of a language, by their sets, and returns the rest.
func (t *voteTable) keep(words []span, sets []uint16, language int) []span {
	n := 0
	sets = sets[:len(words)]
	for i, w := range words {
		words[n] = w
		n += int(^t.languages[sets[i]] >> language & 1)
	}
	return words[:n]
}

// countScripts returns how many words begin with a character of each script.
func countScripts(table *[1 << 16]uint8, text []byte, words []span) (n [nScripts]int) {
	letters := 0
	for _, w := range words {
		c := text[w[0]]
		if c < utf8.RuneSelf {
			letters += int(asciiClass[c] & letter)
			continue
		}
		r, _ := utf8.DecodeRune(text[w[0]:w[1]])
		if r > 0xffff {
			n[scriptOf(r)]++
		} else {
			n[table[r]]++
		}
		n[otherScript]--
	}
	n[latin] += letters
	n[otherScript] += len(words) - letters
	return n
}
