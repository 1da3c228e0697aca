package report

import (
	"strings"
	"unicode"

	"simsearch/internal/show"
)

const (
	// contextBytes is how much of a text that both have is shown beside a difference.
	contextBytes = 240
	// foldedBytes is the smallest number of bytes that are folded.
	foldedBytes = 240
)

// A block is a part of two texts, in which what one of them has alone is marked. If it is folded, both have it, and it is shown on
// demand.
type block struct {
	Folded bool
	Spans  []span
}

// A span is a part of a text.
type span struct {
	Text   string
	Change int  // counts from 1, the same for what replaces each other; 0: both texts have it
	Added  bool // the second text has it
}

// Words is how many words the block has.
func (b *block) Words() (n int) {
	for _, s := range b.Spans {
		n += len(strings.Fields(s.Text))
	}
	return n
}

// blocks returns the runs of two texts as one text, in which what is equal far from any change is folded.
func blocks(runs []show.Run) (list []block) {
	add := func(folded bool, s span) {
		if s.Text == "" {
			return
		}
		if n := len(list); n > 0 && !folded && !list[n-1].Folded {
			list[n-1].Spans = append(list[n-1].Spans, s)
		} else {
			list = append(list, block{folded, []span{s}})
		}
	}
	changes := 0
	for i, r := range runs {
		if r.Equal {
			head, middle, tail := folded(r.B, i > 0, i+1 < len(runs))
			add(false, span{Text: head})
			add(true, span{Text: strings.Trim(middle, "\r\n")})
			add(false, span{Text: tail})
			continue
		}
		changes++
		a, gapA := cutSpace(r.A)
		b, gapB := cutSpace(r.B)
		add(false, span{Text: a, Change: changes})
		if a != "" && b != "" || b == "" {
			add(false, span{Text: gapA})
		}
		add(false, span{Text: b, Change: changes, Added: true})
		add(false, span{Text: gapB})
	}
	return list
}

// cutSpace parts a text from the white space behind it.
func cutSpace(s string) (text, space string) {
	text = strings.TrimRightFunc(s, unicode.IsSpace)
	return text, s[len(text):]
}

// folded divides a text into what stands behind a change, if there is one before it, what is folded, and what stands before a change.
func folded(s string, behind, before bool) (head, middle, tail string) {
	from, to := 0, len(s)
	if behind {
		from = min(len(s), contextBytes)
	}
	if before {
		to = max(0, len(s)-contextBytes)
	}
	if to-from < foldedBytes {
		return s, "", ""
	}
	// Whole words stay, and whole lines where there are short ones.
	for _, ends := range []string{" \t", "\n"} {
		if behind {
			if n := strings.IndexAny(s[from:to], ends); n >= 0 && n < contextBytes {
				from += n + 1
			}
		}
		if before {
			if n := strings.LastIndexAny(s[from:to], ends); n >= 0 && to-from-n <= contextBytes {
				to = from + n + 1
			}
		}
	}
	return s[:from], s[from:to], s[to:]
}
