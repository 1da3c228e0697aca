package eval

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"simsearch/analysis"
	"simsearch/document"
	"simsearch/fingerprint"
	"simsearch/internal/ints"
	"simsearch/internal/memory"
	"simsearch/internal/parallel"
	"simsearch/preprocess"
)

// texts are the documents of a collection: all, or as many as fit into the memory.
type texts struct {
	ids          map[string]uint32
	names        []string // the ids, in order
	texts        [][]byte
	fingerprints []uint64 // of documents that are ready-made fingerprints
	read         int      // documents that were read, of which the first with each id counts
	drawn        bool     // some are left out

	costs []int64 // what evaluating each takes
	cost  int64   // the sum of costs
	seed  uint64
	limit uint64 // documents whose number by drawNumber is larger are left out
}

// documentBytes is about how much memory a document takes beside its features: its id in a list and a map, its places in
// lists, its signature, and what it is in groups.
const documentBytes = 800

// readTexts reads a collection. Of several documents with one id it takes the first. If they take more than three quarters of
// the memory, it draws some by their ids and the seed: each document stays or goes whatever the others are.
func readTexts(documents iter.Seq2[*document.Document, error], o LoadOptions) (*texts, error) {
	t := &texts{ids: map[string]uint32{}, seed: o.Seed, limit: math.MaxUint64}
	most := memory.Or(o.Memory) / 4 * 3
	for d, err := range documents {
		switch {
		case err != nil:
			return nil, err
		case o.Fingerprints && !d.HasFingerprint:
			return nil, ErrNotFingerprint
		}
		if _, known := t.ids[string(d.ID)]; known {
			continue
		}
		if t.read++; t.drawNumber(string(d.ID)) > t.limit {
			continue
		}
		t.ids[string(d.ID)] = uint32(len(t.names))
		t.names, t.texts, t.fingerprints = append(t.names, string(d.ID)), append(t.texts, slices.Clone(d.Text)), append(t.fingerprints, d.Fingerprint)
		t.costs = append(t.costs, documentBytes+2*int64(len(d.ID))+int64(len(d.Text))+o.featureBytes(d.Text))
		for t.cost += t.costs[len(t.costs)-1]; t.cost > most && t.thin(t.limit/8*7); {
		}
	}
	if len(t.names) == 0 {
		return nil, ErrEmpty
	}
	return t, nil
}

// drawNumber returns the number by which a document is drawn.
func (t *texts) drawNumber(id string) uint64 {
	return rand.NewPCG(t.seed, fingerprint.Murmur3.Sum([]byte(id))).Uint64()
}

// thin leaves out the documents above a limit. It returns false, and does nothing, if hardly any would be left.
func (t *texts) thin(limit uint64) bool {
	const least = 2
	left := 0
	for _, id := range t.names {
		if t.drawNumber(id) <= limit {
			left++
		}
	}
	if left < least {
		return false
	}
	t.limit, t.drawn = limit, true
	all := *t
	clear(t.ids)
	t.names, t.texts, t.fingerprints, t.costs, t.cost = nil, nil, nil, nil, 0
	for i, id := range all.names {
		if t.drawNumber(id) <= limit {
			t.ids[id] = uint32(len(t.names))
			t.names, t.texts, t.fingerprints = append(t.names, id), append(t.texts, all.texts[i]), append(t.fingerprints, all.fingerprints[i])
			t.costs, t.cost = append(t.costs, all.costs[i]), t.cost+all.costs[i]
		}
	}
	return true
}

// wordsIn returns about how many words a text has. Characters of scripts without spaces count as words.
func wordsIn(text []byte) (n int64) {
	within := false
	for _, b := range text {
		is := b >= 0x80 || 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9'
		if is && (!within || b >= 0xe3) { // from U+3000 on
			n++
		}
		within = is
	}
	return n
}

// documents yields all texts with their ids.
func (t *texts) documents(yield func(*document.Document, error) bool) {
	for i, text := range t.texts {
		if !yield(&document.Document{ID: []byte(t.names[i]), Text: text}, nil) {
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
		f.fingerprints[at], err = c.byRarity(ctx, s)
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
		for chunk := range slices.Chunk(c.texts.texts, together) {
			if !yield(chunk, nil) {
				return
			}
		}
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

// byRarity returns the fingerprints of all texts by TF-IDF, which is learnt from them.
func (c *Collection) byRarity(ctx context.Context, s analysis.Settings) (out []uint64, err error) {
	s.Weights = fingerprint.TFIDF
	a, err := c.analysis(ctx, s)
	if err != nil {
		return nil, err
	}
	return out, eachText(ctx, c, func(s *scratch, text []byte) (uint64, error) {
		fp, _, err := a.Fingerprint(&s.Scratch, text)
		return fp, err
	}, func(fp uint64) { out = append(out, fp) })
}
