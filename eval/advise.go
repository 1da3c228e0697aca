package eval

import (
	"context"
	"fmt"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/analysis"
	"simsearch/internal/index"
	"simsearch/internal/report"
	"simsearch/internal/truth"
	"simsearch/preprocess"
)

// AdviceOptions say what Advise tries.
type AdviceOptions struct {
	Tries []analysis.Settings // at least one
	// AnyLanguage tries each of Tries with the stop words of the collection's language, and with none, whatever
	// their own language is.
	AnyLanguage bool
	Wanted      truth.Demands
	// Own, if not nil, is a choice that is judged beside those that are tried.
	Own      *index.Predicate
	OwnWith  analysis.Settings
	OwnFlags string // as the user has given them
	Progress func(what string)
}

// Advise tries several settings on a collection, and returns a report that recommends one of them. Each text is analysed once for
// all weights, nothing is written, and a search ends when no wider one can be better. Its intervals count groups of documents, and
// are for as many other texts of the same kind.
func Advise(ctx context.Context, c *Collection, o AdviceOptions) (*Report, error) {
	r := newReport(c)
	a := newAdviser(c, o)
	if err := a.try(ctx); err != nil {
		return nil, err
	}
	best := a.chosen()
	r.Verdict = verdict(c, best)
	pairs := showPairs(c, best)
	pairs.Name = "pairs"
	tried := advice(a.choices, o.Wanted)
	tried.Text = append(tried.Text, a.passed...)
	if o.Own != nil {
		p, r, err := a.measure(ctx, o.OwnWith, *o.Own)
		if err != nil {
			return nil, err
		}
		tried.Text = append(tried.Text, fmt.Sprintf("Your own choice, %s, has a precision of %s and a recall of %s.", o.OwnFlags, p, r))
	}
	r.Sections = append(r.Sections, pairs, tried)
	length, err := shingles(ctx, c)
	if err == nil && length != nil {
		r.Sections = append(r.Sections, length)
	}
	return r, err
}

// An adviser is one run of Advise.
type adviser struct {
	c        *Collection
	o        AdviceOptions
	verdicts *truth.Verdicts
	choices  []Choice
	best     *chosen // of choices; nil before the first
	itself   bool    // a choice that is the truth itself was tried

	byLanguage map[string]float64 // the sum of the F1 of the best searches by fingerprints of words
	passed     []string           // what was left out, and why
}

func newAdviser(c *Collection, o AdviceOptions) *adviser {
	return &adviser{c: c, o: o, verdicts: c.verdicts(), byLanguage: map[string]float64{}}
}

// try measures all settings.
func (a *adviser) try(ctx context.Context) error {
	for _, s := range a.sources() {
		if why := a.passesOver(s.settings); why != "" {
			a.passed = append(a.passed, fmt.Sprintf("Features %s with lang %s were not tried: the texts are many, and %s.", s.settings.Features, s.settings.Language, why))
			continue
		}
		if a.o.Progress != nil {
			a.o.Progress(fmt.Sprintf("trying features %s, lang %s", s.settings.Features, s.settings.Language))
		}
		f, err := a.c.analyse(ctx, s.settings, s.weights)
		if err != nil {
			return err
		}
		if err := a.tryFeatures(ctx, s, f); err != nil {
			return err
		}
	}
	return nil
}

// tryFeatures measures searches by distance, of each weighting, and by similarity.
func (a *adviser) tryFeatures(ctx context.Context, s source, f features) error {
	for i, weights := range s.weights {
		s.settings.Weights = weights
		l, err := byDistances(ctx, a.c, a.verdicts, f.sets, f.fingerprints[i], a.o.Wanted)
		if err != nil {
			return err
		}
		best := a.offer(l, s.settings, f.sets, f.fingerprints[i])
		if s.settings.Features.Kind != preprocess.CharN {
			a.byLanguage[s.settings.Language] += best.F1
		}
	}
	if a.c.bare {
		return nil
	}
	if a.isTruth(s.settings) {
		a.itself = true
		return nil
	}
	l, err := byThresholds(ctx, a.c, a.verdicts, f.sets, a.o.Wanted)
	if err == nil {
		a.offer(l, s.settings, f.sets, nil)
	}
	return err
}

