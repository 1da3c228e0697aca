package dedup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/parallel"
	"simsearch/internal/rewrite"
)

// Names of what Write makes in its directory.
const (
	KeptName     = "kept"
	RemovedName  = "removed.jsonl"
	ClustersName = "clusters.jsonl"
)

// Write writes the files of the collection to dir/kept, as rewrite.File does, and the lists of what is removed and
// of clusters. Files appear complete or not at all. Options.Annotate keeps all documents. The error is that of
// rewrite.File, of the file system, or the cause of ctx.
func (c *Collection) Write(ctx context.Context, d *Decisions, dir string) error {
	return c.writeIn(dir, func() error { return c.writeAll(ctx, d) })
}

// paths returns the paths of all files.
func (c *Collection) paths() (paths []string) {
	for _, f := range c.files {
		paths = append(paths, f.Path)
	}
	return paths
}

func (c *Collection) writeAll(ctx context.Context, d *Decisions) (err error) {
	files := c.files[c.refs:]
	c.phase(Grouping)
	var clusters []cluster
	if clusters, err = d.writeClusters(ctx); err != nil {
		return err
	}
	written, err := c.writtenFiles()
	if err != nil {
		return err
	}
	texts, err := d.wantTexts(ctx, clusters, d.borderline())
	if err != nil {
		return err
	}
	for file := range c.files {
		if file < c.refs || c.o.DryRun || written[file-c.refs] {
			if err := texts.read(ctx, c, file); err != nil {
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
		to := c.decider(d, c.refs+i, note, texts)
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
	if d.glue, err = d.newGlue(ctx, clusters); err != nil {
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
	d.wantPictures(units, clusters)
	t := newTexts(pairs, units)
	t.glue = d.glue
	return t, nil
}

// writeLists writes what Write writes behind the files.
func (d *Decisions) writeLists(ctx context.Context, clusters []cluster, texts *textsOf) error {
	d.c.phase(Reporting)
	return errors.Join(d.writeRemoved(ctx), d.c.writeLeftOut(ctx), d.writeReport(ctx, clusters, texts))
}

// badDocuments returns the number of documents that may be removed and cannot be read.
func (c *Collection) badDocuments() (n int) {
	for _, bad := range c.bad[c.refs:] {
		n += bad
	}
	return n
}

// unreadable reports whether a file could not be read at all.
func (c *Collection) unreadable(file int) bool {
	return c.bad[file] > 0 && c.starts[file] == c.starts[file+1]
}

// commonBase returns the directory that names of outputs begin at: base, or the working directory if that is "", if all
// files are below it, and otherwise the directory that all are in.
func commonBase(base string, files []corpus.File) string {
	if base == "" {
		base, _ = os.Getwd() // or none
	}
	var common string
	below := true
	for i, f := range files {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			return base
		}
		dir := filepath.Dir(path)
		if i == 0 {
			common = dir
		}
		for !isBelow(dir, common) && common != filepath.Dir(common) {
			common = filepath.Dir(common)
		}
		below = below && base != "" && isBelow(dir, base)
	}
	if below {
		return base
	}
	return common
}

// isBelow reports whether a directory is another one or below it.
func isBelow(dir, other string) bool {
	rel, err := filepath.Rel(other, dir)
	return err == nil && filepath.IsLocal(rel)
}

// Stream writes standard input, which Read has read, to w without the documents that are removed.
func (c *Collection) Stream(ctx context.Context, d *Decisions, w io.Writer) error {
	clusters := d.clusters()
	texts, err := d.wantTexts(ctx, clusters, nil)
	if err != nil {
		return err
	}
	to := c.decider(d, c.refs, d.notes(clusters), texts)
	return c.stream(ctx, w, to.decide, to.end)
}

// stream writes standard input to w as decide says.
func (c *Collection) stream(ctx context.Context, w io.Writer, decide rewrite.Decider, finish func() error) error {
	c.phase(Writing)
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := rewrite.Stream(out, c.rewriteOptions(ctx), decide); err != nil {
		return err
	}
	if err := finish(); err != nil {
		return err
	}
	return out.Flush()
}

func (c *Collection) rewriteOptions(ctx context.Context) rewrite.Options {
	o := rewrite.Options{Corpus: c.o.Corpus}
	if c.dir != nil {
		o.FS = c.dir
	}
	o.Corpus.Context, o.Corpus.FilesFrom = ctx, nil
	if c.o.Annotate {
		o.Fields = c.o.annotations()
	}
	return o
}

// A decider decides on the documents of a file, whose texts it shows to texts.
type decider struct {
	follower
	d     *Decisions
	note  func(doc uint32) []any
	texts *textsOf
}

func (c *Collection) decider(d *Decisions, file int, note func(doc uint32) []any, texts *textsOf) *decider {
	return &decider{c.follow(file), d, note, texts}
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

func changed(path string) error { return fmt.Errorf("%s: %w", path, rewrite.ErrChanged) }
