package segment

import (
	"bytes"
	"errors"
	"slices"
	"sync"

	"simsearch/internal/files/document"
	"simsearch/internal/ground/disk"
	"simsearch/internal/ground/ints"
	"simsearch/internal/ground/spill"
	"simsearch/internal/index/bulk"

	"simsearch/internal/match/prefix"
)

// A Document is what a Builder adds. Its slices are copied.
type Document struct {
	ID             []byte // not empty
	HasFingerprint bool   // in a segment with fingerprints
	Fingerprint    uint64
	More           [3]uint64 // what follows it, of more than 64 bits
	// Set is the set of features, strictly ascending, Signature its signature and Digest what it is
	// known by, in a segment with sets; all are empty if it has no features.
	Set       []uint64
	Signature []byte
	Digest    Digest
	// Coded is what Builder.CodeSets has made of Set, or empty.
	Coded []byte

	// Words are the codes of the words of the text, in order, in a segment with passages.
	Words []uint8

	// Texts, if not nil, has the text of the document or its source as number Number, and Fields its kept fields.
	Texts, Fields *Packed
	Number        int
}

// A Builder gathers documents for a segment, in order. It takes 8 bytes per document, the id and 8 bytes for its end,
// which numbered rows do not take, and 30 bytes and perhaps a signature per distinct set. Codes of sets and texts
// that exceed its memory lie in temporary files. A Builder must not be used by several goroutines at once.
type Builder struct {
	layout   Layout
	ids      IDList
	prints   bulk.List   // fingerprints; 0 for a document without one
	streams  int64       // the memory from which a segment of fingerprints is written as a stream; 0 is never
	fixed    int64       // what a stream takes at least
	kept     *Builder    // what Without has returned
	more     [][3]uint64 // of fingerprints of more than 64 bits, and else empty
	empty    []uint32    // documents without a fingerprint, or set if there are no fingerprints; ascending
	sets     setBuilder
	texts    textBuilder // empty unless the layout has texts
	fields   textBuilder // empty unless it has fields
	passages passageBuilder

	// hashes and order are what sortedIDs returned last. They are valid if they have as many
	// elements as there are documents.
	hashes []uint64
	order  []uint32
}

// NewBuilder returns a Builder of segments of the given layout. It holds up to hold bytes of
// the codes of sets in memory, or 64 MiB if hold is 0, and as many of compressed texts. What exceeds this goes to
// temporary files in dir.
func NewBuilder(fsys disk.FS, dir string, layout Layout, hold int) *Builder {
	if hold == 0 {
		hold = spill.Holds
	}
	empty := spill.NewBytes(fsys, dir, hold)
	return &Builder{
		layout: layout, sets: setBuilder{drafts: prefix.NewDrafts(fsys, dir, hold)},
		texts: textBuilder{names: secTexts, blocks: empty}, fields: textBuilder{names: secFields, blocks: empty},
		passages: passageBuilder{codes: empty}, prints: bulk.NewList(fsys, dir, min(heldPrints, 2*hold)),
	}
}

// Len returns the number of documents.
func (b *Builder) Len() int { return b.ids.Len() }

// Empties returns the number of documents without features: they have neither fingerprint nor set.
func (b *Builder) Empties() (n int) {
	for _, doc := range b.empty {
		if !b.layout.Sets || b.sets.of[doc] == NoSet {
			n++
		}
	}
	return n
}

// ID returns the id of document i, which the caller must not change.
func (b *Builder) ID(i uint32) []byte { return b.ids.At(int(i)) }

// Add adds a copy of d. It keeps the blocks of its texts and fields.
func (b *Builder) Add(d *Document) {
	b.add(d.ID, d.Fingerprint, d.More, d.empty(b.layout))
	if b.layout.Sets {
		b.sets.add(d)
	}
	if b.layout.Texts {
		b.texts.add(d.Texts, d.Number)
	}
	if b.layout.Fields {
		b.fields.add(d.Fields, d.Number)
	}
	if b.layout.Passages {
		b.passages.add(d.Words)
	}
}

// Codes are the codes of some sets, or of the words of some documents; nil if there are none yet.
type Codes [][]byte

// At returns those of number i, or nil.
func (c Codes) At(i int) []byte {
	if c == nil {
		return nil
	}
	return c[i]
}

