package rewrite

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"

	"simsearch/corpus"
	"simsearch/document"
	"simsearch/internal/charset"
	"simsearch/internal/disk"
)

// ErrMerge is returned for files in a format of which a part cannot be put back where it was.
var ErrMerge = errors.New("the documents of this format cannot be put back in their places")

// A Piece is a part of a file that Merge puts back.
type Piece uint8

// The pieces.
const (
	Stays   Piece = iota // a document of the file of what stays
	Dropped              // a document of the other file
	Bad                  // a record that the reader reports as bad, which is in the file of what stays
)

// Merge writes to path the file from which File has made two: one with the documents that stay, and one with those that
// are dropped in the first, which is written with Options.DropBad. pieces are those of the file, in its order, and check
// is called with each document. What stands between pieces is in both files; Merge finds the place of one by how
// much of that comes before it. The file is the same as it was, byte for byte, but for its compression. The error is
// ErrMerge if the documents of the format depend on each other, or ErrChanged if the files do not belong together.
//
// What is guessed of the charset of a part need not be what was guessed of the whole, of which check knows the texts. So both
// parts are read in the charset of the one, and else in that of the other.
func Merge(kept, dropped corpus.File, path string, o Options, pieces []Piece, check func(i int, doc *document.Document) error) error {
	var tried []string
	var failed error
	for _, f := range []corpus.File{dropped, kept} {
		name, err := charsetIn(f, o)
		if err != nil {
			return err
		}
		if slices.Contains(tried, name) {
			continue
		}
		tried, o.Corpus.Charset = append(tried, name), name
		if failed = merge(kept, dropped, path, o, pieces, check); !errors.Is(failed, ErrChanged) {
			return failed
		}
		o.Corpus.Charset = ""
	}
	return failed
}

// charsetIn returns the name of the charset of a file.
func charsetIn(f corpus.File, o Options) (name string, err error) {
	o.Corpus.Decided, o.Corpus.Raw = nil, false
	r, err := corpus.OpenFile(f, o.Corpus)
	if err != nil {
		return "", err
	}
	for _, err := range r.Documents() {
		if r.Charset() != charset.UTF8.String() || err != nil && !errors.As(err, new(*corpus.BadError)) {
			break // an error will come again
		}
	}
	return r.Charset(), r.Close()
}

func merge(kept, dropped corpus.File, path string, o Options, pieces []Piece, check func(i int, doc *document.Document) error) (err error) {
	packing, err := packingOf(kept.Path)
	if err != nil {
		return err
	}
	if _, err := disk.MkdirAll(o.FS, filepath.Dir(path)); err != nil {
		return err
	}
	file, err := disk.CreateAtomic(o.FS, path)
	if err != nil {
		return err
	}
	defer file.Abort()
	out, err := packing.writer(file)
	if err != nil {
		return err
	}
	a, err := openPart(kept, o, packing, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.end()) }()
	b, err := openPart(dropped, o, packing, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.end()) }()
	between := int64(0) // bytes that are of no piece
	documents := 0
	var records recordReader // of the dropped part of a crawl, which has all that is between
	for _, piece := range pieces {
		p := a
		if piece == Dropped {
			p = b
		}
		doc, err := p.find(piece == Bad)
		if err != nil {
			return err
		}
		if piece != Bad {
			if err := check(documents, doc); err != nil {
				return err
			}
			documents++
		}
		before := p.at.Start - p.pieces
		if p.reader.Format() == corpus.WARC {
			if records.copier == nil {
				records = newRecordReader(b.copier, relations{})
			}
			records.pages.add(p.reader.RecordHeader(), piece != Dropped)
			end := int64(toTheEnd)
			if piece == Dropped {
				end = b.at.Start
			} else if err := b.peek(); err == nil {
				end = b.at.Start
			} else if !errors.Is(err, errNoMore) {
				return err
			}
			if err := mergeRecords(&records, p, piece == Dropped, &between, before, end); err != nil {
				return err
			}
			p.pieces += p.at.End - p.at.Start
			continue
		}
		if before < between {
			return changedPart(p)
		}
		if err := a.copier.copyTo(a.copier.at + before - between); err != nil {
			return err
		}
		between = before
		if piece == Dropped {
			err = b.copier.skipTo(b.at.Start)
		} else if a.copier.at != a.at.Start {
			err = changedPart(a)
		}
		if err == nil {
			err = p.copier.copyTo(p.at.End)
		}
		if err != nil {
			return err
		}
		p.pieces += p.at.End - p.at.Start
	}
	for _, p := range []*merged{a, b} {
		if _, err := p.find(false); !errors.Is(err, errNoMore) {
			return changedPart(p)
		}
	}
	rest := a.copier
	if records.copier != nil {
		rest = b.copier
		if records.loaded {
			if _, err := records.take(out, toTheEnd); err != nil {
				return err
			}
		}
	}
	if err := rest.rest(false); err != nil {
		return err
	}
	return file.Commit()
}

