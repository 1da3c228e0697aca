package eval

import (
	"context"
	"errors"
	"iter"
	"slices"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/fingerprint"
	"simsearch/internal/ints"
	"simsearch/internal/parallel"
	"simsearch/preprocess"
)

// Texts are the documents of a collection. They are in memory unless they are too large for it; then they are read again
// for each setting.
type Texts struct {
	name  string
	ids   map[string]uint32
	names []string // the ids, in order
	texts [][]byte // nil if they are read again
	again func() iter.Seq2[*document.Document, error]
}

// textsBytes is the size up to which texts are held in memory. Tests change it.
var textsBytes = 1 << 30

// ReadTexts reads a collection. Of several documents with one id it takes the first. documents returns all documents from
// the beginning, each time. The error is that of documents, or ErrEmpty.
func ReadTexts(name string, documents func() iter.Seq2[*document.Document, error]) (*Texts, error) {
	t := &Texts{name: name, ids: map[string]uint32{}, again: documents}
	bytes := 0
	for d, err := range documents() {
		if err != nil {
			return nil, err
		}
		if _, known := t.ids[string(d.ID)]; known {
			continue
		}
		t.ids[string(d.ID)] = uint32(len(t.names))
		t.names = append(t.names, string(d.ID))
		if bytes += len(d.Text); bytes <= textsBytes {
			t.texts = append(t.texts, slices.Clone(d.Text))
		} else {
			t.texts = nil
		}
	}
	if len(t.names) == 0 {
		return nil, ErrEmpty
	}
	return t, nil
}

// all yields all texts in order. A text that is read again is valid until the next one.
func (t *Texts) all(yield func([]byte, error) bool) {
	if t.texts != nil {
		for _, text := range t.texts {
			if !yield(text, nil) {
				return
			}
		}
		return
	}
	n := 0
	for d, err := range t.again() {
		if err != nil {
			yield(nil, err)
			return
		}
		if doc, known := t.ids[string(d.ID)]; known && int(doc) < n {
			continue
		} else if !known || int(doc) > n {
			break
		}
		if n++; !yield(d.Text, nil) {
			return
		}
	}
	if n < len(t.names) {
		yield(nil, errors.New("the documents have changed while they were evaluated"))
	}
}