// A source is features that fingerprints of several weights are made of.
type source struct {
	settings analysis.Settings
	weights  []fingerprint.Weighting
}

// sources returns the features of all tries, each once.
func (a *adviser) sources() (out []source) {
	languages := []string{""}
	if a.o.AnyLanguage {
		languages = languagesOf(a.c)
	}
	for _, s := range a.o.Tries {
		for _, language := range languages {
			if a.o.AnyLanguage && s.Features.Kind != preprocess.Items {
				s.Language = language
			}
			at := slices.IndexFunc(out, func(x source) bool {
				same := s
				same.Weights = x.settings.Weights
				return x.settings == same
			})
			if at < 0 {
				out = append(out, source{settings: s})
				at = len(out) - 1
			}
			if !slices.Contains(out[at].weights, s.Weights) {
				out[at].weights = append(out[at].weights, s.Weights)
			}
		}
	}
	return out
}

// languagesOf returns the language of most of some documents, or "auto" if they have several, and "none".
func languagesOf(c *Collection) []string {
	counts := map[string]int{}
	docs, texts := drawTexts(c)
	for i := range docs {
		if code, err := preprocess.DetectLanguage(texts[i][:min(len(texts[i]), 1<<12)]); err == nil {
			counts[code]++
		}
	}
	first, often := "", 0
	for _, code := range preprocess.Languages() {
		n := counts[code]
		if n*10 >= len(docs) {
			often++
		}
		if n > counts[first] {
			first = code
		}
	}
	switch {
	case first == "" || often == 0:
		return []string{preprocess.NoLanguage}
	case often > 1:
		return []string{preprocess.AutoLanguage, preprocess.NoLanguage}
	}
	return []string{first, preprocess.NoLanguage}
}

// isTruth reports whether the sets of settings are those that the truth is made of.
func (a *adviser) isTruth(s analysis.Settings) bool {
	if a.c.Labels != nil {
		return false
	}
	all, err := preprocess.ParseFeatureSpec(a.c.truthSpec)
	return err == nil && s.Features == all && (s.Language == preprocess.NoLanguage || s.Features.Kind == preprocess.Items)
}

// offer adds a choice for each level of a ladder that was not given up: of searches by fingerprints or, if they are nil, of
// sets. It returns the best of them. Intervals that count groups are for the best one alone, since the others are not shown.
func (a *adviser) offer(l *truth.Ladder, s analysis.Settings, sets [][]uint64, fingerprints []uint64) (best Choice) {
	by, flags, bytes := index.Within, fingerprintFlags(s), 8.0
	if a.c.bare {
		flags = ""
	}
	if fingerprints == nil {
		by, flags, bytes = func(level int) index.Predicate { return index.Similar(thresholdLevels[level]) }, setFlags(s), setBytes(sets)
	}
	var choices []Choice
	found, right := 0, 0
	for level := range l.Done {
		found, right = found+l.Found[level], right+l.Right[level]
		p, r := truth.NewRate(right, found), truth.NewRate(right, l.Near)
		choices = append(choices, Choice{s, by(level), flags, searchFlags(by(level)), p, r, truth.F1(p.Share, r.Share), bytes})
	}
	if len(choices) == 0 {
		return best
	}
	best, _ = Recommend(choices, a.o.Wanted)
	at := slices.IndexFunc(choices, func(c Choice) bool { return c.Search == best.Search })
	groups := truth.Groups(a.verdicts.Pairs, a.c.Len(), l.Judged, at+1)
	choices[at].Precision, choices[at].Recall = truth.PrecisionAndRecall(groups)
	a.choices = append(a.choices, choices...)
	if now, _ := Recommend(a.choices, a.o.Wanted); now.Search == best.Search && now.Flags == best.Flags { // no earlier one is better
		found := slices.DeleteFunc(slices.Clone(l.Judged), func(p truth.Found) bool { return int(p.Level) > at })
		a.best = &chosen{Choice: choices[at], found: found, grouped: true, groups: groups, sets: sets, fingerprints: fingerprints}
	}
	return best
}