var coders = sync.Pool{New: func() any { return new(prefix.Coder) }}

// CodeSets returns the codes of n sets, for Add, which takes less time then. It may be called while Add runs, from
// several goroutines. Before the builder has learnt from the first sets, the codes are empty.
func (b *Builder) CodeSets(n int, set func(i int) []uint64) Codes {
	if !b.layout.Sets {
		return nil
	}
	c := coders.Get().(*prefix.Coder)
	defer coders.Put(c)
	var all []byte
	codes := make(Codes, n)
	for i := range codes {
		if features := set(i); len(features) > 0 {
			from := len(all)
			all = c.Append(all, b.sets.drafts, features)
			codes[i] = all[from:]
		}
	}
	return codes
}

func (b *Builder) add(id []byte, fp uint64, more [3]uint64, empty bool) {
	if empty {
		fp, more = 0, [3]uint64{}
		b.empty = append(b.empty, uint32(b.Len()))
	}
	if b.layout.isWide() {
		b.more = append(b.more, more)
	}
	b.ids.Add(id)
	b.prints.Append(fp)
}

// isEmpty reports whether a document is among the empty ones.
func (b *Builder) isEmpty(doc int) bool {
	_, is := slices.BinarySearch(b.empty, uint32(doc))
	return is
}

// TakesRows reports whether AddRows can be called: the documents are fingerprints of 64 bits, and nothing else.
func (b *Builder) TakesRows() bool { return b.layout == Layout{Bits: 64} }

// AddRows adds documents with the given fingerprints: one called id, and those with the numbers that follow.
func (b *Builder) AddRows(id []byte, fingerprints []uint64) {
	b.ids.AddRows(id, len(fingerprints))
	b.prints.Append(fingerprints...)
}

// Flush writes the features and texts that exceed the memory to temporary files. After an error nothing is
// lost, and Flush can be called again.
func (b *Builder) Flush() error {
	return errors.Join(b.prints.Flush(), b.sets.drafts.Flush(), b.texts.blocks.Flush(), b.fields.blocks.Flush(), b.passages.codes.Flush())
}

// Close removes the temporary files, if there are any.
func (b *Builder) Close() error {
	var kept error
	if b.kept != nil {
		kept = b.kept.prints.Close()
	}
	return errors.Join(kept, b.prints.Close(), b.sets.drafts.Close(), b.texts.blocks.Close(), b.fields.blocks.Close(), b.passages.codes.Close())
}

// sortedIDs returns the hashes of all ids in ascending order, and the document of each hash.
// Documents with equal hashes are in their own order. The caller must not change the slices.
func (b *Builder) sortedIDs() (hashes []uint64, order []uint32) {
	if len(b.hashes) != b.Len() {
		b.hashes, b.order = make([]uint64, b.Len()), make([]uint32, b.Len())
		for i := range b.hashes {
			b.hashes[i], b.order[i] = HashID(b.ID(uint32(i))), uint32(i)
		}
		ints.SortPairs(b.hashes, b.order)
	}
	return b.hashes, b.order
}

// An IDSet is the ids of a Builder, or their hashes.
type IDSet struct {
	rows   *RowRuns // or nil
	hashes []uint64 // ascending
}

// IDSet returns the ids of all documents.
func (b *Builder) IDSet() IDSet {
	if rows := numbered(&b.ids); rows != nil {
		alone := *rows // which does not keep b
		return IDSet{rows: &alone}
	}
	hashes, _ := b.sortedIDs()
	return IDSet{hashes: hashes}
}

// Has reports whether an id is in s, or perhaps only its hash of 64 bits.
func (s *IDSet) Has(id []byte) (ok bool) {
	if s.rows != nil {
		_, ok = s.rows.Find(id)
		return ok
	}
	_, ok = slices.BinarySearch(s.hashes, HashID(id))
	return ok
}

