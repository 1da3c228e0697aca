package eval

import (
	"context"
	"fmt"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/features/analysis"
	"simsearch/internal/index"
	"simsearch/internal/quality/truth"
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

// Advise tries several settings on a collection, and returns a report that recommends one of them. Each text is
// analysed once for all weights, nothing is written, and a search ends when no wider one can be better. Its intervals
// count groups of documents, and are for as many other texts of the same kind.
func Advise(ctx context.Context, c *Collection, o AdviceOptions) (*Report, error) {
	r := newReport(c)
	a := newAdviser(c, o)
	best, err := a.advise(ctx)
	if err != nil {
		return nil, err
	}
	r.Verdict = verdict(c, best)
	pairs := showPairs(c, best)
	pairs.Name = "pairs"
	tried := advice(a.bests, o.Wanted)
	tried.Text = append(tried.Text, a.passed...)
	if o.Own != nil {
		p, recall, err := Judge(ctx, c, o.OwnWith, *o.Own)
		if err != nil {
			return nil, err
		}
		r.Verdict.Text = append(r.Verdict.Text, fmt.Sprintf("Your own choice, %s, has a precision of %s and a recall of %s.", o.OwnFlags, p, recall))
	}
	r.Sections = append(r.Sections, tried, pairs)
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
	bests    []Choice // the best of each way, whose intervals count groups
	itself   *Choice  // the search that the truth is made by, if it is one of those to try; nil otherwise
	passed   []string // what was left out
}

func newAdviser(c *Collection, o AdviceOptions) *adviser {
	return &adviser{c: c, o: o, verdicts: c.verdicts()}
}

// try measures all settings.
func (a *adviser) try(ctx context.Context) error {
	for _, s := range a.sources() {
		if a.passesOver(s.settings) {
			a.passed = append(a.passed, fmt.Sprintf("Features %s with lang %s were not tried, since the texts are many. --features tries them.", s.settings.Features, s.settings.Language))
			continue
		}
		if a.o.Progress != nil {
			a.o.Progress(fmt.Sprintf("trying features %s, lang %s", s.settings.Features, s.settings.Language))
		}
		f, err := a.c.featuresOf(ctx, s.settings, s.weights)
		if err != nil {
			return err
		}
		if err := a.tryFeatures(ctx, s, f); err != nil {
			return err
		}
	}
	return nil
}

// featuresOf is analyse, but for the settings of the collection, whose features it may have.
func (c *Collection) featuresOf(ctx context.Context, s analysis.Settings, weights []fingerprint.Weighting) (features, error) {
	if c.Fingerprints != nil && s == c.Settings && (len(weights) == 0 || slices.Equal(weights, []fingerprint.Weighting{s.Weights})) {
		return features{sets: c.Sets, weighed: c.Features, words: c.Words, fingerprints: [][]uint64{c.Fingerprints}}, nil
	}
	f, err := c.analyse(ctx, s, weights)
	if of, language := setsOf(s); err == nil && (of != s.Features || language != s.Language) {
		s.Features, s.Language, s.SetLanguage = of, language, ""
		var sets features
		sets, err = c.analyse(ctx, s, nil)
		f.sets, f.words = sets.sets, sets.words
	}
	return f, err
}

// tryFeatures measures searches by distance, of each weighting, and by similarity. Of an index, it measures those
// that it has.
func (a *adviser) tryFeatures(ctx context.Context, s source, f features) error {
	indexed := a.c.answers(s.settings)
	for i, weights := range s.weights {
		if indexed && a.c.o.Settings.Mode == analysis.MinHash {
			break
		}
		s.settings.Weights = weights
		l, err := byDistances(ctx, a.c, a.verdicts, f.weighed, f.fingerprints[i], a.o.Wanted)
		if err != nil {
			return err
		}
		a.offer(l, s.settings, fingerprintBytes, index.Within)
	}
	if a.c.o.Fingerprints || indexed && a.c.o.Settings.Mode == analysis.SimHash {
		return nil
	}
	by := func(level int) index.Predicate { return index.Similar(thresholdLevels[level]) }
	if a.isTruth(s.settings) {
		if itself := a.choice(s.settings, index.Similar(index.DefaultThreshold)); a.itself == nil {
			a.itself = &itself
		}
		return nil
	}
	l, bytes, err := byThresholds(ctx, a.c, a.verdicts, f.sets, a.o.Wanted)
	if err == nil {
		a.offer(l, s.settings, a.setBytes(s.settings, bytes), by)
	}
	return err
}

// About how many bytes a document takes in an index beside its id and its text: by a fingerprint with its tables, and
// by a signature with its bands. Its set takes about as much again to be found. They are those of 10,710 news.
const (
	fingerprintBytes = 50
	signatureBytes   = 190
	foundBytes       = 2
)

// setBytes says how many bytes a document takes in an index by its set, of which all together are coded in so many.
func (a *adviser) setBytes(s analysis.Settings, coded int) float64 {
	bytes := foundBytes * float64(coded) / float64(max(1, a.c.Len()))
	if setFlags(s) == "" {
		return bytes + fingerprintBytes // which the default has, too
	}
	return bytes + signatureBytes
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
			if a.o.AnyLanguage && s.Features.Kind != preprocess.Items && !a.c.answers(s) {
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
		first = preprocess.AutoLanguage
	}
	return []string{first, preprocess.NoLanguage}
}

// answers reports whether settings are those of the index that is evaluated.
func (c *Collection) answers(s analysis.Settings) bool { return c.o.Index != "" && s == c.Settings }

// isTruth reports whether the sets of settings are those that the truth is made of.
func (a *adviser) isTruth(s analysis.Settings) bool {
	if a.c.Labels != nil {
		return false
	}
	all, err := preprocess.ParseFeatureSpec(a.c.o.Truth)
	of, language := setsOf(s)
	return err == nil && of == all && (language == preprocess.NoLanguage || of.Kind == preprocess.Items)
}

// choice returns a search that is not measured yet.
func (a *adviser) choice(s analysis.Settings, by index.Predicate) Choice {
	flags := fingerprintFlags(s)
	if by.BySets() {
		flags = setFlags(s)
	}
	if a.c.o.Fingerprints {
		flags = ""
	}
	return Choice{Settings: s, Predicate: by, Flags: flags, Search: searchFlags(by)}
}

// offer adds a choice for each level of a ladder that was not given up, of searches that by returns. Intervals
// that count groups are for the best one alone, since the others are not shown.
func (a *adviser) offer(l *truth.Ladder, s analysis.Settings, bytes float64, by func(level int) index.Predicate) {
	var choices []Choice
	found, right := 0, 0
	for level := range l.Done {
		found, right = found+l.Found[level], right+l.Right[level]
		c := a.choice(s, by(level))
		c.Precision, c.Recall, c.Bytes = truth.NewRate(right, found), truth.NewRate(right, l.Near), bytes
		c.F1 = truth.F1(c.Precision.Share, c.Recall.Share)
		choices = append(choices, c)
	}
	if len(choices) == 0 {
		return
	}
	best, _ := Recommend(choices, a.o.Wanted)
	at := slices.IndexFunc(choices, func(c Choice) bool { return c.Search == best.Search })
	choices[at].Precision, choices[at].Recall = truth.PrecisionAndRecall(truth.Groups(a.verdicts.Pairs, a.c.Len(), l.Judged, at+1))
	a.choices, a.bests = append(a.choices, choices...), append(a.bests, choices[at])
}

// advise measures all settings, and returns the search to use: the one that the truth is made by, which makes no
// error, or else the cheapest of those that are as good as the best, as far as their intervals say. Of an index, it
// is one that the index answers.
func (a *adviser) advise(ctx context.Context) (*chosen, error) {
	if err := a.try(ctx); err != nil {
		return nil, err
	}
	best, _ := Recommend(a.bests, a.o.Wanted)
	ours := slices.DeleteFunc(slices.Clone(a.bests), func(c Choice) bool { return a.c.o.Index != "" && !a.c.answers(c.Settings) })
	advised, reached := Recommend(ours, a.o.Wanted)
	advised = cheapest(ours, advised, reached, a.o.Wanted)
	itself := a.itself != nil && (a.c.o.Index == "" || a.c.answers(a.itself.Settings))
	if itself {
		advised, reached = *a.itself, true
	}
	b, err := a.look(ctx, advised)
	if err != nil {
		return nil, err
	}
	b.reached, b.wanted, b.itself = reached, a.o.Wanted, itself
	if a.itself != nil && !itself {
		b.exact = a.itself
	}
	if best.F1 > 0 && (best.Flags != advised.Flags || best.Search != advised.Search) {
		b.other = &best
	}
	return b, nil
}

// look measures a choice as its command finds it, and says what it finds. The choice with an F1 of 0 finds nothing.
func (a *adviser) look(ctx context.Context, choice Choice) (*chosen, error) {
	b := &chosen{Choice: choice}
	if choice.Search == "" {
		b.sets, b.fingerprints = a.c.Sets, a.c.Fingerprints // how near pairs are is told all the same
		return b, nil
	}
	f, err := a.c.featuresOf(ctx, choice.Settings, []fingerprint.Weighting{choice.Settings.Weights})
	if err != nil {
		return nil, err
	}
	add := func(x, y uint32) {
		b.printed++
		if near, known := a.verdicts.Judge(x, y); known {
			b.found = append(b.found, truth.Found{A: x, B: y, Near: near})
		}
	}
	if b.sets = f.sets; choice.Predicate.BySets() {
		var search truth.PairSearch
		var bytes int
		if search, bytes, err = a.c.joiner().Search(ctx, f.sets); err == nil {
			b.Bytes = a.setBytes(choice.Settings, bytes)
			err = search(choice.Predicate.Threshold, func(x, y uint32, _ float64) error {
				add(x, y)
				return nil
			})
		}
	} else {
		b.sets, b.fingerprints = f.weighed, f.fingerprints[0]
		err = eachWithin(ctx, a.c, groupsOf(f.weighed, f.fingerprints[0]), choice.Predicate.Distance, true, func(x, y uint32, _ int) bool {
			add(x, y)
			return true
		})
	}
	b.groups = truth.Groups(a.verdicts.Pairs, a.c.Len(), b.found, 1)
	b.Precision, b.Recall = truth.PrecisionAndRecall(b.groups)
	b.F1 = truth.F1(b.Precision.Share, b.Recall.Share)
	return b, err
}

// dominant is the share of all pairs that one group may have before a report says so.
const dominant = 0.3

// Judge returns the precision and the recall of one search by settings on a collection. Near in truth is what the
// labels say or, without labels, an exact similarity of 0.8 or more. The intervals are those of Advise: they count
// groups of documents, and are for as many other texts of the same kind.
func Judge(ctx context.Context, c *Collection, settings analysis.Settings, by index.Predicate) (precision, recall truth.Rate, err error) {
	a := newAdviser(c, AdviceOptions{})
	b, err := a.look(ctx, a.choice(settings, by))
	if err != nil {
		return precision, recall, err
	}
	return b.Precision, b.Recall, nil
}

// fingerprintFlags returns the flags of an index of fingerprints alone.
func fingerprintFlags(s analysis.Settings) string {
	return fmt.Sprintf("--mode simhash --features %s --weights %s --lang %s", s.Features, s.Weights, s.Language)
}

// setFlags returns the flags of an index of sets alone, or none if the sets are those of an index without flags.
func setFlags(s analysis.Settings) string {
	features, language := setsOf(s)
	if features == (preprocess.FeatureSpec{}) && language == preprocess.NoLanguage {
		return ""
	}
	return fmt.Sprintf("--mode minhash --features %s --lang %s", features, language)
}

func searchFlags(by index.Predicate) string {
	if by.BySets() {
		return fmt.Sprintf("--jaccard %.1f", by.Threshold)
	}
	return fmt.Sprintf("--k %d", by.Distance)
}

// Sequences of characters take most of the time of advice, and ten times the bytes of words. If a collection has more
// documents or bytes, they are left out unless nothing else is to be tried.
const (
	manyDocuments = 20_000
	manyBytes     = 16 << 20
)

// passesOver reports whether settings are not tried.
func (a *adviser) passesOver(s analysis.Settings) bool {
	return s.Features.Kind == preprocess.CharN && len(a.choices) > 0 && (a.c.Len() > manyDocuments || a.c.texts.bytes > manyBytes)
}
