package eval

import (
	"context"
	"errors"
	"iter"
	"os"
	"slices"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/fingerprint"
	"simsearch/internal/disk"
	"simsearch/internal/ints"
	"simsearch/internal/parallel"
	"simsearch/preprocess"
)

// Texts are the documents of a collection. They are in memory unless they are too large for it; then they are read again
// for each setting.
type Texts struct {
	ids   map[string]uint32
	names []string // the ids, in order
	texts [][]byte // nil if they are read again
	again func() iter.Seq2[*document.Document, error]
}

// textsBytes is the size up to which texts are held in memory. Tests change it.
var textsBytes = 1 << 30

// ReadTexts reads a collection. Of several documents with one id it takes the first. documents returns all documents from
// the beginning, each time. The error is that of documents, or ErrEmpty.
func ReadTexts(documents func() iter.Seq2[*document.Document, error]) (*Texts, error) {
	t := &Texts{ids: map[string]uint32{}, again: documents}
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

// documents yields all texts with their ids.
func (t *Texts) documents(yield func(*document.Document, error) bool) {
	n := 0
	for text, err := range t.all {
		d := &document.Document{Text: text}
		if err == nil {
			d.ID = []byte(t.names[n])
		}
		if n++; !yield(d, err) {
			return
		}
	}
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
	type analysed struct {
		set          []uint64
		words        int
		fingerprints []uint64
	}
	err = eachText(ctx, c, func(sc *scratch, text []byte) (analysed, error) {
		sc.hashes = a.AppendFeatureHashes(sc.hashes[:0], &sc.Scratch, text)
		sc.set = append(sc.set[:0], sc.hashes...)
		ints.SortFew(sc.set, &sc.sorting)
		sc.set = slices.Compact(sc.set)
		d := analysed{slices.Clone(sc.set), len(sc.hashes), nil}
		for _, by := range weights {
			d.fingerprints = append(d.fingerprints, sc.fingerprint(by, s.Bits))
		}
		return d, nil
	}, func(d analysed) {
		f.sets, f.words = append(f.sets, d.set), append(f.words, d.words)
		for i, fp := range d.fingerprints {
			f.fingerprints[i] = append(f.fingerprints[i], fp)
		}
	})
	if at := slices.Index(weights, fingerprint.TFIDF); err == nil && at >= 0 {
		f.fingerprints[at], err = c.byRarity(ctx, s, f.sets)
	}
	return f, err
}

// A scratch is the working memory of a goroutine that analyses texts.
type scratch struct {
	analysis.Scratch
	counter              fingerprint.Counter
	hashes, set, sorting []uint64
	counts               []uint32
}

// fingerprint returns the fingerprint of the text whose hashes s has, or 0 by rarity.
func (s *scratch) fingerprint(by fingerprint.Weighting, bits int) (fp uint64) {
	switch by {
	case fingerprint.TF:
		fp, _ = fingerprint.Unit(s.hashes, bits)
	case fingerprint.Set:
		fp, _ = fingerprint.Unit(s.set, bits)
	case fingerprint.LogTF:
		var distinct []uint64
		distinct, s.counts = s.counter.Count(slices.Clone(s.hashes), s.counts)
		for j, n := range s.counts {
			s.counts[j] = fingerprint.LogCount(n)
		}
		fp, _ = fingerprint.Weighted(distinct, s.counts, bits)
	}
	return fp
}

// eachText calls work for each text of the collection, on all threads, and take with each result, in order.
func eachText[T any](ctx context.Context, c *Collection, work func(s *scratch, text []byte) (T, error), take func(T)) error {
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
		yield(chunk, nil)
	}
	return parallel.Stream(ctx, c.threads, chunks, func(ctx context.Context, texts [][]byte) ([]T, error) {
		var s scratch
		out := make([]T, len(texts))
		for i, text := range texts {
			var err error
			if out[i], err = work(&s, text); err != nil {
				return nil, err
			}
		}
		return out, context.Cause(ctx)
	}, func(results []T) error {
		for _, r := range results {
			take(r)
		}
		return nil
	})
}

// byRarity returns the fingerprints of all texts by TF-IDF, learnt from their sets.
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
	return out, eachText(ctx, c, func(s *scratch, text []byte) (uint64, error) {
		fp, _, err := a.Fingerprint(&s.Scratch, text)
		return fp, err
	}, func(fp uint64) { out = append(out, fp) })
}

// learnRarity learns how rare the features of sets are, as an index does.
func learnRarity(ctx context.Context, sets [][]uint64) (_ *fingerprint.IDF, err error) {
	l := newLearner()
	defer func() { err = errors.Join(err, l.Close()) }()
	for _, set := range sets {
		if len(set) > 0 {
			if err := l.Add(set); err != nil {
				return nil, err
			}
		}
	}
	return l.IDF(ctx)
}

func newLearner() *fingerprint.IDFLearner {
	return &fingerprint.IDFLearner{Dir: os.TempDir(), Disk: disk.OS}
}
