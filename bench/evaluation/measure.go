package main

import (
	"context"

	"simsearch/eval"
	"simsearch/internal/quality/report"
)

// A setting is a way to make features. It has the language of the collection or, if allWords is set,
// no stop words.
type setting struct {
	features, weights string
	allWords          bool
}

var settings = []setting{
	{"words", "tf", false}, {"words", "tf", true}, {"words", "log-tf", false}, {"words", "set", false}, {"words", "tfidf", false},
	{"word:2", "set", false}, {"word:3", "set", false}, {"word:3", "set", true}, {"char:5", "set", false},
}

// The settings that have a name, by their place in settings.
const (
	classic    = 0
	shingles   = 6
	characters = 8
)

// String returns the setting as tables show it.
func (s setting) String() string {
	name := s.features + " " + s.weights
	if s.allWords {
		name += ", all words"
	}
	return name
}

func (s setting) languageOf(c *collection) string {
	if s.allWords {
		return "none"
	}
	return c.language
}

// A result is what was measured on a collection.
type result struct {
	*collection
	checksum        string
	documents, near int
	labelled        int // pairs that labels say are near, 0 without labels
	trials          []trial
	exact           exactness     // with shingles
	methods         *eval.Section // with shingles
	bands           *report.Plot  // with shingles
}

// The truths that a search is held to.
const (
	bySimilarity = iota
	byLabels
	truths
)

// A trial is what the searches with one setting find.
type trial struct {
	setting
	fingerprints [truths][]eval.Choice // within each distance, from 0 on
	sets         [truths][]eval.Choice // of each threshold; empty if other weights had these sets
}

// measure tries all settings on a collection.
func measure(ctx context.Context, data string, c *collection) (*result, error) {
	r := &result{collection: c}
	var err error
	if r.checksum, err = c.checksum(data); err != nil {
		return nil, err
	}
	tried := map[string]bool{}
	for i, s := range settings {
		if s.allWords && c.language == "none" {
			r.trials = append(r.trials, trial{setting: s}) // the same as without
			continue
		}
		err := c.with(ctx, data, s, func(col *eval.Collection) error {
			t, err := try(ctx, s, col, !tried[s.features] && !s.allWords)
			tried[s.features] = true
			r.trials = append(r.trials, t)
			if err != nil || i != shingles {
				return err
			}
			return r.experiments(ctx, col)
		})
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// try searches by every distance and, if bySets, by several thresholds.
func try(ctx context.Context, s setting, col *eval.Collection, bySets bool) (trial, error) {
	t := trial{setting: s}
	labels := col.Labels
	defer func() { col.Labels = labels }()
	for truth := range truths {
		if col.Labels = nil; truth == byLabels {
			if col.Labels = labels; labels == nil {
				break
			}
		}
		choices, err := choicesOf(ctx, col, bySets)
		if err != nil {
			return t, err
		}
		for _, choice := range choices {
			if choice.Predicate.BySets() {
				t.sets[truth] = append(t.sets[truth], choice)
			} else {
				t.fingerprints[truth] = append(t.fingerprints[truth], choice)
			}
		}
	}
	return t, nil
}

// experiments runs the experiments whose figures the page has.
func (r *result) experiments(ctx context.Context, col *eval.Collection) error {
	r.documents = col.Len()
	r.near = col.Truth.Near
	if col.Labels != nil {
		r.labelled = col.Labels.Near
	}
	experiments, err := eval.FindExperiments([]string{"bands", "methods"}, false)
	if err != nil {
		return err
	}
	report, err := eval.Run(ctx, col, experiments, nil)
	if err != nil {
		return err
	}
	r.bands, r.methods = report.Sections[0].Plots[0], report.Sections[1]
	r.exact, err = exactnessOf(ctx, col)
	return err
}

// area returns the area under precision against recall, for pairs ranked by distance: the sum of what
// each distance adds to the recall, times the precision up to that distance.
func area(choices []eval.Choice) float64 {
	sum, recall := 0.0, 0.0
	for _, c := range choices {
		sum += (c.Recall.Share - recall) * c.Precision.Share
		recall = c.Recall.Share
	}
	return sum
}
