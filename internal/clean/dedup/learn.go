package dedup

import (
	"context"
	"errors"
	"io"

	"github.com/spaolacci/murmur3"

	"simsearch/fingerprint"
	"simsearch/internal/clean/run"
	"simsearch/internal/features/analysis"
	"simsearch/internal/files/corpus"
	"simsearch/internal/ground/section"
)

// learn returns an analysis like a that knows how rare features are. It reads the inputs once before they are read for their
// sets, and analyses some of their documents (analysis.Learn). An interrupted run learns the same again, since it reads the same.
func (c *Collection) learn(ctx context.Context, a *analysis.Analysis) (_ *analysis.Analysis, err error) {
	o := c.Options.Corpus
	o.Decided, o.ByPath = nil, c.Options.Keep.Way != First
	r, err := corpus.Open(c.inputs, o)
	if err != nil {
		return nil, err
	}
	l := fingerprint.IDFLearner{Dir: c.Options.Temp, Disk: c.Options.FS, FeaturesInMemory: int(c.Options.Memory / 64)}
	defer func() { err = errors.Join(err, r.Close(), l.Close()) }()
	c.Options.Next(learning)
	if err := a.Learn(ctx, run.Documents(r, nil, nil), c.Options.Threads, &l); err != nil {
		return nil, err
	}
	if name, once := r.Once(); once && name == corpus.Stdin.Path {
		if _, err := o.Stdin.(io.Seeker).Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
	}
	model, err := l.IDF(ctx)
	if err != nil {
		return nil, err
	}
	digest := murmur3.New128()
	w := section.NewWriter(digest)
	model.Write(w)
	_, _, err = w.Close()
	c.learnt[0], c.learnt[1] = digest.Sum128()
	return a.WithIDF(model), err
}
