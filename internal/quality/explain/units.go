package explain

import (
	"iter"
	"strings"

	"github.com/clipperhouse/uax29/v2/words"
)

// units are the words or the lines of a text. The first is the white space at the beginning of the text
// and has no word; it may be empty. Each other unit has the white space behind its word.
type units struct {
	text string
	ends []int // where each unit ends, ascending
}

// wordUnits divides a text into words.
func wordUnits(text string) units {
	token := words.FromString(text)
	return unitsOf(text, 5, func(yield func(string) bool) {
		for token.Next() && yield(token.Value()) {
		}
	})
}

// lineUnits divides a text into lines. Empty ones and their white space belong to the line before.
func lineUnits(text string) units { return unitsOf(text, 32, strings.Lines(text)) }

// unitsOf divides a text into pieces, which have so many bytes for the most part.
func unitsOf(text string, bytes int, pieces iter.Seq[string]) units {
	u := units{text: text, ends: make([]int, 1, 1+len(text)/bytes)}
	end := 0
	for piece := range pieces {
		end += len(piece)
		if strings.TrimSpace(piece) == "" {
			u.ends[len(u.ends)-1] = end
		} else {
			u.ends = append(u.ends, end)
		}
	}
	return u
}

// span returns the text of the units [from, to).
func (u units) span(from, to int) string { return u.text[u.start(from):u.start(to)] }

// start returns where unit i begins, or the length of the text if there are i units.
func (u units) start(i int) int {
	if i == 0 {
		return 0
	}
	return u.ends[i-1]
}

// numbers returns a number for each unit, the same for units that count as equal. If fold is set, units that
// differ in case alone do. ids has the numbers so far.
func (u units) numbers(ids map[string]int32, fold bool) []int32 {
	out := make([]int32, len(u.ends))
	for i := range out {
		key := ""
		if i > 0 {
			key = strings.TrimSpace(u.span(i, i+1))
			if fold {
				key = strings.ToLower(key)
			}
		}
		id, ok := ids[key]
		if !ok {
			id = int32(len(ids))
			ids[key] = id
		}
		out[i] = id
	}
	return out
}
