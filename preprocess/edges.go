package preprocess

import "math/bits"

// The words of ASCII text are found 64 characters at a time: each class of characters is a
// mask with a bit a character, the rules of UAX #29 that can apply are a few operations on
// masks, and the edges of words are the bits in which the mask of word characters
// differs from itself moved by one. That is the method of simdjson (Langdale and Lemire,
// "Parsing Gigabytes of JSON per Second", VLDB Journal 2019, section 3) for other rules.

// block is how many characters a mask describes.
const block = 64

// masks are those of one block. Bit i is character i.
type masks struct {
	letter, digit, under uint64
	betweenLetters       uint64 // joins letters on both sides: : . '
	betweenDigits        uint64 // joins digits on both sides: , ; . '
}

// edgeSlack is how many more edges than there are may be written.
const edgeSlack = 16

// edgesASCII writes the lower-case form of text, which must be ASCII, to dst, and to edges
// where each word begins and ends, in turn. A word here is what UAX #29 does not part, with
// a letter, digit or underscore in it; under tells whether there is any underscore.
//
// dst is as long as text, edges longer by 1+edgeSlack, and ms has a place for each
// block of text, the last one perhaps of fewer characters, and two more.
func edgesASCII(dst []byte, edges []uint32, ms []masks, text []byte) (n int, under bool) {
	blocks := (len(text) + block - 1) / block
	ms = ms[:blocks+2]
	ms[0], ms[blocks+1] = masks{}, masks{}
	if len(text) == 0 {
		return 0, false
	}
	_, _ = dst[len(text)-1], edges[len(text)+edgeSlack]
	return wordEdges(dst, edges, ms, text)
}

// wordEdgesGeneric is wordEdges in Go, the reference of the other backends.
func wordEdgesGeneric(dst []byte, edges []uint32, ms []masks, text []byte) (n int, under bool) {
	for i, c := range text {
		dst[i] = asciiLower[c]
		m, bit := &ms[1+i/block], uint64(1)<<(i%block)
		if i%block == 0 {
			*m = masks{}
		}
		switch class := asciiClass[c]; class {
		case letter:
			m.letter |= bit
		case digit:
			m.digit |= bit
		case underscore:
			m.under |= bit
			under = true
		case midLetter:
			m.betweenLetters |= bit
		case midNum:
			m.betweenDigits |= bit
		case midBoth:
			m.betweenLetters |= bit
			m.betweenDigits |= bit
		}
	}
	before := uint64(0) // the last word bit of the block before
	for i := 1; i < len(ms)-1; i++ {
		word := ms[i].words(&ms[i-1], &ms[i+1])
		for e := word ^ (word<<1 | before); e != 0; e &= e - 1 {
			edges[n] = uint32((i-1)*block + bits.TrailingZeros64(e))
			n++
		}
		before = word >> (block - 1)
	}
	if before != 0 {
		edges[n] = uint32(len(text))
		n++
	}
	return n, under
}

// words returns the mask of the characters inside words: WB5 to WB13b of UAX #29, as far
// as they can apply to ASCII.
func (m *masks) words(before, after *masks) uint64 {
	letterBefore := m.letter<<1 | before.letter>>(block-1)
	letterAfter := m.letter>>1 | after.letter<<(block-1)
	digitBefore := m.digit<<1 | before.digit>>(block-1)
	digitAfter := m.digit>>1 | after.digit<<(block-1)
	return m.letter | m.digit | m.under |
		m.betweenLetters&letterBefore&letterAfter | m.betweenDigits&digitBefore&digitAfter
}
