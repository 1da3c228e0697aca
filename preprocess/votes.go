package preprocess

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// The language of a text is voted for by its stop words. All words are looked up once, in a table of the stop words of
// all languages, which has for each the number of the set of languages that have it. While this is done, the words are
// kept that one language would keep, mostly that of the text before. If the words that no other language has carry the
// vote for that language, the work is done.

// share is the vote of a word, of which the languages that have the word get equal shares: it is divisible by 1 to 10.
const share = 2520

// maxLanguages is the largest number of languages, with no language among them.
const (
	languageBits = 5
	maxLanguages = 1 << languageBits
)

// A voteTable is a perfect hash table of the stop words of all languages, and immutable. A word is looked up without a
// branch.
//
// Source: hash and displace (Belazzougui, Botelho and Dietzfelbinger, "Hash, Displace, and Compress", ESA 2009), without
// compressing. The displacement is added to the place.
type voteTable struct {
	seed     uint64
	displace []uint16   // of each bucket
	words    []stopWord // in their places; an empty place is all zeros
	sets     []uint16   // of words
	long     map[string]uint16
	longest  int // the length in bytes of the longest word in long, which has words of more than 16 bytes

	languages []uint32             // of each set: bit i stands for language i; set 0 is empty
	votes     [maxLanguages][]ayes // of each language, and of each set
}

// ayes are votes for and against a language. In bits 32 to 62 are the votes of words that no other language in Latin script
// has. In bits 0 to 31 are the votes that other languages may have got by words that it has not. A word of several
// languages, of which it is one, gives them equal shares. The highest bit says of a word that the language has it not.
type ayes uint64

// There are about two words in a bucket, and a sixth more places than words.
const (
	bucketBits = 12
	placeBits  = 13
)

const (
	bucketShift = 64 - bucketBits
	placeShift  = bucketShift - placeBits
)

// hashHalves hashes the halves of a word. The highest bits are its bucket, and those below its place, to which the
// displacement of the bucket is added.
func hashHalves(a, b, seed uint64) uint64 { return (a ^ b*0xc2b2ae3d27d4eb4f) * seed }

// newVoteTable returns the table of words, which has the languages of each: bit i stands for language i. latin are the
// languages in Latin script.
func newVoteTable(words map[string]uint32, latin uint32) *voteTable {
	t := &voteTable{seed: 0x9e3779b97f4a7c15, long: map[string]uint16{}, languages: []uint32{0}}
	numbers := map[uint32]uint16{0: 0}
	var short []stopWord
	var sets []uint16
	for word, languages := range words {
		set, ok := numbers[languages]
		if !ok {
			set = uint16(len(t.languages))
			numbers[languages] = set
			t.languages = append(t.languages, languages)
		}
		if len(word) > 16 {
			t.long[word] = set
			t.longest = max(t.longest, len(word))
		} else {
			short, sets = append(short, halves([]byte(word))), append(sets, set)
		}
	}
	for !t.fill(short, sets) {
		t.seed += 2
	}
	for i := range t.votes {
		t.votes[i] = make([]ayes, len(t.languages))
		for set, languages := range t.languages {
			switch languages &= latin; {
			case languages == 1<<i:
				t.votes[i][set] = share << 32
			case languages != 0 && languages>>i&1 == 0:
				t.votes[i][set] = ayes(share / bits.OnesCount32(languages))
			}
			if t.languages[set]>>i&1 == 0 {
				t.votes[i][set] |= 1 << 63
			}
		}
	}
	return t
}

// fill puts words and their sets into places. It returns false if no displacement parts two words.
func (t *voteTable) fill(words []stopWord, sets []uint16) bool {
	t.displace, t.words, t.sets = make([]uint16, 1<<bucketBits), make([]stopWord, 1<<placeBits), make([]uint16, 1<<placeBits)
	buckets := make([][]int, 1<<bucketBits)
	for i, w := range words {
		b := hashHalves(w.a, w.b, t.seed) >> bucketShift
		buckets[b] = append(buckets[b], i)
	}
	order := make([]int, len(buckets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(len(buckets[y]), len(buckets[x])) })
	for _, b := range order {
		for !t.put(words, sets, buckets[b]) {
			if t.displace[b]++; t.displace[b] == 1<<placeBits {
				return false
			}
		}
	}
	return true
}

