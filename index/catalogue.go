package index

import (
	"errors"
	"io/fs"

	"simsearch/internal/disk"
	"simsearch/internal/store"
)

// A Catalogue is the files that documents of an index came from. A program that keeps it can tell which files have
// changed since, and which documents they had.
type Catalogue = store.Catalogue

// A CatalogueFile is one of these files.
type CatalogueFile = store.CatalogueFile

// Catalogue returns the catalogue of the index, or nil if it has none. stale reports whether documents were replaced or
// deleted since by a Commit without SetCatalogue. The caller may change it. The error is ErrCorrupt.
func (w *Writer) Catalogue() (c *Catalogue, stale bool, err error) {
	ref := w.dir.Manifest.Catalogue
	if ref == nil {
		return nil, false, nil
	}
	c, err = store.ReadCatalogue(w.dir.FS, w.dir.Path, *ref)
	return c, ref.Stale, err
}

// SetCatalogue makes the next Commit write c in place of the catalogue that the index has, together with the
// documents. c must be sorted, and must not be changed until then. If there is no index yet, and no document is added,
// Commit does nothing.
func (w *Writer) SetCatalogue(c *Catalogue) { w.catalogue, w.partial = c, false }

// AddCatalogue is SetCatalogue for documents that were added without comparing what the files have with what c says: an
// index with a stale catalogue has one again, and so has one of which Commit replaces or deletes documents.
func (w *Writer) AddCatalogue(c *Catalogue) { w.catalogue, w.partial = c, true }

// Len returns the number of documents of the index, as it was opened or is since the last Commit.
func (w *Writer) Len() (n int) {
	for _, ref := range w.dir.Manifest.Segments {
		n += int(ref.Documents)
		if ref.Deleted != nil {
			n -= int(ref.Deleted.Documents)
		}
	}
	return n
}

// writeCatalogue writes the catalogue that SetCatalogue or AddCatalogue was given. It is stale, or that of the index is, if
// this commit deletes or replaces documents without SetCatalogue.
func (w *Writer) writeCatalogue(next *store.Manifest, deletes bool, names *store.Names) error {
	stale := deletes
	if next.Catalogue != nil {
		stale = stale || next.Catalogue.Stale
	}
	if w.catalogue != nil {
		ref, err := w.catalogue.Write(w.dir.FS, w.dir.Path, names.Take(store.CatalogueExtension))
		if err != nil {
			return err
		}
		ref.Stale = stale && w.partial
		next.Catalogue = ref
	} else if next.Catalogue != nil {
		ref := *next.Catalogue
		ref.Stale = stale
		next.Catalogue = &ref
	}
	return nil
}

// checkCatalogue checks the catalogue that a manifest of dir names, if it is there: a writer may have replaced it since, or the
// manifest is an older one, of a backup. Nothing that reads the documents needs it.
func checkCatalogue(fsys disk.FS, dir string, ref *store.CatalogueRef) error {
	if ref == nil {
		return nil
	}
	_, err := store.ReadCatalogue(fsys, dir, *ref)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
