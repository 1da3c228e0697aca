package dedup

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"

	"github.com/spaolacci/murmur3"

	"simsearch/internal/clean/run"
	"simsearch/internal/files/corpus"
	"simsearch/internal/files/document"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/quality/explain"
	"simsearch/internal/quality/report"
)

// Lists are what is remembered of documents, of one after the other.
type Lists struct {
	Lengths []uint32 // of the text, or the file of a picture, in bytes
	Digests []uint64 // of the text
	IDs     []byte
	IDEnds  []uint64
	SetOf   []uint32        // the set of each unit, or NoSet
	Facts   []explain.Facts // if Options.Share is read, and else nil
}

// ID returns the id of a document.
func (l *Lists) ID(doc uint32) []byte {
	from := uint64(0)
	if doc > 0 {
		from = l.IDEnds[doc-1]
	}
	return l.IDs[from:l.IDEnds[doc]]
}

// Documents are what is remembered of the documents of sources: their ids and 36 bytes each in memory, 8 more if
// Options.Keep has a field.
type documents struct {
	sources
	Lists
	Ends   []uint32 // of each document, where its units end; nil if each document is one
	Keys   *Keys    // that Options.Keep compares, or nil
	Stands []uint8  // with Options.Append: what the earlier result says of each document

	numbers []uint32   // of each document in its file, from 1; nil if each file has all of its documents here
	rows    []rowsFile // what each file has, if only some of its documents are here, and else nil
	offsets []uint64   // where each document lies in its file, as document.Origin says
	spans   []uint32   // how long it is there
	formats []string   // of each file, as document.Origin has them; "" if it has no documents

	counts []uint32 // documents of each file
	file   uint32   // that of the last document
	Starts []uint32 // the first document of each file, and the number of all, when all have been read

	mu  sync.Mutex // held to count what is bad
	Bad []int      // documents of each file that cannot be read
}

// What stands in a result of a document. Less is better.
const (
	standsKept = iota
	standsRemoved
	standsNew // nothing
)

// NoSet is the set of a document without words.
const NoSet = ^uint32(0)

// maxDocuments bounds the number of documents, which have 32 bits.
const maxDocuments = 1<<32 - 2

// begin finds the files.
func (c *documents) begin() error {
	err := c.find()
	c.counts, c.Bad = make([]uint32, len(c.Files)), make([]int, len(c.Files))
	c.Keys = newKeys(c.Options.Keep, c.Options.Corpus.Lenient || c.Options.Share.Of > 0)
	c.formats = make([]string, len(c.Files))
	return err
}

// begins finds the first document of each file.
func (c *documents) begins() {
	at := uint32(0)
	for _, n := range append(c.counts, 0) {
		c.Starts = append(c.Starts, at)
		at += n
	}
}

// Len returns the number of documents that may be removed.
func (c *documents) Len() int {
	n := len(c.Lengths) - int(c.Starts[c.Refs])
	if c.rows != nil {
		n = 0
		for _, f := range c.rows[c.Refs:] {
			n += int(f.Rows)
		}
	}
	return n
}

// units returns the numbers of the units of the documents from one before another: [from, to).
func (c *documents) units(from, to uint32) (uint32, uint32) { return c.unitsEnd(from), c.unitsEnd(to) }

// unitsEnd returns where the units of the first n documents end.
func (c *documents) unitsEnd(n uint32) uint32 {
	if c.Ends == nil || n == 0 {
		return n
	}
	return c.Ends[n-1]
}

