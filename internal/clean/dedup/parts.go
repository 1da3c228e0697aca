package dedup

import (
	"bytes"

	"simsearch/internal/ground/ints"
)

// A Level is what is removed from a collection: documents, or parts of their texts.
type Level uint8

// The levels.
const (
	Documents  Level = iota
	Paragraphs       // the stretches of a text between blank lines
	Lines
	Passages // sequences of words that have occurred before, which package repeats cuts
)

var levelNames = &ints.Names{
	Type: "Level", What: "part of a text", All: []string{"document", "paragraph", "line", "passage"},
}

// ParseLevel returns the level called "document", "paragraph", "line" or "passage". The error lists these names.
func ParseLevel(name string) (l Level, err error) {
	err = ints.ParseName(levelNames, &l, []byte(name))
	return l, err
}

// String returns the name of l, which ParseLevel reads.
func (l Level) String() string { return levelNames.String(uint8(l)) }

// A Part is text[Start:End]. It is empty if it is a blank line.
type Part struct{ Start, End int }

// Split appends the parts of a text to dst, in order, and returns the extended slice. A line ends before \n, or before
// \r\n. A line with white space alone is blank. It is an empty part if texts are divided into lines, so that lines have
// their usual numbers. Paragraphs have one line or more and no blank one.
func split(dst []Part, text []byte, by Level) []Part {
	if by == Documents {
		return append(dst, Part{0, len(text)})
	}
	from := len(dst)
	joins := false // the next line belongs to the last part
	for at := 0; at < len(text); {
		next := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		line := bytes.TrimRight(bytes.TrimSuffix(text[at:next], []byte("\n")), "\r")
		end := at + len(line)
		switch blank := len(bytes.TrimSpace(line)) == 0; {
		case by == Lines && blank:
			dst = append(dst, Part{at, at})
		case blank:
			joins = false
		case by == Paragraphs && joins && len(dst) > from:
			dst[len(dst)-1].End = end
		default:
			dst = append(dst, Part{at, end})
			joins = true
		}
		at = next
	}
	return dst
}

// Without appends text to dst without the parts for which cut returns true, and returns the extended slice. parts are
// those that Split has found, and cut is asked for each that is not empty, in order. Of what separates the parts
// around a removed one, the stretch with the most line ends stays, the first of several. What is before the first part
// and behind the last one stays. If no part stays, nothing is appended.
func without(dst, text []byte, parts []Part, cut func(i int) bool) []byte {
	from := len(dst)
	end := 0           // of the last part
	some := false      // some part stays
	var between []byte // what separates the next part that stays from the one before
	for i, p := range parts {
		if p.Start == p.End {
			continue
		}
		gap := text[end:p.Start]
		first := end == 0
		end = p.End
		switch {
		case first: // what is before the first part stays in any case
			dst = append(dst, gap...)
		case some && (between == nil || lineEnds(gap) > lineEnds(between)):
			between = gap
		}
		if cut(i) {
			continue
		}
		if some {
			dst = append(dst, between...)
		}
		dst = append(dst, text[p.Start:p.End]...)
		some, between = true, nil
	}
	if !some && end > 0 {
		return dst[:from]
	}
	return append(dst, text[end:]...)
}

func lineEnds(gap []byte) int { return bytes.Count(gap, []byte("\n")) }
