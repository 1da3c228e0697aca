package dedup

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"sync/atomic"

	"simsearch/internal/clean/review"
	"simsearch/internal/clean/rewrite"
	"simsearch/internal/clean/run"
	"simsearch/internal/files/columns"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/objects"
	"simsearch/internal/ground/parallel"
	"simsearch/internal/match/join"
)

// Review makes Write ask a person about so many of the removals, on a page of its own. marks, if not nil, are what
// somebody has said on such a page: the report says then how many removals are right. Documents are compared as a
// whole.
func (d *Decisions) Review(pairs int, marks *review.Marks) { d.asked, d.marks = pairs, marks }

// Write writes the files of the collection to dir/kept, as rewrite.File does, and the lists of what is removed and of
// clusters, or of what is cut. Files appear complete or not at all. Options.Annotate keeps all documents. The error
// is that of rewrite.File, of the file system, or the cause of ctx.
func (d *Decisions) Write(ctx context.Context, dir string) error {
	return d.c.writeIn(dir, func() error { return d.writeAll(ctx) })
}

// Stream writes standard input, which Read has read, to w without what is removed.
func (d *Decisions) Stream(ctx context.Context, w io.Writer) error {
	o := &outputs{d: d}
	if d.c.Ends == nil {
		o.clusters = join.Groups(d.kept)
		wantFacts(d)
		o.note = d.notes(o.clusters)
		o.texts = d.wantTexts(o.clusters, nil)
	}
	d.cut = d.uncut()
	to := o.decider(d.c.Refs)
	d.c.Options.Next(run.Writing)
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := rewrite.Stream(out, d.c.rewriteOptions(ctx), to.decide); err != nil {
		return err
	}
	if err := cmp.Or(to.End(), out.Flush()); err != nil || to.cutter == nil {
		return err
	}
	d.cut.add(to.cutter)
	return to.listed.Close()
}

// Outputs are what Write writes.
type outputs struct {
	d        *Decisions
	clusters []join.Group // of documents
	note     func(doc uint32) []any
	pairs    []uint32 // removed documents, or parts that are cut, that are shown beside what is kept for them
	texts    *caught[seenText]
	all      int          // documents of all files, if progress is told
	written  atomic.Int64 // those that have been written or left out
}

// toldEvery is the number of documents of a file after which a run tells how far it is.
const toldEvery = 1 << 12

// progress tells of documents that have been written or left out.
func (o *outputs) progress(documents int) {
	if c := o.d.c; c.Options.Progress != nil && o.all > 0 {
		c.Options.DidParts(int(o.written.Add(int64(documents))), o.all)
	}
}

func (d *Decisions) writeAll(ctx context.Context) (err error) {
	c, o := d.c, &outputs{d: d}
	if c.Ends == nil {
		c.Options.Next(grouping)
		if o.clusters, err = d.writeClusters(ctx); err != nil {
			return err
		}
	}
	wantFacts(d)
	chooseReview(d)
	if d.marks != nil {
		if err := d.marks.Check(d.population); err != nil {
			return err
		}
	}
	o.note, d.cut = d.notes(o.clusters), d.uncut()
	o.pairs = d.borderline()
	o.texts = d.wantTexts(o.clusters, o.pairs)
	if !c.Options.DryRun {
		c.Options.Next(run.Writing)
	}
	if c.Ends == nil {
		err = o.files(ctx, nil)
	} else {
		err = c.writeFile(run.CutName, func(w *bufio.Writer) error { return o.files(ctx, w) })
	}
	if err != nil {
		return err
	}
	if err := o.save(); err != nil {
		return err
	}
	c.Options.Next(reporting)
	return errors.Join(d.writeRemoved(ctx), c.writeLeftOut(ctx), d.writeReports(o))
}

// files writes the files, and the rows of what is cut to list.
func (o *outputs) files(ctx context.Context, list io.Writer) error {
	d, c := o.d, o.d.c
	for file := range c.Files {
		o.all += c.documentsOf(file)
	}
	return parallel.Ordered(ctx, c.Options.Threads, len(c.Files), o.file, func(t *decider) error {
		o.progress(c.documentsOf(t.follower.File) - t.told)
		if t.cutter == nil {
			return nil
		}
		if t.follower.File >= c.Refs {
			d.cut.add(t.cutter)
		}
		_, err := io.Copy(list, t.listed.Reader())
		return errors.Join(err, t.listed.Close())
	})
}

