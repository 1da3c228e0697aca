package eval

import (
	"context"
	"errors"
	"os"
	"slices"

	"simsearch/fingerprint"
	"simsearch/internal/disk"
	"simsearch/tables"
)

// A weighted is fingerprints of the features of the settings by other weights.
type weighted struct {
	name         string
	fingerprints []uint64
}

// otherWeights returns the fingerprints by TF-IDF of a collection whose settings have TF, and the other way round.
// It returns nil for other settings, which do not tell how often a feature occurs.
func (c *Collection) otherWeights(ctx context.Context) (*weighted, error) {
	to, ok := map[fingerprint.Weighting]string{fingerprint.TF: "TF-IDF", fingerprint.TFIDF: "TF"}[c.Settings.Weights]
	if !ok {
		return nil, nil
	}
	model, err := learnRarity(ctx, c.Sets)
	if err != nil {
		return nil, err
	}
	w := &weighted{to, make([]uint64, c.Len())}
	return w, c.eachOf(ctx, c.Len(), func(doc int) error {
		rarity, err := model.Weights(nil, c.Sets[doc])
		if err != nil {
			return err
		}
		var sums fingerprint.Sums
		for i, feature := range c.Sets[doc] {
			if c.Settings.Weights == fingerprint.TF {
				sums.Add(feature, c.Weights[doc][i]/fingerprint.WeightOne*int64(rarity[i]))
			} else {
				sums.Add(feature, c.Weights[doc][i]/int64(rarity[i])*fingerprint.WeightOne)
			}
		}
		if fp, ok := sums.Fingerprint(c.Settings.Bits); ok {
			w.fingerprints[doc] = fp
		}
		return nil
	})
}

// learnRarity learns how rare the features of sets are, as an index does.
func learnRarity(ctx context.Context, sets [][]uint64) (_ *fingerprint.IDF, err error) {
	l := fingerprint.IDFLearner{Dir: os.TempDir(), Disk: disk.OS}
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

// within calls do for each pair of documents with features that is evaluated and within k bits.
func (w *weighted) within(ctx context.Context, c *Collection, k int, do func(a, b uint32, distance int)) error {
	var docs []uint32
	var values []uint64
	for doc, set := range c.Sets {
		if len(set) > 0 {
			docs, values = append(docs, uint32(doc)), append(values, w.fingerprints[doc])
		}
	}
	groups := tables.Group(values, docs)
	pair := func(a, b uint32, d int) {
		if c.evaluated(a, b) {
			do(min(a, b), max(a, b), d)
		}
	}
	for g := range groups.Values {
		members := groups.Members(uint32(g))
		for i, a := range members {
			for _, b := range members[i+1:] {
				pair(a, b, 0)
			}
		}
	}
	return tables.Pairs(ctx, slices.Clone(groups.Values), c.Settings.Bits, k, tables.PairOptions{Threads: c.threads}, func(p tables.Pair) error {
		for _, a := range groups.Members(p.A) {
			for _, b := range groups.Members(p.B) {
				pair(a, b, int(p.Distance))
			}
		}
		return nil
	})
}