// chosen returns the best choice of all.
func (a *adviser) chosen() *chosen {
	best := a.best
	if best == nil {
		best = &chosen{sets: a.c.Sets, fingerprints: a.c.Fingerprints} // how near pairs are is told all the same
	}
	_, best.reached = Recommend(a.choices, a.o.Wanted)
	best.wanted, best.itself = a.o.Wanted, a.itself
	return best
}

// dominant is the share of all pairs that one group may have before a report says so.
const dominant = 0.3

// measure returns the precision and the recall of one search.
func (a *adviser) measure(ctx context.Context, settings analysis.Settings, by index.Predicate) (precision, recall truth.Rate, err error) {
	f, err := a.c.analyse(ctx, settings, []fingerprint.Weighting{settings.Weights})
	if err != nil {
		return truth.Rate{}, truth.Rate{}, err
	}
	var found []truth.Found
	add := func(x, y uint32) {
		if near, known := a.verdicts.Judge(x, y); known {
			found = append(found, truth.Found{A: x, B: y, Near: near})
		}
	}
	if by.BySets() {
		var pairs []truth.Pair
		pairs, err = a.c.joiner().Pairs(ctx, f.sets, by.Threshold)
		for _, p := range pairs {
			add(p.A, p.B)
		}
	} else {
		err = eachWithin(ctx, a.c, groupsOf(f.sets, f.fingerprints[0]), by.Distance, true, func(x, y uint32, _ int) bool {
			add(x, y)
			return true
		})
	}
	precision, recall = truth.PrecisionAndRecall(truth.Groups(a.verdicts.Pairs, a.c.Len(), found, 1))
	return precision, recall, err
}

// Judge returns the precision and the recall of one search by settings on a collection. Near in truth is what the labels say or,
// without labels, an exact similarity of 0.8 or more. The intervals are those of Advise: they count groups of documents, and are
// for as many other texts of the same kind.
func Judge(ctx context.Context, c *Collection, settings analysis.Settings, by index.Predicate) (precision, recall truth.Rate, err error) {
	return newAdviser(c, AdviceOptions{}).measure(ctx, settings, by)
}

func fingerprintFlags(s analysis.Settings) string {
	return fmt.Sprintf("--features %s --weights %s --lang %s", s.Features, s.Weights, s.Language)
}

func setFlags(s analysis.Settings) string {
	return fmt.Sprintf("--mode minhash --features %s --lang %s", s.Features, s.Language)
}

func searchFlags(by index.Predicate) string {
	if by.BySets() {
		return fmt.Sprintf("--jaccard %.1f", by.Threshold)
	}
	return fmt.Sprintf("--k %d", by.Distance)
}

// setBytes returns the average size of sets of features in an index, in bytes.
func setBytes(sets [][]uint64) float64 {
	features := 0
	for _, set := range sets {
		features += len(set)
	}
	return 8 * float64(features) / float64(max(1, len(sets)))
}

// Sequences of characters take most of the time of advice, and ten times the bytes of words. In a collection of more than
// manyDocuments, they are left out where they can hardly be better: if words have an F1 of goodEnough or more, or in the
// language whose stop words make words worse.
const (
	manyDocuments = 20_000
	goodEnough    = 0.99
)

// passesOver says why settings are left out, or nothing if they are tried.
func (a *adviser) passesOver(s analysis.Settings) (why string) {
	if s.Features.Kind != preprocess.CharN || a.c.Len() <= manyDocuments {
		return ""
	}
	if best, reached := Recommend(a.choices, a.o.Wanted); reached && best.F1 >= goodEnough {
		return fmt.Sprintf("words have an F1 of %s already", report.Cell(best.F1))
	}
	own, tried := a.byLanguage[s.Language]
	for language, f1 := range a.byLanguage {
		if tried && (f1 > own || f1 == own && language > s.Language) {
			return "words are found better with another"
		}
	}
	return ""
}
