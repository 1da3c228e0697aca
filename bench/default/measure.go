package main

import (
	"context"
	"slices"
	"syscall"
	"time"

	"simsearch/bench/labelled"
	"simsearch/internal/features/analysis"
	"simsearch/internal/ground/ints"
	"simsearch/internal/quality/truth"
)

// definitions are the features that exact Jaccard similarity is tried of.
var definitions = []string{"char:4", "char:5", "char:6", "words", "word:2", "word:3"}

// thresholds are the similarities from which on a pair is taken to be near.
var thresholds = []float64{0.50, 0.55, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90}

// A score is what one threshold of one definition finds in a collection.
type score struct {
	found, near   int            // pairs found that are labelled near, of all pairs labelled near
	printed       int            // documents in a judged pair found
	clean         int            // of these, documents in no pair that is not near
	largest       int            // number of wrong partners of the document that has most
	copies        map[string]int // synthetic copies found, by the edit that made them
	wrong, missed map[string]int // pairs found that are not near, and near pairs not found, by what is the matter
}

func (s *score) recall() float64 { return float64(s.found) / float64(max(1, s.near)) }

func (s *score) cleanShare() float64 { return float64(s.clean) / float64(max(1, s.printed)) }

// docF returns the harmonic mean of the recall of pairs and the share of clean documents.
func (s *score) docF() float64 { return truth.F1(s.cleanShare(), s.recall()) }

// A cost is the work of one definition on a collection.
type cost struct {
	documents, bytes, features int
	making, joining            time.Duration
}

// A result is what one definition finds in a collection.
type result struct {
	scores []*score // of each threshold
	cost
}

// setsOf makes the sets of features of texts.
func setsOf(texts [][]byte, features string) (sets [][]uint64, took time.Duration, err error) {
	settings := analysis.Default()
	if err := settings.SetFeatures.UnmarshalText([]byte(features)); err != nil {
		return nil, 0, err
	}
	a, err := analysis.New(settings)
	if err != nil {
		return nil, 0, err
	}
	var scratch analysis.Scratch
	sets = make([][]uint64, len(texts))
	start := processorTime()
	for i, text := range texts {
		sets[i] = slices.Clone(a.Set(&scratch, text))
	}
	return sets, processorTime() - start, nil
}

// processorTime returns the time that the program has spent computing. Other programs on the machine
// hardly change it.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // the arguments are right
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// A measured collection has a result of each definition.
type measured struct {
	*judge
	results map[string]*result
}

// measureAll tries all definitions on a collection.
func measureAll(ctx context.Context, c *labelled.Collection) (*measured, error) {
	t, err := newJudge(c)
	if err != nil {
		return nil, err
	}
	m := &measured{t, map[string]*result{}}
	for _, d := range definitions {
		if m.results[d], err = measure(ctx, t, d); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// measure tries a definition on a collection.
func measure(ctx context.Context, t *judge, features string) (*result, error) {
	sets, took, err := setsOf(t.Texts, features)
	if err != nil {
		return nil, err
	}
	r := &result{}
	r.documents, r.making = len(sets), took
	for i, s := range sets {
		r.bytes += len(t.Texts[i])
		r.features += len(s)
	}
	start := processorTime()
	pairs, err := truth.Joiner{Threads: 1}.Pairs(ctx, sets, thresholds[0])
	if err != nil {
		return nil, err
	}
	r.joining = processorTime() - start
	for _, threshold := range thresholds {
		pairs = slices.DeleteFunc(pairs, func(p truth.Pair) bool { return p.Jaccard < threshold })
		r.scores = append(r.scores, t.score(pairs))
	}
	t.missed(r.scores, sets)
	return r, nil
}

// score judges the pairs that are found.
func (t *judge) score(pairs []truth.Pair) *score {
	s := &score{copies: map[string]int{}, wrong: map[string]int{}, missed: map[string]int{}}
	printed := make([]bool, len(t.Texts))
	partners := make([]int, len(t.Texts)) // wrong ones of each document
	var wrong []truth.Pair
	for _, p := range pairs {
		near, known := t.Judge(p.A, p.B)
		if !known {
			continue
		}
		printed[p.A], printed[p.B] = true, true
		if !near {
			wrong = append(wrong, p)
			partners[p.A]++
			partners[p.B]++
			continue
		}
		s.found++
		if t.Edits != nil {
			s.copies[t.Edits[max(p.A, p.B)]]++
		}
	}
	for doc, is := range printed {
		if is {
			s.printed++
			s.largest = max(s.largest, partners[doc])
			if partners[doc] == 0 {
				s.clean++
			}
		}
	}
	for _, p := range wrong {
		s.wrong[t.fault(p.A, p.B, max(partners[p.A], partners[p.B]))]++
	}
	if t.Labels != nil {
		s.near = t.Labels.Near
	}
	return s
}

// missed counts the pairs labelled near that are below each threshold, in the scores of all thresholds.
func (t *judge) missed(scores []*score, sets [][]uint64) {
	if t.Labels == nil {
		return
	}
	for a, b := range t.Labels.Pairs {
		small, large := sets[a], sets[b]
		if len(small) > len(large) {
			small, large = large, small
		}
		shared := ints.Shared(small, large)
		j := float64(shared) / float64(max(1, len(small)+len(large)-shared))
		loss := otherwise
		switch {
		case float64(shared) >= excerptShare*float64(len(small)) && float64(len(large)) >= lengthRatio*float64(len(small)):
			loss = excerpt
		case j < otherWordsShare:
			loss = otherWords
		}
		for i, s := range scores {
			if j < thresholds[i] {
				s.missed[loss]++
			}
		}
	}
}
