package dedup

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"simsearch/analysis"
	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/disk"
	"simsearch/internal/spill"
)

// Of returns the Collection of documents that are not read from files, to decide on them. It cannot be written. Of o it uses
// Settings, Threshold, Distance, Contained, MaxDF, Chain, Keep by Longest or First, Threads, Memory, FS and Temp. The caller
// closes the Collection. The error is that of the iterator, of the options, of the file system, or the cause of ctx.
func Of(ctx context.Context, documents iter.Seq2[*document.Document, error], o Options) (_ *Collection, err error) {
	if o.FS == nil {
		o.FS = disk.OS
	}
	if err := errors.Join(o.checkDistance(), o.checkThreshold(), checkMaxDF(o.MaxDF)); err != nil {
		return nil, err
	}
	if o.Keep.Way.HasField() {
		return nil, fmt.Errorf("documents that are not read from files have no field to keep by: %s", o.Keep)
	}
	o.Corpus, o.Prefer, o.State = corpus.Options{}, nil, ""
	a, err := analysis.New(o.Settings)
	if err != nil {
		return nil, err
	}
	c := &Collection{o: o, known: map[analysis.Digest]uint32{}, sets: &spill.Lists{Bytes: spill.NewBytes(o.FS, o.Temp, spill.Holds)}}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if err := c.readSets(ctx, a, documents, func() {}); err != nil {
		return nil, err
	}
	c.known, c.starts = nil, []uint32{0, uint32(len(c.of))}
	if err := c.leaveOut(ctx, nil); err != nil {
		return nil, err
	}
	return c, nil
}

// KeptFor returns the number of the document that is kept in the place of document doc, in the order of reading from 0: doc
// itself if it is kept.
func (d *Decisions) KeptFor(doc int) int { return int(d.kept[doc]) }
