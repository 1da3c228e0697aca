package eval

import (
	"context"

	"simsearch/fingerprint"
)

// A weighted is fingerprints of the features of the settings by other weights.
type weighted struct {
	name         string
	fingerprints []uint64
}

// otherWeights returns the fingerprints by TF-IDF of a collection whose settings have TF, and the other way round.
// It returns nil for other settings, which do not tell how often a feature occurs.
func otherWeights(ctx context.Context, c *Collection) (*weighted, error) {
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
