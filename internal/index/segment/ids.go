package segment

import (
	"bytes"
	"fmt"
	"sort"

	"simsearch/fingerprint"
	"simsearch/internal/ground/section"
)

// Names of the sections of the ids.
const (
	secIDEnds   = "ids.ends"
	secIDBytes  = "ids.bytes"
	secIDHashes = "ids.hashes"
	secIDOrder  = "ids.order"

	secIDRows      = "ids.rows" // in place of these four
	secIDRowsAgain = "ids.rows.again"
)

// MaxID is the maximum length of an id in bytes.
const MaxID = 64 << 10

// BadID returns why id cannot be an id, or "" if it can.
func BadID(id []byte) string {
	switch {
	case len(id) == 0:
		return "a document without an id"
	case len(id) > MaxID:
		return fmt.Sprintf("an id of %d bytes, more than %d", len(id), MaxID)
	case bytes.IndexByte(id, 0) >= 0:
		return "an id with a zero byte, which databases and lines of text cannot hold"
	}
	return ""
}

// ids holds the ids of the documents and the order in which they are looked up.
type ids struct {
	items
	hashes section.Array[uint64] // ascending
	order  section.Array[uint32] // the document of each hash

	rows *RowRuns // in place of all of them; or nil
}

// HashID is the hash of 64 bits by which segments look up an id. A collision costs a comparison and causes no error.
func HashID(id []byte) uint64 { return fingerprint.Murmur3.Sum(id) }

func (x *ids) load(f *section.File) {
	if f.Has(secIDRows) {
		err := section.DamageOf(func() { x.rows = loadRows(f, secIDRows) })
		if err != nil && section.DamageOf(func() { x.rows = loadRows(f, secIDRowsAgain) }) != nil {
			panic(err)
		}
		return
	}
	x.items.load(f, secIDEnds, secIDBytes, section.Any)
	documents := uint64(x.ends.Len())
	x.hashes = section.Integers[uint64](f, secIDHashes, documents)
	x.order = section.Integers[uint32](f, secIDOrder, documents)
}

// len returns the number of ids.
func (x *ids) len() uint64 {
	if x.rows != nil {
		return x.rows.Len()
	}
	return uint64(x.ends.Len())
}

// section returns the name of the section that has the ids.
func (x *ids) section() string {
	if x.rows != nil {
		return secIDRows
	}
	return secIDEnds
}

// at returns the id of a document. The caller must not change it.
func (x *ids) at(doc uint64) []byte {
	if x.rows != nil {
		return x.rows.Append(nil, doc)
	}
	return x.items.at(doc)
}

// items are byte strings that lie one after the other.
type items struct {
	ends  section.Array[uint64] // where each ends
	bytes section.Array[byte]
}

func (x *items) load(f *section.File, ends, bytes string, n uint64) {
	x.ends = section.Integers[uint64](f, ends, n)
	x.bytes = section.Integers[byte](f, bytes, section.Any)
}

// at returns item i. No item is empty.
func (x *items) at(i uint64) []byte {
	from := max(i, 1) - 1
	ends := x.ends.Range(from, i+1)
	lo, hi := uint64(0), ends[i-from]
	if i > 0 {
		lo = ends[0]
	}
	if lo >= hi || hi > uint64(x.bytes.Len()) {
		panic(x.ends.Corruptf(i, "item %d spans [%d, %d) of %d bytes", i, lo, hi, x.bytes.Len()))
	}
	return x.bytes.Range(lo, hi)
}

// ID returns the id of a document.
func (s *Segment) ID(doc uint32) []byte { return s.storedID(s.deleted.At(doc)) }

// storedID returns the id of document doc of the file.
func (s *Segment) storedID(doc uint32) []byte { return s.ids.at(uint64(doc)) }

// Find returns the live document called id. ok is false if there is none.
func (s *Segment) Find(id []byte) (doc uint32, ok bool) {
	doc, ok = s.FindStored(id, HashID(id))
	if ok {
		doc, ok = s.deleted.Live(doc)
	}
	return doc, ok
}

// FindStored returns the number in the file of the document called id, live or not. ok is false if there is none. h is
// HashID(id).
func (s *Segment) FindStored(id []byte, h uint64) (doc uint32, ok bool) {
	if s.ids.rows != nil {
		row, ok := s.ids.rows.Find(id)
		return uint32(row), ok
	}
	first := sort.Search(int(s.documents), func(i int) bool { return s.ids.hashes.At(uint64(i)) >= h })
	for i := uint64(first); i < s.documents && s.ids.hashes.At(i) == h; i++ {
		doc = s.ids.order.At(i)
		if uint64(doc) >= s.documents {
			panic(s.ids.order.Corruptf(i, "document %d of %d", doc, s.documents))
		}
		if bytes.Equal(s.storedID(doc), id) {
			return doc, true
		}
	}
	return 0, false
}

// EachStored calls found with the number in the file of each document whose id is that of a document of b, live or not.
// It goes through them in the order of their hashes, so that it is faster than finding them in the order of b.
func (s *Segment) EachStored(b *Builder, found func(doc uint32)) {
	hashes, order := b.sortedIDs()
	for i, h := range hashes {
		if doc, ok := s.FindStored(b.ID(order[i]), h); ok {
			found(doc)
		}
	}
}

// EachShared calls do with the id of each document that is live in two of the segments, which must have been examined.
func EachShared(segments []*Segment, do func(id []byte, a, b *Segment)) {
	for i, s := range segments {
		for at := uint64(0); i > 0 && at < s.documents; at++ {
			doc := uint32(at)
			if s.ids.rows == nil {
				doc = s.ids.order.All[at] // in the order of hashes, the others are found faster
			}
			if s.deleted.Has(doc) {
				continue
			}
			id := s.storedID(doc)
			hash := HashID(id)
			for _, other := range segments[:i] {
				if found, ok := other.FindStored(id, hash); ok && !other.deleted.Has(found) {
					do(id, other, s)
				}
			}
		}
	}
}
