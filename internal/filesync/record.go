package filesync

import (
	"cmp"
	"errors"
	"iter"
	"slices"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/index"
	"simsearch/internal/store"
)

// A Record writes down in the catalogue which files the documents are of that a run adds without a Sync, so that the first
// Sync of these files knows what to delete. It deletes nothing. It must not be used by several goroutines at once.
type Record struct {
	w     *index.Writer
	r     *corpus.Reader
	c     *index.Catalogue
	dirty bool // the catalogue is to be written
	// others says that files are read by other options, so that their documents may be others.
	others bool
	fresh  []index.CatalogueFile

	source string // the path by which the current file is opened
	now    int    // the place in fresh of the current file; -1 if it is not recorded
	buf    []byte // ids of the current file that are not in its IDs yet
	ends   []int
	had    map[string]bool // the ids that the catalogue has of the current file
}

// NewRecord returns a Record of the documents of r that w is going to have. how is that of New. A catalogue that is damaged
// is told of, and another one takes its place: documents of it that no file has any more stay in the index then.
func NewRecord(w *index.Writer, r *corpus.Reader, how uint64) (d *Record, damaged, err error) {
	c, _, err := w.Catalogue()
	if errors.Is(err, index.ErrCorrupt) {
		c, damaged, err = nil, err, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if c == nil {
		c = &index.Catalogue{How: how}
	}
	return &Record{w: w, r: r, c: c, others: c.How != how, dirty: damaged != nil, now: -1}, damaged, nil
}

// Note yields documents, and takes note of them. Call Hand before each Commit.
func (d *Record) Note(documents iter.Seq2[*document.Document, error]) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if err == nil {
				d.note(doc)
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// note takes note of a document.
func (d *Record) note(doc *document.Document) {
	if doc.Source != d.source || d.source == "" {
		d.begin(doc.Source)
	}
	if d.now < 0 || d.had[string(doc.ID)] {
		return
	}
	const enough = 1 << 20
	if d.buf, d.ends = append(d.buf, doc.ID...), append(d.ends, len(d.buf)+len(doc.ID)); len(d.buf) >= enough {
		d.keep()
	}
}

// begin begins a file, and ends the one before.
func (d *Record) begin(path string) {
	d.keep()
	d.source, d.now, d.had = path, -1, nil
	f := index.CatalogueFile{Path: d.r.Name(corpus.File{Path: path}), Added: true}
	if path == corpus.Stdin.Path || stat(path, &f) != nil {
		return // it can be read only once
	}
	if i, ok := d.find(f.Path); ok {
		old := d.c.Files[i]
		if old.Read && !old.Again && !d.others && old.Size == f.Size && old.Changed == f.Changed {
			return // it is what the catalogue says
		}
		d.had = map[string]bool{}
		for _, id := range ids(&old) {
			d.had[id] = true
		}
		if old.Read {
			d.c.Files[i].Read, d.dirty = false, true
		}
	}
	d.now, d.fresh = len(d.fresh), append(d.fresh, f)
}

// find returns the place of a path in the catalogue.
func (d *Record) find(path string) (int, bool) {
	return slices.BinarySearchFunc(d.c.Files, path, func(f index.CatalogueFile, path string) int { return cmp.Compare(f.Path, path) })
}

// keep puts the ids of buf into the current file. They share one string.
func (d *Record) keep() {
	if len(d.ends) == 0 {
		return
	}
	all, start, f := string(d.buf), 0, &d.fresh[d.now]
	for _, end := range d.ends {
		f.IDs = append(f.IDs, all[start:end])
		start = end
	}
	d.buf, d.ends = d.buf[:0], d.ends[:0]
}

// Hand gives the Writer the catalogue, with the documents until now, which the next Commit is to store. It does so only
// if there is something new in it.
func (d *Record) Hand() {
	d.keep()
	var added []index.CatalogueFile
	for i := range d.fresh {
		f := &d.fresh[i]
		if len(f.IDs) == 0 {
			continue
		}
		d.dirty = true
		if at, ok := d.find(f.Path); ok { // another time, or a further part
			old := &d.c.Files[at]
			old.IDs, old.Whole = append(slices.Clip(ids(old)), f.IDs...), false
		} else {
			if len(f.IDs) == 1 && f.IDs[0] == f.Path {
				f.Whole, f.IDs = true, nil
			}
			added = append(added, *f)
		}
		f.IDs, f.Whole = nil, false
	}
	d.fresh = d.fresh[max(0, d.now):] // the current one may go on
	if d.now = min(d.now, 0); d.now < 0 {
		d.fresh = nil
	}
	if !d.dirty {
		return
	}
	d.c.Files = append(slices.Clip(d.c.Files), added...)
	d.c.Sort()
	d.merge()
	d.c.Distinct, d.dirty = store.UnknownDistinct, false
	d.w.AddCatalogue(d.c)
}

// merge makes one file of those with the same path, which the inputs name twice.
func (d *Record) merge() {
	kept := d.c.Files[:0]
	for _, f := range d.c.Files {
		if n := len(kept); n > 0 && kept[n-1].Path == f.Path {
			kept[n-1].IDs, kept[n-1].Whole = append(ids(&kept[n-1]), ids(&f)...), false
			continue
		}
		kept = append(kept, f)
	}
	d.c.Files = kept
}

// ids returns the ids that a file of a catalogue claims.
func ids(f *index.CatalogueFile) []string {
	if f.Whole {
		return []string{f.Path}
	}
	return f.IDs
}
