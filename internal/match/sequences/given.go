package sequences

import (
	"math/bits"

	"simsearch/fingerprint"
)

// Given are the sequences of words that several submissions of a class may have been given, such as a task.
type Given struct {
	gram, least int
	words       []int // of each submission
	ids         int   // the number of different sequences
	places      []givenPlace
}

// A givenPlace is where a sequence begins that several submissions have.
type givenPlace struct {
	submission, text, word int
	id                     int
}

// A GivenPassage is words of a text that many submissions have.
type GivenPassage struct {
	Submission, Text int
	Words            [2]int
	Having           int  // so many submissions have what is in the middle of it
	First            bool // most of it is in no passage before it that is First
}

// mostCounters is the logarithm of the largest number of counters of sequences. Those that share a counter are told
// apart later.
const mostCounters = 22

// NewGiven looks for what so many submissions have, two at least, in sequences of gram words: passages have least
// words or more. What the base has, which is hashes of words, is left out. It takes 8 MB at most, and 40 bytes a place
// where such a sequence begins.
func NewGiven(submissions [][]ClassText, gram, least, several int, base [][]uint64) *Given {
	g := &Given{gram: gram, least: least, words: make([]int, len(submissions))}
	all := 0
	for i, texts := range submissions {
		for _, t := range texts {
			g.words[i] += len(t.Words)
		}
		all += g.words[i]
	}
	log := min(mostCounters, bits.Len(uint(all))+1)
	counts := make([]uint16, 1<<log)
	g.each(submissions, func(_ givenPlace, h uint64) {
		if n := &counts[h>>(64-log)]; *n < 1<<16-1 {
			*n++
		}
	})
	ids := map[uint64]int{}
	for _, words := range base {
		for _, h := range fingerprint.AppendWordGrams(nil, words, gram) {
			ids[h] = -1
		}
	}
	g.each(submissions, func(at givenPlace, h uint64) {
		if int(counts[h>>(64-log)]) < min(several, 1<<16-1) {
			return
		}
		id, known := ids[h]
		if !known {
			id = g.ids
			ids[h] = id
			g.ids++
		}
		if id >= 0 {
			at.id = id
			g.places = append(g.places, at)
		}
	})
	return g
}

// each calls do with each place where a sequence begins, in order, and its hash.
func (g *Given) each(submissions [][]ClassText, do func(at givenPlace, h uint64)) {
	var grams []uint64
	for i, texts := range submissions {
		for k, text := range texts {
			if len(text.Words) < g.least {
				continue
			}
			grams = fingerprint.AppendWordGrams(grams[:0], text.Words, g.gram)
			for at, h := range grams {
				do(givenPlace{i, k, at, 0}, h)
			}
		}
	}
}

// Of returns the passages of all texts, in order, that so many submissions have. Unless each counts, a submission does
// not count that consists of such passages for more than a half: it has copied them, with however many others. It
// returns how many these are.
func (g *Given) Of(many int, each bool) (all []GivenPassage, copiers int) {
	copied := make([]bool, len(g.words))
	all = g.passages(many, copied)
	in := make([]int, len(g.words))
	for _, p := range all {
		in[p.Submission] += p.Words[1] - p.Words[0]
	}
	for i, n := range in {
		if copied[i] = 2*n > g.words[i] && !each; copied[i] {
			copiers++
		}
	}
	if copiers > 0 {
		all = g.passages(many, copied)
	}
	return all, copiers
}

// passages are those that so many submissions have, without some of these.
func (g *Given) passages(many int, without []bool) (all []GivenPassage) {
	having, counted, last := make([]int, g.ids), make([]int, g.ids), make([]int, g.ids)
	for _, at := range g.places {
		if last[at.id] != at.submission+1 {
			last[at.id] = at.submission + 1
			having[at.id]++
			if !without[at.submission] {
				counted[at.id]++
			}
		}
	}
	told := make([]bool, g.ids)
	for from, behind := 0, 0; from < len(g.places); from = behind {
		to, first := from, g.places[from]
		for next := first; to < len(g.places) && counted[g.places[to].id] >= many; to++ {
			if next.id = g.places[to].id; g.places[to] != next {
				break
			}
			next.word++
		}
		behind = max(to, from+1)
		if n := to - from + g.gram - 1; to > from && n >= g.least {
			known, different := 0, map[int]bool{}
			for _, at := range g.places[from:to] {
				if different[at.id] = true; told[at.id] {
					known++
				}
			}
			if 2*len(different) < to-from {
				continue // a table, of which others have a few rows
			}
			words := [2]int{first.word, first.word + n}
			isFirst := 2*known <= to-from && !without[first.submission]
			all = append(all, GivenPassage{first.submission, first.text, words, having[g.places[(from+to)/2].id], isFirst})
			for id := range different {
				told[id] = told[id] || isFirst
			}
		}
	}
	return all
}