// mergeRecords writes a page of a crawl, and what stands before it. Of what is between pages, the part p with what stays lacks
// what belongs to the pages that were dropped, and the other one has all. So it is taken from there: records that stayed up to the
// place of the page, and those that belong to pages before it. None is taken from end on, where the next page of that part is.
func mergeRecords(records *recordReader, p *merged, dropped bool, between *int64, before, end int64) error {
	for records.at < end || records.loaded {
		err := records.load(end)
		if errors.Is(err, io.EOF) && !dropped {
			break
		}
		if err != nil {
			return ended(err)
		}
		own := records.isDropped()
		if !dropped && !own && *between+int64(len(records.head))+records.block > before {
			break
		}
		n, err := records.take(records.out, end)
		if err != nil {
			return err
		}
		if !own {
			*between += n
		}
	}
	if !dropped {
		if *between != before {
			return changedPart(p)
		}
		if err := p.copier.skipTo(p.at.Start); err != nil {
			return err
		}
	}
	return p.copier.copyTo(p.at.End)
}

// A merged is one of two files that are merged.
type merged struct {
	path   string
	reader *corpus.Reader
	next   func() (*document.Document, error, bool)
	stop   func()
	copier *copier
	at     corpus.Extent                      // of the piece that find has returned
	pieces int64                              // bytes of those before
	peeked func() (*document.Document, error) // what find returns next, or nil
}

func openPart(f corpus.File, o Options, packing packing, out io.WriteCloser) (*merged, error) {
	o.Corpus.Decided, o.Corpus.Raw = nil, false
	r, err := corpus.OpenFile(f, o.Corpus)
	if err != nil {
		return nil, err
	}
	from, err := packing.open(f.Path, o.Corpus.Context, out)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	p := &merged{path: f.Path, reader: r, copier: &copier{ctx: o.Corpus.Context, close: from.Close}}
	of, err := charset.Parse(o.Corpus.Charset)
	p.copier.from, p.copier.out = charset.NewReader(from, of), charset.NewWriter(out, func() charset.Charset { return of })
	p.next, p.stop = iter.Pull2(r.Documents())
	return p, err
}

func (p *merged) end() error {
	p.stop()
	return errors.Join(p.reader.Close(), p.copier.close())
}

// errNoMore is the error of find after the last document.
var errNoMore = errors.New("no more documents")

// find moves to the next document or, if bad is set, to the next bad record, which is no document.
func (p *merged) find(bad bool) (*document.Document, error) {
	if next := p.peeked; next != nil {
		p.peeked = nil
		return next()
	}
	for {
		doc, err, ok := p.next()
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: %w: %w", p.path, ErrChanged, errNoMore)
		case errors.As(err, new(*corpus.BadError)):
			if !bad || p.reader.Extent() == (corpus.Extent{}) { // such as a damaged end
				continue
			}
		case err != nil:
			return nil, err
		case bad:
			return nil, changedPart(p)
		}
		if f := p.reader.Format(); f == corpus.JSON || f == corpus.Parquet || p.reader.Whole() {
			return nil, fmt.Errorf("%w: %s is read as %s", ErrMerge, p.path, f)
		}
		if isNPY(p.path) {
			return nil, fmt.Errorf("%w: %s", ErrMerge, p.path)
		}
		p.at = p.reader.Extent()
		return doc, nil
	}
}

// peek moves to the next document, which find returns.
func (p *merged) peek() error {
	if p.peeked == nil {
		doc, err := p.find(false)
		p.peeked = func() (*document.Document, error) { return doc, err }
	}
	_, err := p.peeked()
	return err
}

func changedPart(p *merged) error { return fmt.Errorf("%s: %w", p.path, ErrChanged) }
