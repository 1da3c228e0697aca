package simsearch

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"simsearch/internal/clean/dedup"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
)

// DedupOptions say which documents stand for others. The zero value is what the command dedup does.
type DedupOptions struct {
	// Near is Jaccard or Hamming; of Hamming, at most 63 bits.
	Near Criterion
	// Contained, if it is not 0, removes documents, too, of which a document of no fewer features has at least this
	// share of the features, in (0, 1]. Of several documents, the one with the most features is kept then. It suits
	// Features "word:3", and not Hamming.
	Contained float64
	// Features of sets, and of fingerprints with Hamming, are as those of Settings.
	Features string
	// KeepFirst keeps the first of near documents. By default the longest is kept, unless it adds only what many
	// texts add, and of equally long ones the first.
	KeepFirst bool
	// Temp is the directory of temporary files. "" is that of the system.
	Temp string
}

// A Decision says which document is kept in the place of a document.
type Decision struct {
	// For is its number, from 0 in the order of the iterator. It is that of the document itself if that is kept.
	For int
	// Jaccard is the similarity of the two, in [0, 1]; 0 if near goes by Hamming. It is 1 if the document itself is
	// kept.
	Jaccard float64
	// Distance is that of the fingerprints in bits if near goes by Hamming, and otherwise -1, which is not known.
	Distance int
	// Contained is the share of the features of the document that the other one has, if it is removed for that, and
	// else 0.
	Contained float64
}

// Dedup returns, for each document in the order of the iterator, which one is kept in its place: itself if it is
// kept. Every document that is not kept is near the one in its place, and no two kept documents are near.
//
// IDs and fields are not used. Texts are not kept in memory. Sets of words are, beyond some size in a temporary file.
// The error is ErrInvalid, that of the iterator or of the file system, or the cause of ctx.
func Dedup(ctx context.Context, documents iter.Seq2[Document, error], o DedupOptions) (decisions []Decision, err error) {
	how, err := o.plan()
	if err != nil {
		return nil, err
	}
	c, err := dedup.Of(ctx, document.Map(documents, func(d Document) (*document.Document, error) {
		return &document.Document{ID: []byte(d.ID), Text: []byte(d.Text)}, nil
	}), how)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	d, err := dedup.Decide(ctx, c)
	if err != nil {
		return nil, err
	}
	decisions = make([]Decision, c.Len())
	for i := range decisions {
		to := d.KeptFor(i)
		decisions[i] = Decision{For: to.Document, Jaccard: to.Similarity, Distance: index.NoDistance, Contained: to.Contained}
		if how.ByDistance() {
			decisions[i].Jaccard, decisions[i].Distance = 0, to.Distance
		}
	}
	return decisions, nil
}

// plan returns what the options ask for.
func (o DedupOptions) plan() (how dedup.Options, err error) {
	how = dedup.Options{Options: run.Options{Threads: threads(), Temp: o.Temp}, Settings: dedup.DefaultSettings(), Threshold: index.DefaultThreshold, Contained: o.Contained}
	if o.KeepFirst {
		how.Keep.Way = dedup.First
	}
	made, _, err := Settings{Features: o.Features, Near: o.Near}.plan()
	switch near := o.Near.near; {
	case err != nil:
		return how, err
	case !(o.Contained >= 0 && o.Contained <= 1):
		return how, fmt.Errorf("%w: a contained share of %v: want 0 to 1", ErrInvalid, o.Contained)
	case near.Kind == index.Distance && (near.Distance > dedup.MaxDistance || o.Contained > 0):
		return how, fmt.Errorf("%w: a Hamming distance of %d, and a contained share of %v: want at most %d bits, and no share of fingerprints",
			ErrInvalid, near.Distance, o.Contained, dedup.MaxDistance)
	case near.Kind == index.Copy:
		return how, fmt.Errorf("%w: no Copy for Dedup, which keeps no texts that a judge could compare: want Jaccard, Contained or Hamming", ErrInvalid)
	case near.Kind == index.Distance:
		how.Settings, how.Distance = made, near.Distance
	case near.Kind == index.Jaccard:
		how.Threshold = near.Threshold
		fallthrough
	default:
		how.Settings.SetFeatures, how.Settings.SetLanguage = made.SetFeatures, made.SetLanguage
	}
	return how, nil
}
