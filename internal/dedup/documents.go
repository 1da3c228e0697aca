package dedup

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/corpus"
	"simsearch/internal/document"
	"simsearch/internal/rewrite"
	"simsearch/internal/terminal"
)

// Documents are what is remembered of the documents of sources: their ids and 24 bytes each in memory, 8 more if Options.Keep has
// a field.
type documents struct {
	sources
	lengths []uint32 // of the text of each document, or the file of a picture, in bytes
	digests []uint64 // of the text of each document
	ids     []byte   // of all documents, one after the other
	idEnds  []uint64
	of      []uint32 // the set of each unit, or noSet
	ends    []uint32 // of each document, where its units end; nil if each document is one
	keys    *keys    // that Options.Keep compares, or nil
	rank    []uint8  // of each document by Options.Prefer, or nil; less is better

	counts []uint32 // documents of each file
	file   uint32   // that of the last document
	starts []uint32 // the first document of each file, and the number of all, when all have been read

	mu  sync.Mutex // held to count what is bad
	bad []int      // documents of each file that cannot be read
}

const noSet = ^uint32(0)

// maxDocuments bounds the number of documents, which have 32 bits.
const maxDocuments = 1<<32 - 2

// begin finds the files.
func (c *documents) begin(ctx context.Context) error {
	err := c.find(ctx)
	c.counts, c.bad, c.keys = make([]uint32, len(c.files)), make([]int, len(c.files)), newKeys(c.o.Keep, c.o.Corpus.Lenient)
	return err
}

// end ends the reading.
func (c *documents) end() error {
	at := uint32(0)
	for _, n := range append(c.counts, 0) {
		c.starts = append(c.starts, at)
		at += n
	}
	c.rank = c.ranks()
	return c.keys.end()
}

// ranks returns the rank of each document, or nil if nothing is preferred.
func (c *documents) ranks() []uint8 {
	if c.ofFiles == nil {
		return nil
	}
	ranks := make([]uint8, len(c.lengths))
	for i, rank := range c.ofFiles {
		from, to := c.starts[c.refs+i], c.starts[c.refs+i+1]
		for doc := from; doc < to; doc++ {
			ranks[doc] = rank
		}
	}
	return ranks
}

// Len returns the number of documents that may be removed.
func (c *documents) Len() int { return len(c.lengths) - int(c.starts[c.refs]) }

// units returns the numbers of the units of the documents from one before another: [from, to).
func (c *documents) units(from, to uint32) (uint32, uint32) { return c.unitsEnd(from), c.unitsEnd(to) }

// unitsEnd returns where the units of the first n documents end.
func (c *documents) unitsEnd(n uint32) uint32 {
	if c.ends == nil || n == 0 {
		return n
	}
	return c.ends[n-1]
}

// docOf returns the document of a unit.
func (c *documents) docOf(unit uint32) uint32 {
	if c.ends == nil {
		return unit
	}
	return uint32(ending(c.ends, unit))
}

// ending returns the first of ends that is behind x.
func ending(ends []uint32, x uint32) int {
	i, _ := slices.BinarySearchFunc(ends, x, func(end, x uint32) int {
		if end <= x {
			return -1
		}
		return 1
	})
	return i
}

// id returns the id of a document.
func (c *documents) id(doc uint32) []byte {
	from := uint64(0)
	if doc > 0 {
		from = c.idEnds[doc-1]
	}
	return c.ids[from:c.idEnds[doc]]
}

// isDocument reports whether a document is the one that has been read under a number.
func (c *documents) isDocument(at uint32, doc *document.Document) bool {
	return c.digests[at] == digestOf(doc) && string(c.id(at)) == string(doc.ID)
}

// fileOf returns the file of a document.
func (c *documents) fileOf(doc uint32) int { return ending(c.starts[1:], doc) }

// hasNothing reports whether a file has neither documents nor records that cannot be read. A file that cannot be read at all
// counts as one record.
func (c *documents) hasNothing(file int) bool {
	return c.starts[file] == c.starts[file+1] && c.bad[file] <= 1
}

// badDocuments returns the number of documents that may be removed and cannot be read.
func (c *documents) badDocuments() (n int) {
	for _, bad := range c.bad[c.refs:] {
		n += bad
	}
	return n
}

// unreadable reports whether a file could not be read at all.
func (c *documents) unreadable(file int) bool {
	return c.bad[file] > 0 && c.starts[file] == c.starts[file+1]
}

