package copied

import (
	"context"
	"slices"

	"simsearch/internal/ground/parallel"
	"simsearch/internal/match/sequences"
)

// A match is what two texts of different submissions share, as words of both.
type match struct {
	a, b     int // texts; the submission of a comes first
	passages []sequences.Passage
}

// compare finds the matches of all texts.
func (j *job) compare() error {
	base := sequences.NewBase(j.o.Base, j.o.Bounds)
	codes := make([][]uint8, len(j.texts))
	work := func(_ context.Context, i int) ([]bool, error) {
		t := j.texts[i]
		codes[i] = sequences.AppendCodes(nil, t.Words)
		return base.Clone().In(t.Text), nil
	}
	i := 0
	err := parallel.Ordered(j.Context, j.Threads, len(j.texts), work, func(base []bool) error {
		t := j.texts[i]
		t.base, t.in = base, make([]int32, len(t.Words))
		j.units[t.unit].base += sequences.Unmarked(base, nil)
		i++
		return nil
	})
	if err != nil || len(j.texts) < 2 {
		return err
	}
	all, err := sequences.InMemory(codes)
	if err != nil {
		return err
	}
	done := 0
	find := func(_ context.Context, i int) ([]match, error) { return j.matchesOf(all, i), nil }
	return parallel.Ordered(j.Context, j.Threads, len(j.texts), find, func(found []match) error {
		j.found = append(j.found, found...)
		done++
		j.Did(int64(done), int64(len(j.texts)))
		return nil
	})
}

// matchesOf returns what a text shares with texts of later submissions.
func (j *job) matchesOf(all *sequences.Index, a int) (found []match) {
	t := j.texts[a]
	q := sequences.NewQuery(t.Text, j.o.Bounds)
	leads, _ := all.Leads(nil, q)
	for _, b := range leads {
		o := j.texts[b]
		if o.unit <= t.unit || !all.Shares(q, b) {
			continue
		}
		// What the base has counts for nothing on either side.
		shared := slices.DeleteFunc(slices.Clone(q.Find(o.Text)), func(p sequences.Passage) bool {
			return !p.Counts(j.o.Words, t.base, o.base)
		})
		if len(shared) > 0 {
			found = append(found, match{a, int(b), shared})
		}
	}
	return found
}

// cover are the words of texts that lie in passages, without those that the base has.
type cover map[*text][]bool

// add adds words of a text.
func (c cover) add(t *text, span [2]int) {
	if c[t] == nil {
		c[t] = make([]bool, len(t.Words))
	}
	for i := span[0]; i < span[1]; i++ {
		c[t][i] = t.base == nil || !t.base[i]
	}
}

// count returns how many words there are, and counts each for its text.
func (c cover) count() (n int) {
	for t, words := range c {
		for i, is := range words {
			if is {
				t.in[i]++
				n++
			}
		}
	}
	return n
}

// share returns the part of a submission's words, beside those that the base has, with four digits, which is never 1 for less.
func (u *unit) share(words int) float64 {
	if u.words == u.base {
		return 0
	}
	return float64(words*10000/(u.words-u.base)) / 10000
}
