package filesync

import (
	"context"
	"errors"

	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/index"
	"simsearch/internal/index/segment"
	"simsearch/internal/index/store"
)

// A Record writes down in the catalogue which files the documents are of that a run adds without a Sync, so that the
// first Sync of these files knows what to delete. It deletes nothing. The zero value writes nothing down. It must not
// be used by several goroutines at once.
type Record struct {
	w     *index.Writer
	r     *corpus.Reader
	how   uint64
	files map[string]*index.CatalogueFile // of the catalogue, and those of this run, by their paths
	dirty bool                            // the catalogue is to be written
	// others says that files are read by other options, so that their documents may be others.
	others bool

	source string               // the path by which the current file is opened
	now    *index.CatalogueFile // the current file; nil if it is not recorded
	had    map[string]bool      // the ids that it has had before
}

// NewRecord returns a Record of the documents of r that w is going to have. how is that of New. A catalogue that is
// damaged is told of, and another one takes its place: documents of it that no file has any more stay in the index
// then.
func NewRecord(w *index.Writer, r *corpus.Reader, how uint64) (d *Record, damaged, err error) {
	c, _, err := w.Catalogue()
	if errors.Is(err, index.ErrCorrupt) {
		c, damaged, err = nil, err, nil
	}
	if err != nil {
		return nil, nil, err
	}
	d = &Record{w: w, r: r, how: how, files: map[string]*index.CatalogueFile{}, dirty: damaged != nil}
	if c != nil {
		d.how, d.others = c.How, c.How != how
		for i := range c.Files {
			d.files[c.Files[i].Path] = &c.Files[i]
		}
	}
	return d, damaged, nil
}

// Part is a method of Files. It takes note of the documents.
func (d *Record) Part(documents document.Seq, full func(*document.Document) bool, more *bool) document.Seq {
	return func(yield func(*document.Document, error) bool) {
		*more = false
		for doc, err := range documents {
			enough := err == nil && full(doc)
			if err == nil && d.w != nil {
				d.note(doc)
			}
			if !yield(doc, err) {
				return
			}
			if enough {
				*more = true
				return
			}
		}
	}
}

// Done is a method of Files.
func (*Record) Done() bool { return false }

// note takes note of a document.
func (d *Record) note(doc *document.Document) {
	if doc.Source != d.source || d.source == "" {
		d.begin(doc.Source)
	}
	switch {
	case d.now == nil:
	case len(doc.Rows) > 0 && len(d.had) == 0:
		d.add(doc.ID, len(doc.Rows))
	default:
		for i := range max(1, len(doc.Rows)) {
			id := doc.ID
			if i > 0 {
				id = segment.RowID(id, i)
			}
			if !d.had[string(id)] {
				d.add(id, 1)
			}
		}
	}
}

// add adds n ids to those of the current file: id, and those with the numbers that follow.
func (d *Record) add(id []byte, n int) {
	if d.now.Whole {
		d.now.Whole, d.now.IDs = false, segment.IDListOf(d.now.Path)
	}
	d.now.IDs.AddRows(id, n)
	d.dirty = true
}

// begin begins a file.
func (d *Record) begin(path string) {
	d.source, d.now, d.had = path, nil, nil
	f := &index.CatalogueFile{Path: d.r.Name(path), Added: true}
	if path == corpus.Stdin.Path || stat(context.Background(), path, f) != nil {
		return // it can be read only once
	}
	old, ok := d.files[f.Path]
	switch {
	case !ok:
		d.files[f.Path] = f
		old = f
	case old.Read && !old.Again && !d.others && old.Size == f.Size && old.Changed == f.Changed:
		return // it is what the catalogue says
	default:
		d.had = map[string]bool{}
		for _, id := range (&file{CatalogueFile: *old}).ids() {
			d.had[id] = true
		}
		d.dirty = d.dirty || old.Read
		old.Read = false
	}
	d.now = old
}

// Hand is a method of Files: it gives the Writer the catalogue, with the documents until now, if there is something new
// in it.
func (d *Record) Hand() (bool, error) {
	if !d.dirty {
		return true, nil
	}
	c := &index.Catalogue{How: d.how, Distinct: store.UnknownDistinct}
	for _, f := range d.files {
		if f.IDs.Is(f.Path) {
			f.Whole, f.IDs = true, segment.IDList{}
		}
		if f.Whole || f.IDs.Len() > 0 || !f.Added {
			c.Files = append(c.Files, *f)
		}
	}
	c.Sort()
	d.dirty = false
	d.w.AddCatalogue(c)
	return true, nil
}