// warning says how many documents have no value that can be read, or returns "".
func (c *documents) keysWarning() string {
	k := c.keys
	if k == nil || k.Unread == 0 {
		return ""
	}
	have := "have"
	if k.Unread == 1 {
		have = "has"
	}
	first := c.files[c.fileOf(k.First)].Path
	if k.Line > 0 {
		first = fmt.Sprintf("%s:%d", first, k.Line)
	}
	return fmt.Sprintf("%s of %s %s no %s in the field %q, so that others are kept rather; the first is %s.", terminal.Thousands(k.Unread), terminal.Plural(c.Len(), "document"), have, k.keep.Way.what(), k.keep.Field, first)
}

// counted yields the documents of the files of p, which are those from first on, with their places and with what Options.Keep
// compares. It counts the bad ones.
func (c *documents) counted(p pass, first int) iter.Seq2[*document.Document, error] {
	return func(yield func(*document.Document, error) bool) {
		file := 0
		find := func(path string) int {
			for i := file; i < len(p.files); i++ {
				if p.files[i].Path == path {
					file = i
					break
				}
			}
			return first + file
		}
		for doc, err := range p.r.Documents() {
			if b := (*corpus.BadError)(nil); errors.As(err, &b) && !errors.Is(err, context.Canceled) {
				if len(p.files) > 0 { // else a list names no file
					c.mu.Lock()
					c.bad[find(b.Path)]++
					c.mu.Unlock()
				}
				if c.o.Bad != nil {
					c.o.Bad(b)
				}
				continue
			}
			if err == nil {
				err = c.checkRead(p, doc)
			}
			if err == nil {
				// On the way to its record, it has the number of its file and its line in place of its origin.
				doc.Origin, doc.Fields = document.Origin{Offset: int64(find(doc.Source)), Length: int64(doc.Line)}, nil
				if c.keys != nil && !p.reference {
					doc.Fields = c.keys.value(p.r)
				}
			}
			if !yield(doc, err) || err != nil {
				return
			}
		}
	}
}

// unread yields the documents of the files of p, which are those from first on, that no part of the log has. Those of the last file
// that has been begun are compared with what is known of them; the error is errAnew if they differ.
func (c *documents) unread(p pass, first int, documents iter.Seq2[*document.Document, error]) iter.Seq2[*document.Document, error] {
	last := int(c.file)
	if len(c.lengths) == 0 || last < first {
		return documents
	}
	if last >= first+len(p.files) {
		p.r.Skip(len(p.files))
		return documents
	}
	p.r.Skip(last - first)
	end := len(c.lengths)
	next := end - int(c.counts[last])
	c.bad[last] = 0
	path := c.files[last].Path
	return func(yield func(*document.Document, error) bool) {
		for doc, err := range documents {
			if err == nil && next < end {
				if doc.Source != path || !c.isDocument(uint32(next), doc) {
					yield(nil, fmt.Errorf("%s: %w", path, errAnew))
					return
				}
				next++
				continue
			}
			if !yield(doc, err) {
				return
			}
		}
		if next < end {
			yield(nil, fmt.Errorf("%s: %w", path, errAnew))
		}
	}
}

// digest identifies a text.
func digest(text []byte) uint64 { return murmur3.Sum64(text) }

// digestOf identifies what a document was read as: its text, the file of a picture, or its fingerprint.
func digestOf(doc *document.Document) uint64 {
	switch {
	case doc.Picture.Digest != 0:
		return doc.Picture.Digest
	case doc.HasFingerprint:
		return doc.Fingerprint
	}
	return digest(doc.Text)
}

// A follower follows the documents of a file that is read again.
type follower struct {
	c    *documents
	file int
	next uint32
}

func (c *documents) follow(file int) follower { return follower{c, file, c.starts[file]} }

// document returns the number of the next document. The error is document.ErrChanged if it is not the one that was read before.
func (f *follower) document(doc *document.Document) (at uint32, err error) {
	if at = f.next; at == f.c.starts[f.file+1] || !f.c.isDocument(at, doc) {
		return at, f.changed()
	}
	f.next++
	return at, nil
}

// end returns document.ErrChanged if there were fewer documents than before.
func (f *follower) end() error {
	if f.next < f.c.starts[f.file+1] {
		return f.changed()
	}
	return nil
}

func (f *follower) changed() error { return changed(f.c.files[f.file].Path) }

func changed(path string) error { return fmt.Errorf("%s: %w", path, rewrite.ErrChanged) }

// read calls do with all documents of the file.
func (f *follower) read(ctx context.Context, do func(at uint32, doc *document.Document) error) (err error) {
	r, err := f.c.reader(ctx, f.c.files[f.file], f.file < f.c.refs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for doc, err := range r.Documents() {
		if errors.As(err, new(*corpus.BadError)) {
			continue
		}
		at := uint32(0)
		if err == nil {
			at, err = f.document(doc)
		}
		if err == nil {
			err = do(at, doc)
		}
		if err != nil {
			return err
		}
	}
	return f.end()
}