// of fills in the texts of the documents that texts has.
func (t *Texts) of(ctx context.Context, texts map[uint32]string) error {
	doc, left := uint32(0), len(texts)
	for text, err := range t.all {
		if err != nil || left == 0 {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, wanted := texts[doc]; wanted {
			texts[doc] = string(text)
			left--
		}
		doc++
	}
	return nil
}

// LoadTexts returns texts as a collection without an index, for Advise: with the sets of o.Settings, but no
// weights. Close has nothing to remove.
func LoadTexts(ctx context.Context, t *Texts, o LoadOptions) (*Collection, error) {
	c := &Collection{Name: t.name, Settings: o.Settings, Floor: o.Floor, texts: t, seed: o.Seed, inputs: o.Inputs, threads: max(1, o.Threads)}
	if c.Floor == 0 {
		c.Floor = defaultFloor
	}
	f, err := c.analyse(ctx, c.Settings, nil)
	if err != nil {
		return nil, err
	}
	c.Sets, c.Words = f.sets, f.words
	c.draw(o.Sample)
	others, err := c.truthBy(o.Truth)
	if err == nil && others != nil {
		f, err = c.analyse(ctx, others.Settings(), nil)
	}
	if err == nil {
		c.Truth, err = c.join(ctx, f.sets, c.Floor)
	}
	return c, err
}

// features are the features of all documents by one setting, and the fingerprints by several weights.
type features struct {
	sets         [][]uint64
	words        []int      // number of features, with repetitions
	fingerprints [][]uint64 // of each weighting
}

// analyse returns the features of all texts, with fingerprints by each of the weights. The weights of s do not
// matter.
func (c *Collection) analyse(ctx context.Context, s analysis.Settings, weights []fingerprint.Weighting) (features, error) {
	f := features{fingerprints: make([][]uint64, len(weights))}
	s.Mode, s.SetFeatures, s.SetLanguage, s.Positions, s.Seed, s.Sketch = analysis.SimHash, preprocess.FeatureSpec{}, "", 0, 0, 0
	s.Weights = fingerprint.TF
	a, err := analysis.New(s)
	if err != nil {
		return f, err
	}
	err = c.eachChunk(ctx, func(texts [][]byte) (features, error) { return analyseChunk(a, texts, weights), nil }, func(part features) {
		f.sets, f.words = append(f.sets, part.sets...), append(f.words, part.words...)
		for i, values := range part.fingerprints {
			f.fingerprints[i] = append(f.fingerprints[i], values...)
		}
	})
	if at := slices.Index(weights, fingerprint.TFIDF); err == nil && at >= 0 {
		f.fingerprints[at], err = c.byRarity(ctx, s, f.sets)
	}
	return f, err
}

// eachChunk calls work for some texts after the other, on all threads, and take with each result, in order.
func (c *Collection) eachChunk(ctx context.Context, work func(texts [][]byte) (features, error), take func(features)) error {
	const together = 64
	chunks := func(yield func([][]byte, error) bool) {
		var chunk [][]byte
		for text, err := range c.texts.all {
			if err != nil {
				yield(nil, err)
				return
			}
			if c.texts.texts == nil {
				text = slices.Clone(text)
			}
			if chunk = append(chunk, text); len(chunk) == together {
				if !yield(chunk, nil) {
					return
				}
				chunk = nil
			}
		}
		if len(chunk) > 0 {
			yield(chunk, nil)
		}
	}
	return parallel.Stream(ctx, c.threads, chunks, func(ctx context.Context, texts [][]byte) (features, error) {
		if ctx.Err() != nil {
			return features{}, context.Cause(ctx)
		}
		return work(texts)
	}, func(f features) error {
		take(f)
		return nil
	})
}

// analyseChunk is analyse for some texts. Fingerprints by rarity are 0.
func analyseChunk(a *analysis.Analysis, texts [][]byte, weights []fingerprint.Weighting) features {
	f := features{fingerprints: make([][]uint64, len(weights))}
	var s analysis.Scratch
	var counter fingerprint.Counter
	var hashes, set, scratch, all []uint64
	var counts []uint32
	var ends []int
	bits := a.Settings().Bits
	for _, text := range texts {
		hashes = a.AppendFeatureHashes(hashes[:0], &s, text)
		set = append(set[:0], hashes...)
		ints.SortFew(set, &scratch)
		set = slices.Compact(set)
		all, ends, f.words = append(all, set...), append(ends, len(all)+len(set)), append(f.words, len(hashes))
		for i, by := range weights {
			var fp uint64
			switch by {
			case fingerprint.TF:
				fp, _ = fingerprint.Unit(hashes, bits)
			case fingerprint.Set:
				fp, _ = fingerprint.Unit(set, bits)
			case fingerprint.LogTF:
				var distinct []uint64
				distinct, counts = counter.Count(slices.Clone(hashes), counts)
				for j, n := range counts {
					counts[j] = fingerprint.LogCount(n)
				}
				fp, _ = fingerprint.Weighted(distinct, counts, bits)
			}
			f.fingerprints[i] = append(f.fingerprints[i], fp)
		}
	}
	all = slices.Clip(all)
	from := 0
	for _, end := range ends {
		f.sets = append(f.sets, all[from:end:end])
		from = end
	}
	return f
}

// byRarity returns the fingerprints of all texts by TF-IDF, learnt from the texts.
func (c *Collection) byRarity(ctx context.Context, s analysis.Settings, sets [][]uint64) (out []uint64, err error) {
	model, err := learnRarity(ctx, sets)
	if err != nil {
		return nil, err
	}
	s.Weights = fingerprint.TFIDF
	a, err := analysis.New(s)
	if err != nil {
		return nil, err
	}
	a = a.WithIDF(model)
	return out, c.eachChunk(ctx, func(texts [][]byte) (features, error) {
		var scratch analysis.Scratch
		values := make([]uint64, len(texts))
		for i, text := range texts {
			var err error
			if values[i], _, err = a.Fingerprint(&scratch, text); err != nil {
				return features{}, err
			}
		}
		return features{fingerprints: [][]uint64{values}}, nil
	}, func(f features) { out = append(out, f.fingerprints[0]...) })
}
