package dedup

import (
	"context"
	"errors"
	"io"

	"simsearch/corpus"
	"simsearch/internal/spill"
)

// Cut writes the files of inputs again to dir/kept, as rewrite.File does, without the lines or paragraphs that occur
// again, as o.By says. It also writes the lists CutName and RemovedName, and a report. What inputs, refs and dir are is
// said at Read and Collection.Write. No part of refs is cut. Options.Keep, Chain and Annotate have no effect.
//
// A part occurs again if it has the same words in the same order; case, punctuation and white space do not count. Its
// first occurrence in the order of the input stays, and the others are cut. Of these first occurrences, one with
// 20 features or more is cut, too, if its Jaccard similarity with one before it that stays is Options.Threshold or
// more, unless that is 1. A part of fewer than Options.MinWords words stays, except in a document of which nothing
// else would be left but parts that occur before: such a document is removed, since a text that is empty or has a
// heading alone is of no use to what comes after.
//
// What is cut depends on the documents and the options alone, not on threads or memory. The error is ErrText if
// an input has a format in which texts cannot be replaced, or that of Read, of rewrite.File, of the file system, or the cause of ctx. There must be one text field.
func Cut(ctx context.Context, refs, inputs []string, dir string, o Options) (r CutResult, err error) {
	return cut(ctx, refs, inputs, o, func(p *divided) (CutResult, error) { return p.write(ctx, dir) })
}

// CutStream is Cut for standard input, which is o.Corpus.Stdin, an io.Seeker. It writes to w, and no lists.
func CutStream(ctx context.Context, refs []string, w io.Writer, o Options) (r CutResult, err error) {
	return cut(ctx, refs, []string{corpus.Stdin.Path}, o, func(p *divided) (CutResult, error) { return p.stream(ctx, w) })
}

func cut(ctx context.Context, refs, inputs []string, o Options, write func(p *divided) (CutResult, error)) (r CutResult, err error) {
	p, err := divide(ctx, refs, inputs, o)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := p.decide(ctx); err != nil {
		return r, err
	}
	return write(p)
}

// A divided collection is one of the parts of documents, and what is decided on these.
type divided struct {
	*Collection
	partDecisions
}

// divide reads the documents of inputs as Read does, and divides them.
func divide(ctx context.Context, refs, inputs []string, o Options) (*divided, error) {
	if err := readsSpans(refs, o); err != nil {
		return nil, err
	}
	o.Annotate = false
	c, err := Read(ctx, refs, inputs, o)
	if err != nil {
		return nil, err
	}
	return &divided{Collection: c}, nil
}

// Close removes the temporary files.
func (p *divided) Close() error { return errors.Join(p.partDecisions.close(), p.Collection.Close()) }

// sorter returns a sorter for numbers of parts.
func (p *divided) sorter() *spill.Sorter {
	const held, least = 16, 1 << 12
	return spill.New(p.o.FS, p.o.Temp, int(max(least, p.o.Memory/8/held)))
}