// docOf returns the document of a unit.
func (c *documents) docOf(unit uint32) uint32 {
	if c.Ends == nil {
		return unit
	}
	return uint32(ending(c.Ends, unit))
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

// isDocument reports whether a document is the one that has been read under a number.
func (c *documents) isDocument(at uint32, doc *document.Document) bool {
	return c.Digests[at] == digestOf(doc) && string(c.ID(at)) == string(doc.ID)
}

// Origin returns where a document of a file lies.
func (c *documents) Origin(file int, doc uint32) document.Origin {
	return document.Origin{Path: run.Absolute(c.Files[file].Path), Format: c.formats[file], Offset: int64(c.offsets[doc]), Length: int64(c.spans[doc])}
}

// hasText reports whether a document has a text.
func (c *documents) hasText(doc uint32, text []byte) bool { return c.Digests[doc] == digest(text) }

// fileOf returns the file of a document.
func (c *documents) fileOf(doc uint32) int { return ending(c.Starts[1:], doc) }

// hasNothing reports whether a file has neither documents nor records that cannot be read. A file that cannot be read
// at all counts as one record.
func (c *documents) hasNothing(file int) bool {
	return c.documentsOf(file) == 0 && c.Bad[file] <= 1
}

// Unreadable reports whether a file could not be read at all.
func (c *documents) Unreadable(file int) bool {
	return c.Bad[file] > 0 && c.documentsOf(file) == 0
}

// warning says how many documents have no value that can be read, or returns "".
func (c *documents) keysWarning() string {
	k := c.Keys
	if k == nil || k.Unread == 0 || k.Keep.Way == Listed {
		return ""
	}
	first := c.Files[c.fileOf(k.First)].Path
	if k.Line > 0 {
		first = fmt.Sprintf("%s:%d", first, k.Line)
	}
	return fmt.Sprintf("%s of %s %s no %s in the field %q, so that others are kept rather; the first is %s.",
		terminal.Thousands(k.Unread), terminal.Plural(c.Len(), "document"), report.Verb(k.Unread, "has", "have"),
		k.Keep.Way.What(), k.Keep.Field, first)
}

// counted yields the documents of the files of p, which are those from first on, with their places and with what
// Options.Keep compares. It counts the bad ones.
func (c *documents) counted(p pass, first int) iter.Seq2[*document.Document, error] {
	var placed []byte
	return run.Documents(p.Reader, func(file int, b *corpus.BadError) {
		if len(p.files) > 0 { // else a list names no file
			c.mu.Lock()
			c.Bad[first+file]++
			c.mu.Unlock()
		}
		c.Options.TellBad(b)
	}, func(file int, doc *document.Document) error {
		if err := c.checkRead(p, doc); err != nil {
			return err
		}
		// On the way to its record, it has the number of its file and its line before the value of its key.
		file += first
		c.mu.Lock()
		c.formats[file] = doc.Origin.Format
		c.mu.Unlock()
		placed = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(placed[:0], uint32(file)), uint32(doc.Line))
		if c.Keys != nil && !p.Reference {
			placed = append(placed, c.Keys.Value(p.Reader, doc.Text)...)
		}
		doc.Origin, doc.Fields = document.Origin{Offset: doc.Origin.Offset, Length: doc.Origin.Length}, placed
		return nil
	})
}

// unread yields the documents of the files of p, which are those from first on, that no part of the log has. Those of
// the last file that has been begun are compared with what is known of them; the error is errAnew if they differ.
func (c *documents) unread(p pass, first int, documents iter.Seq2[*document.Document, error]) iter.Seq2[*document.Document, error] {
	last := int(c.file)
	if len(c.Lengths) == 0 || last < first {
		return documents
	}
	if last >= first+len(p.files) {
		p.Reader.Skip(len(p.files))
		return documents
	}
	p.Reader.Skip(last - first)
	end := len(c.Lengths)
	next := end - int(c.counts[last])
	c.Bad[last] = 0
	path := c.Files[last].Path
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
		return digestOf64(doc.Fingerprint, doc.More)
	}
	return digest(doc.Text)
}

// digestOf64 identifies a fingerprint by 64 bits, which are itself if it has no more.
func digestOf64(first uint64, more [3]uint64) uint64 {
	if more == [3]uint64{} {
		return first
	}
	all := document.NewLong(first, more)
	d := digestOfLong(&all)
	return d[0] ^ d[1]
}

// A follower follows the documents of a file that is read again.
type follower struct {
	c    *documents
	File int
	next uint32
	rows rowsFile // that have been followed, if the Collection has only some
}

// Follow returns the follower of a file.
func (c *documents) Follow(file int) follower {
	return follower{c: c, File: file, next: c.Starts[file]}
}

// Document returns the number of the next document, or noDocument. The error is document.ErrChanged if it is not the
// one that was read before.
func (f *follower) Document(doc *document.Document) (at uint32, err error) {
	if !f.c.isWhole() {
		return f.row(doc)
	}
	if at = f.next; at == f.c.Starts[f.File+1] || !f.c.isDocument(at, doc) {
		return at, f.changed()
	}
	f.next++
	return at, nil
}

// End returns document.ErrChanged if there were fewer documents than before.
func (f *follower) End() error {
	if f.next < f.c.Starts[f.File+1] || !f.c.isWhole() && f.rows != f.c.rows[f.File] {
		return f.changed()
	}
	return nil
}

func (f *follower) changed() error { return run.Changed(f.c.Files[f.File].Path) }

// Read calls do with all documents of the file that the Collection has. Standard input begins anew then.
func (f *follower) Read(ctx context.Context, do func(at uint32, doc *document.Document) error) (err error) {
	file := f.c.Files[f.File]
	r, err := f.c.Reader(ctx, f.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if again, ok := f.c.Options.Corpus.Stdin.(io.Seeker); ok && file == corpus.Stdin {
		defer func() {
			_, failed := again.Seek(0, io.SeekStart)
			err = errors.Join(err, failed)
		}()
	}
	for doc, err := range run.Documents(r, nil, nil) {
		at := uint32(0)
		if err == nil {
			at, err = f.Document(doc)
		}
		if err == nil && at != noDocument {
			err = do(at, doc)
		}
		if err != nil {
			return err
		}
	}
	return f.End()
}
