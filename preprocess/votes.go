package preprocess

import (
	"cmp"
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

// A hashTable is a perfect hash table of hashes of words, and immutable: a word is looked up without a branch. The
// sizes are constants, so that no index is checked: there is room for the stop words of all languages.
//
// Source: hash and displace (Belazzougui, Botelho and Dietzfelbinger, "Hash, Displace, and Compress", ESA 2009),
// without compressing. The displacement is added to the place.
type hashTable struct {
	factor   uint64
	displace [1 << bucketBits]uint16 // of each bucket
	// A place has a hash with the number of a set in place of its last bits. An empty place has one that belongs
	// elsewhere.
	places [1 << placeBits]uint64
}

// There are about two of 7,000 words in a bucket, and a sixth more places than words.
const (
	bucketBits  = 12
	placeBits   = 13
	setBits     = 8
	bucketShift = 64 - bucketBits
	placeShift  = bucketShift - placeBits
)

// newHashTable returns the table of distinct hashes, one or more, each of which has a set.
func newHashTable(hashes []uint64, sets []uint8) *hashTable {
	for factor := uint64(0x9e3779b97f4a7c15); ; factor += 2 {
		if t := (&hashTable{factor: factor}); t.fill(hashes, sets) {
			return t
		}
	}
}

// fill puts hashes and their sets into places. It returns false if no displacement parts two hashes.
func (t *hashTable) fill(hashes []uint64, sets []uint8) bool {
	in := make([][]int, 1<<bucketBits)
	for i, h := range hashes {
		b := h * t.factor >> bucketShift
		in[b] = append(in[b], i)
	}
	slices.SortStableFunc(in, func(x, y []int) int { return cmp.Compare(len(y), len(x)) })
	taken := make([]bool, 1<<placeBits)
	for _, bucket := range in {
		for !t.put(hashes, bucket, taken) {
			b := hashes[bucket[0]] * t.factor >> bucketShift
			if t.displace[b]++; t.displace[b] == 1<<placeBits {
				return false
			}
		}
	}
	for p := range t.places {
		t.places[p] = hashes[0]
	}
	for i, h := range hashes {
		t.places[t.place(h)] = h&^(1<<setBits-1) | uint64(sets[i])
	}
	return true
}

// put takes the places of the hashes of a bucket. It returns false, and takes none, if one of them is taken.
func (t *hashTable) put(hashes []uint64, bucket []int, taken []bool) bool {
	for i, number := range bucket {
		p := t.place(hashes[number])
		if taken[p] {
			for _, before := range bucket[:i] {
				taken[t.place(hashes[before])] = false
			}
			return false
		}
		taken[p] = true
	}
	return true
}

// place returns the place that a hash has if it is there.
func (t *hashTable) place(h uint64) uint64 {
	h *= t.factor
	return (h>>placeShift + uint64(t.displace[h>>bucketShift])) % (1 << placeBits)
}

// match returns 1 if a place has a hash, and 0 otherwise.
func match(h, place uint64) uint64 { return ((h^place)>>setBits - 1) >> 63 }

// others moves those of hashes that are not there to the front, and returns them.
func (t *hashTable) others(hashes []uint64) []uint64 {
	n := 0
	for _, h := range hashes {
		hashes[n] = h
		n += int(1 ^ match(h, t.places[t.place(h)]))
	}
	return hashes[:n]
}

// A voteTable has the stop words of all languages, by their hashes, and the languages that have them.
type voteTable struct {
	*hashTable
	languages []uint32                         // of each set: bit i stands for language i; set 0 is empty
	votes     [maxLanguages][1 << setBits]ayes // of each language, and of each set
}

// ayes are votes for and against a language. In bits 32 to 62 are the votes of words that no other language in Latin
// script has. In bits 0 to 31 are the votes that other languages may have got by words that it has not. A word of
// several languages, of which it is one, gives them equal shares. The highest bit says of a word that the language
// has it not.
type ayes uint64

// newVoteTable returns the table of words by their hashes, and the languages that have each: bit i stands for language
// i. latin are the languages in Latin script.
func newVoteTable(hashes []uint64, having []uint32, latin uint32) *voteTable {
	t := &voteTable{languages: []uint32{0}}
	numbers := map[uint32]uint8{0: 0}
	sets := make([]uint8, len(hashes))
	for i, languages := range having {
		set, ok := numbers[languages]
		if !ok {
			set = uint8(len(t.languages)) // some 200
			numbers[languages] = set
			t.languages = append(t.languages, languages)
		}
		sets[i] = set
	}
	t.hashTable = newHashTable(hashes, sets)
	for i := range t.votes {
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

// look writes the set of each word, by its hash, to sets, and to kept the hashes of those that are no stop words of a
// language. It returns the number of the latter and the votes for that language. sets and kept are as long as hashes.
func (t *voteTable) look(sets []uint8, kept, hashes []uint64, language int) (n int, sum ayes) {
	votes := &t.votes[language]
	sets, kept = sets[:len(hashes)], kept[:len(hashes)]
	for i, h := range hashes {
		p := t.places[t.place(h)]
		set := uint8(p) & -uint8(match(h, p))
		sets[i] = set
		vote := votes[set]
		sum += vote
		kept[n] = h
		n += int(vote >> 63)
	}
	return n, sum
}

// carried reports whether a language in Latin script has more votes than any other. If not, it may have so, too.
func (sum ayes) carried() bool { return sum<<1>>33 > sum&(1<<32-1) }

// best returns the language with most votes by the sets of words, the first of several, or -1 if none has any. Only
// those of candidates count.
func (t *voteTable) best(sets []uint8, candidates uint32) int {
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

// keep writes to kept the hashes of words, by their sets, that are no stop words of a language, and returns their
// number.
func (t *voteTable) keep(kept, hashes []uint64, sets []uint8, language int) (n int) {
	for i, set := range sets {
		kept[n] = hashes[i]
		n += int(^t.languages[set] >> language & 1)
	}
	return n
}
