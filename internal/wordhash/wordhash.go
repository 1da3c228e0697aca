// Package wordhash has what searches for sequences of words share: the words of a text as hashes, the bytes that they are made of, the
// sequences by which a longer one is found, and a text without some of its words.
package wordhash

import (
	"bytes"
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"

	"simsearch/fingerprint"
	"simsearch/preprocess"
)

// A Span is a part of something, from its first to behind its last.
type Span [2]int

// Words hash the words of texts. They must not be used by several goroutines at once.
type Words struct {
	analyzer *preprocess.Analyzer
	doc      preprocess.Document
}

// New returns Words.
func New() *Words {
	a, err := preprocess.New(preprocess.Options{})
	if err != nil {
		panic(err) // the options are right
	}
	return &Words{analyzer: a}
}

// AppendTo appends the hash of each word of text to dst. Words with equal hashes, of 64 bits, count as equal, as everywhere.
func (w *Words) AppendTo(dst []uint64, text []byte) []uint64 {
	w.analyzer.Analyze(&w.doc, text)
	plain, spans := w.doc.WordSpans()
	return fingerprint.Murmur3.SumAll(dst, plain, spans)
}

// Places returns which bytes of text each of its words is made of, valid until w is used again.
func (w *Words) Places(text []byte) [][2]int {
	w.analyzer.Analyze(&w.doc, text)
	return w.LastPlaces(text)
}

// LastPlaces is Places of the text that w was used for last.
func (w *Words) LastPlaces(text []byte) [][2]int { return w.doc.Places(text) }

// AppendLeast appends the place of the least hash of each window of n hashes, the first of equal ones, in ascending order and once
// each. It compares the lower halves, so that the upper ones, by which tables are searched, stay uniform.
func AppendLeast(dst []int32, hashes []uint64, n int) []int32 {
	least, at := uint32(0), -1
	for last := n - 1; last < len(hashes); last++ {
		from := last - n + 1
		switch next := uint32(hashes[last]); {
		case at < from:
			least, at = uint32(hashes[from]), from
			for i, hash := range hashes[from+1 : last+1] {
				if uint32(hash) < least {
					least, at = uint32(hash), from+1+i
				}
			}
		case next < least:
			least, at = next, last
		default:
			continue
		}
		dst = append(dst, int32(at))
	}
	return dst
}

// Union returns what spans cover together, in ascending order. It changes spans.
func Union(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a[0], b[0]) })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], s[1])
			continue
		}
		out = append(out, s)
	}
	return out
}

// AppendStays appends what stays of a text without the given parts, which ascend, and without the punctuation behind each. Of the white
// space on both sides of what is cut, that before it stays.
func AppendStays(dst []Span, text []byte, cut []Span) []Span {
	at, last := 0, -1 // last is where the last byte that stays ends, or -1
	stays := func(to int) {
		if to > at {
			dst, last = append(dst, Span{at, to}), to
		}
	}
	for _, c := range cut {
		stays(c[0])
		if at = max(at, c[1]); len(text[at:]) == 0 {
			continue
		}
		at += len(text[at:]) - len(bytes.TrimLeftFunc(text[at:], isPunctuation))
		if r, _ := utf8.DecodeLastRune(text[:max(0, last)]); last < 0 || unicode.IsSpace(r) {
			at += len(text[at:]) - len(bytes.TrimLeftFunc(text[at:], isBlank))
		}
	}
	stays(len(text))
	return dst
}

// Without appends what AppendStays says stays.
func Without(dst, text []byte, cut []Span) []byte {
	return Only(dst, text, AppendStays(nil, text, cut))
}

// Only appends parts of a text.
func Only(dst, text []byte, parts []Span) []byte {
	for _, s := range parts {
		dst = append(dst, text[s[0]:s[1]]...)
	}
	return dst
}

func isPunctuation(r rune) bool {
	return slices.Contains([]rune(".,;:!?…。、，；：！？\"')]”’»」』）"), r)
}

func isBlank(r rune) bool { return r != '\n' && r != '\r' && unicode.IsSpace(r) }
