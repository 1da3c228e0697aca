package preprocess

import "slices"

// Classes of ASCII characters, as UAX #29 (Unicode 15, table 3) gives them.
const (
	letter     = 1 << iota // ALetter
	digit                  // Numeric
	underscore             // ExtendNumLet
	midLetter              // between letters: ':'
	midNum                 // between digits: ',' ';'
	midBoth                // MidNumLet and Single_Quote: '.' '\''
	inWord     = letter | digit | underscore
)

var asciiClass = func() (class [256]uint8) {
	for c := range 26 {
		class['a'+c], class['A'+c] = letter, letter
	}
	for c := range 10 {
		class['0'+c] = digit
	}
	class['_'] = underscore
	class[':'] = midLetter
	class[','], class[';'] = midNum, midNum
	class['.'], class['\''] = midBoth, midBoth
	return class
}()

var asciiLower = func() (lower [256]byte) {
	for c := range lower {
		lower[c] = byte(c)
	}
	for c := range 26 {
		lower['A'+c] = byte('a' + c)
	}
	return lower
}()

// segmentASCII adds the words of text, which must be ASCII, to doc: the rules of
// UAX #29 that can apply there (WB5 to WB13b), folding by table.
func (a *Analyzer) segmentASCII(doc *Document, text []byte) {
	// Between two words stands at least the character that parts them, so that
	// what is written never outgrows what is read by more than the first space.
	doc.text = slices.Grow(doc.text, len(text)+slack)
	for i := 0; i < len(text); {
		class := asciiClass[text[i]]
		if class&inWord == 0 {
			i++
			continue
		}
		lo := doc.begin()
		out := doc.text[:cap(doc.text)]
		hi := lo
		var last, seen uint8
		for {
			for class&inWord != 0 {
				out[hi] = asciiLower[text[i]]
				hi++
				seen |= class
				last = class
				if i++; i == len(text) {
					class = 0
					break
				}
				class = asciiClass[text[i]]
			}
			if class == 0 || i+1 >= len(text) || !joins(last, class, asciiClass[text[i+1]]) {
				break
			}
			out[hi] = text[i]
			hi++
			i++
			class = asciiClass[text[i]]
		}
		doc.text = out[:hi]
		a.keep(doc, lo, seen&(letter|digit) != 0)
	}
}

// joins reports whether a character of class mid binds its neighbours into one
// word: "can't", "e.g", "3.14", "1,000" (WB6, WB7, WB11, WB12).
func joins(before, mid, after uint8) bool {
	return before == letter && after == letter && mid&(midLetter|midBoth) != 0 ||
		before == digit && after == digit && mid&(midNum|midBoth) != 0
}

// keep ends the word that began at lo: it stays if it is a word and no stop word.
func (a *Analyzer) keep(doc *Document, lo int, isWord bool) {
	hi := len(doc.text)
	if !isWord || a.stop.contains(doc.text[lo:hi]) {
		doc.drop(lo)
		return
	}
	doc.words = append(doc.words, span{lo, hi})
}
