package sequences

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Span is a part of something, from its first to behind its last.
type Span [2]int

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

// AppendStays appends what stays of a text without the given parts, which ascend. What belongs to a part goes with
// it: the punctuation behind it, and brackets and quotes that open before its first word. Of the white space on both
// sides, one side stays, that with more ends of lines. A sentence of which the end is cut keeps its full stop.
func AppendStays(dst []Span, text []byte, cut []Span) []Span {
	all, at := len(dst), 0
	for _, c := range cut {
		if c[0] >= c[1] {
			continue
		}
		from, to := at, c[0]
		if last := len(dst) - 1; to <= from && last >= all { // there is nothing between this part and the one before
			from, to, dst = dst[last][0], dst[last][1], dst[:last]
		}
		at = max(at, c[1])
		before := withoutOpening(text[from:max(from, to)])
		behind := text[at:]
		next := bytes.TrimLeftFunc(behind, isPunctuation)
		body, rest := bytes.TrimRightFunc(before, unicode.IsSpace), bytes.TrimLeftFunc(next, unicode.IsSpace)
		space, then := before[len(body):], next[:len(next)-len(rest)]
		lines, linesThen := bytes.Count(space, newline), bytes.Count(then, newline)
		stop := bytes.IndexFunc(behind[:len(behind)-len(next)], endsSentence)
		keepsEnd := stop >= 0 && lines == 0 && endsInWord(body)
		first := len(body) == 0 && len(dst) == all
		at = len(text) - len(next)
		switch {
		case first:
			body, at = nil, len(text)-len(rest)
		case len(space) > 0 && !keepsEnd && len(rest) > 0 && (linesThen == 0 || linesThen < lines):
			body, at = before, len(text)-len(rest)
		}
		if len(body) > 0 {
			dst = append(dst, Span{from, from + len(body)})
		}
		if keepsEnd {
			behind = behind[stop:]
			end := len(bytes.TrimLeftFunc(behind, endsSentence))
			dst = append(dst, Span{len(text) - len(behind), len(text) - end})
		}
	}
	if at < len(text) {
		dst = append(dst, Span{at, len(text)})
	}
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

var newline = []byte("\n")

func isPunctuation(r rune) bool {
	return unicode.In(r, unicode.Pe, unicode.Pf) || strings.ContainsRune(".,;:!?…。、，；：！？｡､।॥؟،؛۔\"'’`*>", r)
}

func endsSentence(r rune) bool { return strings.ContainsRune(".!?…。！？｡।॥؟۔", r) }

// endsInWord reports whether a text ends in a letter or a digit.
func endsInWord(text []byte) bool {
	r, _ := utf8.DecodeLastRune(text)
	return unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// withoutOpening returns a text without the brackets and quotes at its end. Quotes that close a text as well are taken if they stand
// behind no word.
func withoutOpening(text []byte) []byte {
	quotes := bytes.TrimRightFunc(text, func(r rune) bool { return opens(r) || strings.ContainsRune("\"'`*<", r) })
	if !endsInWord(quotes) {
		return quotes
	}
	return bytes.TrimRightFunc(text, opens)
}

func opens(r rune) bool { return unicode.In(r, unicode.Ps, unicode.Pi) }