// file writes a file or, of the reference, reads what is shown of it. In a dry run, it writes nothing but finds the
// same.
func (o *outputs) file(ctx context.Context, file int) (t *decider, err error) {
	c := o.d.c
	t = o.decider(file)
	known := c.isKnownFile(file)
	again := c.isIndex(file) || known && (file < c.Refs || c.Options.DryRun)
	if known && !again {
		if again, err = o.stays(file); err != nil {
			return t, err
		}
	}
	if again {
		return t, c.readAgain(ctx, file, o.texts, o.d.facts)
	}
	for next := file + 1; next < min(len(c.Files), file+objects.SoonOpened); next++ {
		if !o.d.c.isKnownFile(next) {
			objects.Begin(ctx, c.Files[next].Path)
		}
	}
	from, to := c.units(c.Starts[file], c.Starts[file+1])
	isShown := len(o.texts.unknown(from, to))+len(o.d.facts.unknown(c.Starts[file], c.Starts[file+1])) > 0
	switch {
	case file < c.Refs && isShown, c.Files[file] == corpus.Stdin: // of standard input nothing is written but lists
		err = t.Read(ctx, func(at uint32, doc *document.Document) error {
			_, err := t.decideOn(at, doc)
			return err
		})
	case file >= c.Refs && (!c.Options.DryRun || isShown || t.cutter != nil || c.Bad[file] > 0):
		_, err = c.rewriteTo(ctx, file, t.Together, t.decide, t.End)
		if errors.Is(err, fs.ErrPermission) && c.Unreadable(file) {
			err = nil // it was told of
		}
	}
	if err != nil && t.cutter != nil {
		err = errors.Join(err, t.listed.Close())
	}
	return t, err
}

// A decider decides on the documents of a file, whose texts it shows.
type decider struct {
	follower
	*outputs
	*cutter        // or nil
	seen, told int // documents that were decided on, and of how many of these it was told
}

func (o *outputs) decider(file int) *decider {
	t := &decider{follower: o.d.c.Follow(file), outputs: o}
	if o.d.c.Ends != nil {
		t.cutter = o.d.cutter(file)
	}
	return t
}

// decide decides on the next document. The error is rewrite.ErrChanged if it is not the one that was read before.
func (t *decider) decide(doc *document.Document) (rewrite.Decision, error) {
	at, err := t.Document(doc)
	if err != nil {
		return rewrite.Decision{}, err
	}
	if t.seen += max(1, len(doc.Rows)); t.seen-t.told >= toldEvery {
		t.progress(t.seen - t.told)
		t.told = t.seen
	}
	d, err := t.decideOn(at, doc)
	if t.outputs.d.c.Options.DryRun {
		d = rewrite.Decision{Drop: true}
	}
	return d, err
}

func (t *decider) decideOn(at uint32, doc *document.Document) (rewrite.Decision, error) {
	switch {
	case at == noDocument:
		return rewrite.Decision{}, nil
	case t.cutter != nil:
		return t.cut(at, doc, t.texts)
	}
	t.texts.see(at, doc)
	t.outputs.d.facts.see(at, doc)
	if t.outputs.d.c.Options.Annotate {
		return rewrite.Decision{Values: t.note(at)}, nil
	}
	return rewrite.Decision{Drop: t.outputs.d.kept[at] != at}, nil
}

// annotations returns the fields of Options.Annotate.
func annotations(o *Options) []columns.NewColumn {
	fields := []columns.NewColumn{
		{Name: "dup_cluster", Kind: columns.Int}, {Name: "dup_size", Kind: columns.Int}, {Name: "dup_kept", Kind: columns.Bool},
		{Name: "dup_kept_id", Kind: columns.String}, {Name: "dup_similarity", Kind: columns.Float},
	}
	if o.ByDistance() {
		fields = append(fields, columns.NewColumn{Name: "dup_distance", Kind: columns.Int})
	}
	return fields
}

// notes returns a function for the values of the annotations of a document.
func (d *Decisions) notes(clusters []join.Group) func(doc uint32) []any {
	if !d.c.Options.Annotate {
		return nil
	}
	number := map[uint32]int{} // of the cluster of each kept document
	for i, g := range clusters {
		number[g.Representative] = i
	}
	byDistance := d.c.Options.ByDistance()
	return func(doc uint32) []any {
		kept := d.kept[doc]
		i, ok := number[kept]
		values := []any{nil, int64(1), true, nil, nil}
		if ok {
			values[0], values[1] = int64(i+1), int64(len(clusters[i].Documents))
		}
		if kept != doc {
			values[2], values[3], values[4] = false, string(d.c.ID(kept)), d.similarity(doc)
		}
		switch {
		case byDistance && kept != doc:
			values = append(values, int64(d.distance(doc)))
		case byDistance:
			values = append(values, nil)
		}
		return values
	}
}