// Without returns a Builder of the documents that are not marked in drop. b is none that Without has returned. The new
// Builder shares the sets of b and is closed with b, and so is what Without returned before. b stays as it is. The
// error is that of a temporary file.
func (b *Builder) Without(drop []bool) (*Builder, error) {
	all, err := b.prints.All()
	if err != nil {
		return nil, err
	}
	if b.kept != nil {
		_ = b.kept.prints.Close() // nothing is in it that is not in b
	}
	kept := &Builder{layout: b.layout, sets: b.sets, texts: b.texts, fields: b.fields, passages: b.passages,
		prints: b.prints.Another(), streams: b.streams, fixed: b.fixed}
	kept.sets.of, kept.passages.drop = keep(b.sets.of, drop), drop // what no document has stays until it is written
	kept.texts.places, kept.fields.places = keep(b.texts.places, drop), keep(b.fields.places, drop)
	b.kept = kept
	err = disk.Guarded(func() error {
		for i := range b.Len() {
			if drop[i] {
				continue
			}
			if kept.add(b.ID(uint32(i)), all[i], b.moreOf(i), b.isEmpty(i)); kept.Len()%flushEvery == 0 {
				if err := kept.Flush(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return kept, err
}

// keep returns the elements of xs that are not marked in drop, or nil if xs is empty.
func keep[T any](xs []T, drop []bool) (kept []T) {
	for i, x := range xs {
		if !drop[i] {
			kept = append(kept, x)
		}
	}
	return kept
}

// moreOf returns what follows the first 64 bits of the fingerprint of document i.
func (b *Builder) moreOf(i int) (more [3]uint64) {
	if len(b.more) > 0 {
		more = b.more[i]
	}
	return more
}

// Identity returns the identity of document i of a builder that does not stream.
func (b *Builder) Identity(i uint32) Identity { return b.identity(b.prints.Held(int(i)), i) }

func (b *Builder) identity(fingerprint uint64, i uint32) Identity {
	return Identity{document.NewLong(fingerprint, b.moreOf(int(i))), b.sets.digest(i), !b.isEmpty(int(i))}
}

// Identity returns the identity that d has in a segment of layout l.
func (d *Document) Identity(l Layout) (id Identity) {
	if id.ok = !d.empty(l); id.ok && l.Bits > 0 {
		id.fp = document.NewLong(d.Fingerprint, d.More)
	}
	if l.Sets && d.hasSet() {
		id.set = d.Digest
	}
	return id
}

// hasSet reports whether d has features. A set whose digest is known may be left out.
func (d *Document) hasSet() bool { return len(d.Set) > 0 || d.Digest != Digest{} }

// Clone returns a copy of d that shares its texts and fields, which do not change.
func (d *Document) Clone() Document {
	c := *d
	c.ID, c.Set, c.Signature, c.Words = slices.Clone(d.ID), slices.Clone(d.Set), slices.Clone(d.Signature), slices.Clone(d.Words)
	return c
}

// empty reports whether d has no fingerprint, or no set if there are no fingerprints.
func (d *Document) empty(l Layout) bool {
	if l.Bits == 0 {
		return !d.hasSet()
	}
	return !d.HasFingerprint
}

// Repeated finds the documents whose ids are taken, either by a document known to taken or by an
// earlier document of b. It calls found with each of them. same reports whether the document has
// the text of the one that has the id, and earlier whether that one is a document of b. Right before found is called
// with a document that is not earlier, taken was called with its id. If taken is nil, no id is taken before.
func (b *Builder) Repeated(taken func(id []byte) (Identity, bool), found func(doc uint32, same, earlier bool)) error {
	all, err := b.prints.All()
	if err != nil {
		return err
	}
	if numbered(&b.ids) != nil { // none is in b twice
		for i := uint32(0); taken != nil && int(i) < b.Len(); i++ {
			if other, ok := taken(b.ID(i)); ok {
				found(i, b.identity(all[i], i) == other, false)
			}
		}
		return nil
	}
	hashes, order := b.sortedIDs()
	var firsts []uint32
	for lo := 0; lo < len(hashes); {
		hi := lo + 1
		for hi < len(hashes) && hashes[hi] == hashes[lo] {
			hi++
		}
		if hi == lo+1 && taken == nil {
			lo = hi
			continue
		}
		firsts = firsts[:0] // the documents with this hash that stay
	next:
		for _, i := range order[lo:hi] {
			for _, e := range firsts {
				if bytes.Equal(b.ID(e), b.ID(i)) {
					found(i, b.identity(all[i], i) == b.identity(all[e], e), true)
					continue next
				}
			}
			if firsts = append(firsts, i); taken == nil {
				continue
			}
			if other, ok := taken(b.ID(i)); ok {
				found(i, b.identity(all[i], i) == other, false)
			}
		}
		lo = hi
	}
	return nil
}