// place returns the place of a word.
func (t *voteTable) place(w stopWord) uint64 {
	h := hashHalves(w.a, w.b, t.seed)
	return (h>>placeShift + uint64(t.displace[h>>bucketShift])) % (1 << placeBits)
}

// put puts the words of a bucket into their places. It returns false, and changes nothing, if one of them is taken.
func (t *voteTable) put(words []stopWord, sets []uint16, bucket []int) bool {
	for i, number := range bucket {
		p := t.place(words[number])
		if t.words[p] != (stopWord{}) {
			for _, before := range bucket[:i] {
				t.words[t.place(words[before])] = stopWord{}
			}
			return false
		}
		t.words[p], t.sets[p] = words[number], sets[number]
	}
	return true
}

// look writes the set of each word of text to sets, and to words those that are no stop words of a language. It
// returns the number of the latter, the votes for that language, and the number of words of at most 16 bytes that begin
// with a Latin letter of ASCII. edges has the beginning and the end of each word, in turn. words has room for all of them,
// and text has 16 bytes of capacity behind its end.
func (t *voteTable) look(sets []uint16, words []span, text []byte, edges []uint32, language int) (n int, sum ayes, letters int) {
	text = text[:cap(text)]
	displace, votes, seed := t.displace[:1<<bucketBits], t.votes[language], t.seed
	places, setOf := t.words[:1<<placeBits], t.sets[:1<<placeBits]
	words = words[:len(edges)/2]
	sets = sets[:len(words)]
	for i := range sets {
		lo, hi := int(edges[2*i]), int(edges[2*i+1])
		words[n] = span{lo, hi}
		var set uint16
		if size := uint(hi - lo); size < uint(len(halfMasks)) {
			sixteen, mask := text[lo:lo+16], &halfMasks[size]
			x, y := binary.LittleEndian.Uint64(sixteen)&mask.a, binary.LittleEndian.Uint64(sixteen[8:])&mask.b
			letters += int((uint64(uint8(x)-'a') - 26) >> 63)
			h := hashHalves(x, y, seed)
			p := (h>>placeShift + uint64(displace[h>>bucketShift])) % (1 << placeBits)
			differs := x ^ places[p].a | y ^ places[p].b
			// The highest bit of x|-x is set exactly where x is not zero.
			set = setOf[p] & (uint16((differs|-differs)>>63) - 1)
		} else {
			set = t.ofLong(text[lo:hi])
		}
		sets[i] = set
		vote := votes[set]
		sum += vote
		n += int(vote >> 63)
	}
	return n, sum, letters
}

// ofLong returns the set of a word of more than 16 bytes.
func (t *voteTable) ofLong(word []byte) uint16 {
	if len(word) > t.longest {
		return 0
	}
	return t.long[string(word)]
}

// carried reports whether a language in Latin script has more votes than any other. If not, it may have so, too.
func (sum ayes) carried() bool { return sum<<1>>33 > sum&(1<<32-1) }

// best returns the language with most votes by the sets of words, the first of several, or -1 if none has any. Only those
// of candidates count.
func (t *voteTable) best(sets []uint16, candidates uint32) int {
	var votes [maxLanguages]uint32
	for _, set := range sets {
		languages := t.languages[set] & candidates
		n := bits.OnesCount32(languages)
		for ; languages != 0; languages &= languages - 1 {
			votes[bits.TrailingZeros32(languages)] += share / uint32(n)
		}
	}
	best := uint32(0)
	for i, n := range &votes {
		best = max(best, n<<languageBits|uint32(maxLanguages-1-i))
	}
	if best>>languageBits == 0 {
		return -1
	}
	return maxLanguages - 1 - int(best%maxLanguages)
}

// keep writes to words those of edges, by their sets, that are no stop words of a language, and returns their number.
func (t *voteTable) keep(words []span, edges []uint32, sets []uint16, language int) (n int) {
	for i, set := range sets {
		words[n] = span{int(edges[2*i]), int(edges[2*i+1])}
		n += int(^t.languages[set] >> language & 1)
	}
	return n
}
