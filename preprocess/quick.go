package preprocess

import "unicode/utf8"

// The quick path of Unicode text goes through the text once. A table has for most characters what
// normalising and folding make of them, and their class in UAX #29. Other characters may compose,
// reorder or join words in ways that the table does not have. Then the quick path goes back to the last
// ASCII white space, and the general path takes the text up to the next one. No step looks across white
// space, so that the features are the same.

// segmentQuick adds the words of any text to doc.
func (a *Analyzer) segmentQuick(doc *Document, text []byte) {
	w := writer{a: a, doc: doc}
	token := 0 // where the text after the last white space begins
	words, size := len(doc.words), len(doc.text)
	for i := 0; i < len(text); {
		var r rune
		n := 1
		if c := text[i]; c < utf8.RuneSelf {
			if isSpace(c) {
				w.close()
				i++
				token, words, size = i, len(doc.words), len(doc.text)
				continue
			}
			r = rune(c)
		} else {
			r, n = utf8.DecodeRune(text[i:])
		}
		class, became := runes.look(r)
		if class == alphabetic && w.open && w.last == alphabetic && w.mid == 0 { // the most frequent case
			w.write(text[i:i+n], became)
			i += n
			continue
		}
		if n == 1 && r == utf8.RuneError {
			class = hard // not UTF-8
		}
		if class == hard || !w.add(class, text[i:i+n], became) {
			doc.words, doc.text = doc.words[:words], doc.text[:size]
			end := i
			for end < len(text) && !isSpace(text[end]) {
				end++
			}
			a.segmentUnicode(doc, text[token:end])
			w = writer{a: a, doc: doc}
			i = end
			continue
		}
		i += n
	}
	w.close()
}

// A writer puts words into a document, character by character.
type writer struct {
	a   *Analyzer
	doc *Document

	open   bool
	lo     int   // where the open word begins in doc.text
	last   class // of its last character that does not extend another
	isWord bool  // the word has a letter or a number
	mid    class // of a character that joins the word to the next character if that fits; 0 if there is none
	end    int   // where the word ends if the next character does not fit

	run   bool // a run of unspaced characters is open
	alone bool // the run has one character so far
	prev  [utf8.UTFMax]byte
	size  int // the length of prev, the last character of the run, in bytes
}

// add adds a character of a class other than hard. It returns false if the character is hard in this
// place.
func (w *writer) add(c class, char []byte, became string) bool {
	switch c {
	case alphabetic, hebrew:
		if w.open && w.mid != 0 {
			if w.isAlphabetic() && (w.mid == betweenAlpha || w.mid == betweenBoth) {
				w.mid = 0
			} else {
				w.close()
			}
		}
	case numeric:
		if w.open && w.mid != 0 {
			if w.last == numeric && (w.mid == betweenNum || w.mid == betweenBoth) {
				w.mid = 0
			} else {
				w.close()
			}
		}
	case extendNumLet:
		if w.open && w.mid != 0 {
			w.close()
		}
	case betweenAlpha, betweenNum, betweenBoth:
		if w.last == hebrew && w.open {
			return false // a quotation mark may end a word
		}
		if w.open && w.mid == 0 && w.last != single && w.last != extendNumLet {
			w.mid, w.end = c, len(w.doc.text)
			w.write(char, became)
			return true
		}
		w.close()
		return true
	case extend:
		if w.run {
			w.close()
		}
		if w.open {
			w.write(char, became)
		}
		return true
	case unspacedRune:
		if !w.run {
			w.close()
		}
		w.bigram(char, became)
		return true
	case single:
		w.close()
	default: // other
		if w.open && w.last == hebrew && (char[0] == '"' || became == "\"") {
			return false
		}
		w.close()
		return true
	}
	if w.run || w.open && w.last == single {
		w.close()
	}
	if !w.open {
		w.open, w.isWord = true, false
		w.lo = w.doc.begin()
	}
	w.write(char, became)
	w.last = c
	w.isWord = w.isWord || c != extendNumLet
	return true
}

func (w *writer) isAlphabetic() bool { return w.last == alphabetic || w.last == hebrew }

func (w *writer) write(char []byte, became string) {
	if became != "" {
		w.doc.text = append(w.doc.text, became...)
	} else {
		w.doc.text = append(w.doc.text, char...)
	}
}

// bigram adds the bigram of the character before, if there is one, and a character of an unspaced
// script.
func (w *writer) bigram(char []byte, became string) {
	if w.alone = !w.run; w.run {
		lo := w.doc.begin()
		w.doc.text = append(w.doc.text, w.prev[:w.size]...)
		w.write(char, became)
		w.a.keep(w.doc, lo)
	}
	w.run = true
	if became != "" {
		w.size = copy(w.prev[:], became)
	} else {
		w.size = copy(w.prev[:], char)
	}
}

// close ends the open word, or the run.
func (w *writer) close() {
	switch {
	case w.run:
		if w.alone {
			lo := w.doc.begin()
			w.doc.text = append(w.doc.text, w.prev[:w.size]...)
			w.a.keep(w.doc, lo)
		}
		w.run = false
	case w.open:
		if w.mid != 0 {
			w.doc.text = w.doc.text[:w.end]
		}
		if w.isWord {
			w.a.keep(w.doc, w.lo)
		} else {
			w.doc.drop(w.lo)
		}
		w.open, w.mid = false, 0
	}
	w.last = 0
}
