package dedup

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"simsearch/document"
	"simsearch/internal/parallel"
	"simsearch/internal/rewrite"
)

// Write writes the files of the collection to dir/kept, as rewrite.File does, and the lists of what is removed and
// of clusters. Files appear complete or not at all. Options.Annotate keeps all documents. The error is that of
// rewrite.File, of the file system, or the cause of ctx.
func (d *Decisions) Write(ctx context.Context, dir string) error {
	return d.c.writeIn(dir, func() error { return d.writeAll(ctx) })
}

func (d *Decisions) writeAll(ctx context.Context) (err error) {
	c := d.c
	files := c.files[c.refs:]
	c.phase(Grouping)
	var clusters []cluster
	if clusters, err = d.writeClusters(ctx); err != nil {
		return err
	}
	written, err := c.writtenFiles(c.restored != nil)
	if err != nil {
		return err
	}
	texts, err := d.wantTexts(ctx, clusters, d.borderline())
	if err != nil {
		return err
	}
	for file := range c.files {
		if file < c.refs || c.o.DryRun || written[file-c.refs] {
			if err := texts.read(ctx, &c.documents, file); err != nil {
				return err
			}
		}
	}
	if err := c.findDamage(ctx, func(i int) bool { return c.o.DryRun || written[i] }); err != nil {
		return err
	}
	if c.o.DryRun {
		return d.writeLists(ctx, clusters, texts)
	}
	c.phase(Writing)
	note := d.notes(clusters)
	write := func(ctx context.Context, i int) (struct{}, error) {
		if written[i] {
			return struct{}{}, nil
		}
		to := d.decider(c.refs+i, note, texts)
		err := c.rewriteFile(ctx, c.refs+i, to.decide, to.end)
		if errors.Is(err, fs.ErrPermission) && c.unreadable(c.refs+i) {
			err = nil // it was told of
		}
		return struct{}{}, err
	}
	done := 0
	err = parallel.Ordered(ctx, c.o.Threads, len(files), write, func(struct{}) error {
		if done++; c.o.Progress != nil {
			c.o.Progress(int64(c.starts[c.refs+done]-c.starts[c.refs]), int64(c.Len()))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.writeLists(ctx, clusters, texts)
}

// wantTexts returns the texts that show what pairs of documents and suspicious groups are, which are still empty.
func (d *Decisions) wantTexts(ctx context.Context, clusters []cluster, pairs []uint32) (*textsOf, error) {
	var err error
	if d.glue, err = newGlue(ctx, d, clusters); err != nil {
		return nil, err
	}
	units := map[uint32]caught{}
	for _, doc := range pairs {
		units[doc], units[d.kept[doc]] = caught{}, caught{}
	}
	if d.glue != nil {
		for doc := range d.glue.texts {
			units[doc] = caught{}
		}
	}
	wantPictures(d, units, clusters)
	t := newTexts(pairs, units)
	t.glue = d.glue
	return t, nil
}

// writeLists writes what Write writes behind the files.
func (d *Decisions) writeLists(ctx context.Context, clusters []cluster, texts *textsOf) error {
	d.c.phase(Reporting)
	return errors.Join(d.writeRemoved(ctx), d.c.writeLeftOut(ctx), d.writeReport(ctx, clusters, texts))
}

// Stream writes standard input, which Read has read, to w without the documents that are removed.
func (d *Decisions) Stream(ctx context.Context, w io.Writer) error {
	clusters := d.clusters()
	texts, err := d.wantTexts(ctx, clusters, nil)
	if err != nil {
		return err
	}
	to := d.decider(d.c.refs, d.notes(clusters), texts)
	return d.c.stream(ctx, w, to.decide, to.end)
}

// A decider decides on the documents of a file, whose texts it shows to texts.
type decider struct {
	follower
	d     *Decisions
	note  func(doc uint32) []any
	texts *textsOf
}

func (d *Decisions) decider(file int, note func(doc uint32) []any, texts *textsOf) *decider {
	return &decider{d.c.follow(file), d, note, texts}
}

// decide decides on the next document. The error is rewrite.ErrChanged if it is not the one that was read before.
func (t *decider) decide(doc *document.Document) (rewrite.Decision, error) {
	at, err := t.document(doc)
	if err != nil {
		return rewrite.Decision{}, err
	}
	t.texts.seeDocument(at, doc)
	if t.c.o.Annotate {
		return rewrite.Decision{Values: t.note(at)}, nil
	}
	return rewrite.Decision{Drop: t.d.kept[at] != at}, nil
}

// annotations returns the fields of Options.Annotate.
func (o *Options) annotations() []rewrite.Field {
	fields := []rewrite.Field{
		{Name: "dup_cluster", Kind: rewrite.Int}, {Name: "dup_size", Kind: rewrite.Int}, {Name: "dup_kept", Kind: rewrite.Bool},
		{Name: "dup_kept_id", Kind: rewrite.String}, {Name: "dup_similarity", Kind: rewrite.Float},
	}
	if o.byDistance() {
		fields = append(fields, rewrite.Field{Name: "dup_distance", Kind: rewrite.Int})
	}
	return fields
}

// notes returns a function for the values of the annotations of a document.
func (d *Decisions) notes(clusters []cluster) func(doc uint32) []any {
	if !d.c.o.Annotate {
		return nil
	}
	number := map[uint32]int{} // of the cluster of each kept document
	for i, g := range clusters {
		number[g.kept] = i
	}
	byDistance := d.c.o.byDistance()
	return func(doc uint32) []any {
		kept := d.kept[doc]
		i, ok := number[kept]
		values := []any{nil, int64(1), true, nil, nil}
		if ok {
			values[0], values[1] = int64(i+1), int64(len(clusters[i].documents))
		}
		if kept != doc {
			values[2], values[3], values[4] = false, string(d.c.id(kept)), d.similarity(doc)
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
